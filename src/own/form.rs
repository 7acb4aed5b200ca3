//! The content of the fold: a box for tokens, the questions about them, the choice of weights, and the exports. When
//! the reader's tokens come in, the page asks which weights to use with them. A line always names the weights in use.

use crate::prelude::*;
use leptos::html::{Fieldset, Textarea};

use super::context::use_own;
use super::matrices::{FileButton, Matrices};
use super::table_problem::TableAnswer;
use crate::controls::ProblemAt;
use crate::export::{ask_script, copy_link, experiment_text, pretty};
use crate::files::{copy, download};
use crate::page::{PLACE_OWN, PLACE_OWN_WEIGHTS, use_page};
use crate::state::{TokenChoice, WeightChoice};
use crate::strings;
use lipscope_core::experiment::{Table, TableSource};
use lipscope_core::script::Dialect;

/// The content of the fold of own data.
#[component]
pub fn OwnForm() -> impl IntoView {
    let own = use_own();
    let page = own.page;
    let text = NodeRef::<Textarea>::new();
    // Data that were refused leave the picture as it is: the line then says whose picture that is.
    let is_refused = memo(move |_| {
        let at = page.answers.problem.with(|problem| problem.as_ref().map(|problem| problem.place));
        matches!(at, Some(PLACE_OWN | PLACE_OWN_WEIGHTS))
    });
    let note = move || match page.answers.own_note.get() {
        note if note.is_empty() && is_refused.get() => page.state.with(strings::still_shown),
        note => note,
    };
    let apply = move || {
        let pasted = text.get_untracked().map(|area| area.value()).unwrap_or_default();
        own.take_given(TableSource::text(&pasted));
    };
    view! {
        <label for="own-text" class="note">{strings::own_hint()}</label>
        <textarea
            id="own-text"
            node_ref=text
            rows="4"
            spellcheck="false"
            autocomplete="off"
            aria-describedby="own-problem"
            placeholder=strings::OWN_PLACEHOLDER
        ></textarea>
        <div class="own-tools">
            <button type="button" id="own-apply" on:click=move |_| apply()>{strings::apply()}</button>
            <FileButton id="own-file" then=Callback::new(move |(name, bytes)| own.take_file(name, bytes))/>
        </div>
        <ProblemAt place=PLACE_OWN/>
        <Answers place=PLACE_OWN/>
        <p class="note" role="status" data-testid="own-note">{note}</p>
        <OwnWeightsForm/>
        <p class="note" data-testid="address-note" hidden=move || page.address.holds.get()>{strings::address_too_short()}</p>
        <Export/>
    }
}

/// The weights to choose from, with their ids.
const OFFERED: [(&str, WeightChoice); 4] = [
    ("own-weights-minus", WeightChoice::IdentityMinus),
    ("own-weights-plus", WeightChoice::IdentityPlus),
    ("own-weights-random", WeightChoice::Random),
    ("own-weights-own", WeightChoice::Own),
];

/// The weights to choose from, and a box for each own matrix.
#[component]
pub fn OwnWeightsForm() -> impl IntoView {
    let own = use_own();
    let page = own.page;
    let group = NodeRef::<Fieldset>::new();
    let chosen = memo(move |_| page.state.with(|state| state.weights));
    let is_skew = memo(move |_| page.state.with(|state| state.tokens == TokenChoice::Skew));
    let pick = move |choice: WeightChoice| {
        own.panels.matrices.set(choice == WeightChoice::Own);
        if choice == WeightChoice::Own && page.state.with_untracked(|state| state.own_weights.is_none()) {
            return;
        }
        own.are_weights_asked.set(false);
        page.edit(PLACE_OWN_WEIGHTS, |state| state.choose_weights(choice));
        page.answers.own_note.set(page.state.with_untracked(strings::applied));
    };
    // Scrolls a new question into sight.
    effect(move |_| {
        if own.are_weights_asked.get()
            && let Some(group) = group.get()
        {
            request_animation_frame(move || group.scroll_into_view_with_bool(false));
        }
    });
    // The sentence about a problem stands under the choices, perhaps outside the visible part.
    effect(move |_| {
        if page
            .answers
            .problem
            .with(|problem| problem.as_ref().is_some_and(|problem| problem.place == PLACE_OWN_WEIGHTS))
        {
            request_animation_frame(|| {
                if let Some(sentence) = document().get_element_by_id("own-weights-problem") {
                    sentence.scroll_into_view_with_bool(false);
                }
            });
        }
    });
    let option = move |(id, choice): (&'static str, WeightChoice)| {
        let is_chosen = move || match own.panels.matrices.get() {
            true => choice == WeightChoice::Own,
            false => choice == chosen.get() && !is_skew.get(),
        };
        view! {
            <label class="own-choice" for=id>
                <input type="radio" name="own-weights" id=id prop:checked=is_chosen disabled=move || is_skew.get() on:change=move |_| pick(choice)/>
                <span>{strings::own_weight(choice)}</span>
            </label>
        }
    };
    view! {
        <fieldset class="own-weights" id="own-weights" node_ref=group class:asked=move || own.are_weights_asked.get()>
            <legend>{strings::own_weights()}</legend>
            <p class="note" role="status" data-testid="own-weights-question" hidden=move || !own.are_weights_asked.get()>
                {move || page.state.with(strings::own_weights_question)}
            </p>
            <div class="own-choices">{OFFERED.map(option).collect_view()}</div>
            <Show when=move || own.panels.matrices.get()><Matrices/></Show>
            <ProblemAt place=PLACE_OWN_WEIGHTS/>
            <Answers place=PLACE_OWN_WEIGHTS/>
        </fieldset>
    }
}

/// A button for each answer, while a question is open.
#[component]
pub fn Answers(
    /// Where the question stands: beside the tokens or beside the weights.
    place: &'static str,
) -> impl IntoView {
    let own = use_own();
    let asked = memo(move |_| {
        own.question.with(|asked| {
            let here = asked.as_ref().filter(|asked| (asked.table() == Table::Tokens) == (place == PLACE_OWN));
            here.map(|asked| asked.question())
        })
    });
    let button = move |(answer, text): (TableAnswer, &'static str)| {
        view! { <button type="button" on:click=move |_| own.answer(answer)>{text}</button> }
    };
    view! {
        <div class="own-tools" data-testid=format!("{place}-answers") hidden=move || asked.get().is_none()>
            {move || asked.get().map(|question| TableAnswer::to(question).into_iter().zip(strings::own_answers(question)).map(button).collect_view())}
        </div>
    }
}

/// What can be exported.
#[component]
pub fn Export() -> impl IntoView {
    let page = use_page();
    let note = RwSignal::new("");
    let measurement = move || {
        let measured = page.answers.measured.get_untracked();
        measured.map_or_else(String::new, |measured| pretty(&measured.measurement.to_value()))
    };
    let script = move |dialect: Dialect| {
        view! {
            <button type="button" id=format!("export-{}", dialect.id()) title=strings::script_hint(dialect) on:click=move |_| ask_script(page, dialect)>
                {strings::script_name(dialect)}
            </button>
        }
    };
    view! {
        <p class="note">{strings::export_hint()}</p>
        <div class="own-tools">
            <button type="button" id="export-copy" on:click=move |_| copy(experiment_text(page), note)>{strings::copy_experiment()}</button>
            <button type="button" id="export-link" on:click=move |_| copy_link(page, note)>{strings::copy_link()}</button>
            <button type="button" id="export-download" on:click=move |_| download("lipscope-experiment.json", "application/json", &experiment_text(page))>
                {strings::download_experiment()}
            </button>
            <button type="button" id="export-measurement" on:click=move |_| download("lipscope-measurement.json", "application/json", &measurement())>
                {strings::download_measurement()}
            </button>
            {Dialect::ALL.map(script).collect_view()}
            <span role="status">{move || note.get()} {strings::between_sentences()} {move || page.answers.script_note.get()}</span>
        </div>
    }
}
