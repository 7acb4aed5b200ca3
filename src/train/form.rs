//! The form: which models are trained, and on which text.

use crate::prelude::*;

use super::session::{DEFAULT_TEXT, TrainingSession};
use super::settings::TrainForm;
use crate::controls::{Choice, InputBox, TextSource};
use crate::strings;
use lipscope_protocol::train::{Kind, Norms};

/// The form. The models cannot change while they are trained.
#[component]
pub fn TrainForms(
    /// The form and its runs.
    session: TrainingSession,
) -> impl IntoView {
    type Part = fn(&mut TrainForm) -> &mut String;
    let field =
        move |(id, label, hint, width, part): (&'static str, &'static str, &'static str, &'static str, Part)| {
            let value = Signal::derive(move || part(&mut session.form.get()).clone());
            let set = move |text: String| session.form.update(|form| *part(form) = text);
            view! { <InputBox id label hint width value set/> }
        };
    let sizes: [(&'static str, &'static str, &'static str, &'static str, Part); 4] = [
        ("train-blocks", strings::train_blocks(), strings::train_blocks_hint(), "3", |form| &mut form.blocks),
        ("train-width", strings::train_width(), strings::train_width_hint(), "4", |form| &mut form.width),
        ("train-heads", strings::train_heads(), strings::train_heads_hint(), "3", |form| &mut form.heads),
        ("train-context", strings::train_context(), strings::train_context_hint(), "4", |form| &mut form.context),
    ];
    let steps: [(&'static str, &'static str, &'static str, &'static str, Part); 2] = [
        ("train-steps", strings::train_steps(), strings::train_steps_hint(), "6", |form| &mut form.steps),
        ("train-c", "c", strings::train_c_hint(), "4", |form| &mut form.c),
    ];
    let more: [(&'static str, &'static str, &'static str, &'static str, Part); 4] = [
        ("train-rate", strings::train_rate(), strings::train_rate_hint(), "7", |form| &mut form.learning_rate),
        ("train-batch", strings::train_batch(), strings::train_batch_hint(), "4", |form| &mut form.batch),
        ("train-every", strings::train_every(), strings::train_every_hint(), "4", |form| &mut form.every),
        ("train-seed", strings::seed(), strings::train_seed_hint(), "5", |form| &mut form.seed),
    ];
    let norms = Signal::derive(|| {
        [Norms::Layer, Norms::None].map(|one| (one.id(), strings::train_norms(one).to_owned())).to_vec()
    });
    let chosen = Signal::derive(move || session.form.with(|form| form.norms.id()));
    let on_pick = move |picked: String| {
        if let Some(norms) = [Norms::Layer, Norms::None].into_iter().find(|norms| norms.id() == picked) {
            session.form.update(|form| form.norms = norms);
        }
    };
    view! {
        <fieldset disabled=move || session.is_at_work() aria-label=strings::train_form_name()>
            <fieldset class="train-kinds">
                <legend>{strings::train_kinds()}</legend>
                {Kind::ALL.map(|kind| view! { <KindBox session kind/> }).collect_view()}
            </fieldset>
            <div class="model-row">{sizes.map(field).collect_view()} {steps.map(field).collect_view()}</div>
            <details class="more">
                <summary>{strings::train_more()}</summary>
                <div class="model-row">
                    <Choice id="train-norms" label=strings::train_norms_name() options=norms chosen on_pick=Callback::new(on_pick)/>
                    {more.map(field).collect_view()}
                </div>
            </details>
            <TextField session/>
        </fieldset>
    }
}

/// The text with the number of its characters.
#[component]
pub fn TextField(
    /// The form of training, with its runs.
    session: TrainingSession,
) -> impl IntoView {
    let has_file = move || session.text_file.with(Option::is_some);
    let is_default = move || !has_file() && session.text.with(|text| text == DEFAULT_TEXT);
    let characters = move || {
        let file = session.text_file.with(|file| file.as_ref().map(|file| file.text.chars().count()));
        strings::train_characters(file.unwrap_or_else(|| session.text.with(|text| text.chars().count())))
    };
    let summary = view! {
        <span class="note" role="status" data-testid="train-characters">
            {move || if is_default() { strings::train_usual_text() } else { "" }} {strings::between_sentences()} {characters}
        </span>
    };
    let default = view! {
        <button type="button" hidden=move || is_default() || has_file() on:click=move |_| session.text.set(DEFAULT_TEXT.to_owned())>{strings::train_use_usual_text()}</button>
    };
    view! {
        <TextSource
            id="train-text"
            file_id="train-text-file"
            text=session.text
            file=session.text_file
            on_file=Callback::new(move |file| session.take_file(file))
            summary=summary.into_any()
            note=strings::train_text_note()
            more=default.into_any()
        />
    }
}

/// A kind of attention with its tick and its description.
#[component]
fn KindBox(
    /// The form of training, with its runs.
    session: TrainingSession,
    /// The kind of attention.
    kind: Kind,
) -> impl IntoView {
    let is_ticked = move || session.form.with(|form| form.kinds.contains(&kind));
    let on_change = move |_| {
        session.form.update(|form| {
            let was_ticked = form.kinds.contains(&kind);
            form.kinds = Kind::ALL
                .into_iter()
                .filter(|one| if *one == kind { !was_ticked } else { form.kinds.contains(one) })
                .collect();
        });
    };
    view! {
        <label class="train-kind">
            <input type="checkbox" id=format!("train-kind-{}", kind.id()) prop:checked=is_ticked on:change=on_change/>
            <span><strong>{strings::train_kind(kind)}</strong> " " {strings::train_kind_about(kind)}</span>
        </label>
    }
}
