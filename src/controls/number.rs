//! A number: its name, a box to type it in, and a slider under both.

use std::time::Duration;

use crate::prelude::*;
use leptos::ev;

use crate::field::Field;
use crate::frame::Debounce;
use crate::page::{Page, use_page};
use crate::state::PageState;
use crate::strings;

use super::beside::{ProblemAt, UnavailableControl};

/// How long typed text rests before the state takes it, or a sentence refuses it: a reader who types 128 does not mean
/// 1.
const PATIENCE: Duration = Duration::from_millis(700);

/// A number with a slider and a box. Both show and edit the value in the state.
#[component]
pub fn NumberField(
    /// The number to edit.
    field: &'static Field<PageState>,
    /// Why the reader cannot set it now, in a few words. While there is a reason, the field is not built.
    #[prop(optional, into)]
    fixed: Option<Signal<Option<&'static str>>>,
    /// Whether it has a slider.
    #[prop(default = true)]
    slider: bool,
    /// Its id, where the page has the same number twice; else the field's id.
    #[prop(optional)]
    id: Option<&'static str>,
) -> impl IntoView {
    let page = use_page();
    let id = id.unwrap_or(field.id);
    let (label, hint) = field.meaning();
    let value = memo(move |_| page.state.with(|state| field.used(state)));
    let fixed = fixed.unwrap_or_else(|| Signal::stored(None));
    let is_there = memo(move |_| fixed.get().is_none());
    view! {
        <div class="field">
            <Show when=move || is_there.get()>
                <div class="field-line">
                    <label for=if slider { id.to_owned() } else { format!("{id}-number") } title=hint>{label}</label>
                    <NumberBox field id value/>
                </div>
                {slider.then(|| view! { <Slider field id value/> })}
            </Show>
            <UnavailableControl id label reason=fixed/>
            <ProblemAt place=id/>
        </div>
    }
}

/// The slider of a number.
#[component]
fn Slider(
    /// The number to edit.
    field: &'static Field<PageState>,
    /// The id of the field.
    id: &'static str,
    /// The value that is used.
    value: Memo<f64>,
) -> impl IntoView {
    let page = use_page();
    let rungs = memo(move |_| page.state.with(|state| field.rungs(state)));
    let rung = memo(move |_| rungs.with(|rungs| nearest_rung(rungs, value.get())));
    let on_input = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let at: usize = event.target().value().parse().unwrap_or(0);
        if let Some(value) = rungs.with_untracked(|rungs| rungs.get(at).copied()) {
            page.edit(id, |state| field.slide(state, value));
            // A stop that is not taken at present leaves the slider where the value is.
            event.target().set_value(&rung.get_untracked().to_string());
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        if event.key().starts_with("Arrow") || event.key().starts_with("Page") {
            page.held.set(true);
        }
    };
    let let_go = move || {
        if page.held.get_untracked() {
            page.held.set(false);
        }
    };
    view! {
        <input
            type="range"
            id=id
            min="0"
            max=move || rungs.with(|rungs| rungs.len().saturating_sub(1))
            step="1"
            prop:value=move || rung.get().to_string()
            aria-valuetext=move || field.text(value.get())
            style=move || format!("--at:{}", rungs.with(|rungs| share(rung.get(), rungs.len())))
            on:input:target=on_input
            on:pointerdown=move |_| page.held.set(true)
            on:pointerup=move |_| let_go()
            on:pointercancel=move |_| let_go()
            on:blur=move |_| let_go()
            on:keydown=on_key
            on:keyup=move |_| let_go()
            on:dblclick=move |_| reset(page, field, id)
        />
    }
}

/// The box of a number.
#[component]
fn NumberBox(
    /// The number to edit.
    field: &'static Field<PageState>,
    /// The id of the field.
    id: &'static str,
    /// The value that is used.
    value: Memo<f64>,
) -> impl IntoView {
    let page = use_page();
    // The text being typed. The box shows it while it has the focus, or while a sentence is about it.
    let draft = RwSignal::new(None::<String>);
    let has_focus = RwSignal::new(false);
    let is_wrong = memo(move |_| page.answers.problem.with(|p| p.as_ref().is_some_and(|p| p.place == id)));
    let shown = memo(move |_| match draft.get() {
        Some(text) if has_focus.get() || is_wrong.get() => text,
        _ => field.text(value.get()),
    });
    let typing = Debounce::default();
    // Whether the sentence at this box is about its typed text. A sentence about the number itself stays while the
    // reader types.
    let has_complained = StoredValue::new(false);
    let take = move |text: &str| match page.state.with_untracked(|state| field.accept(text, state)) {
        Ok(new) => {
            let was_wrong = has_complained.try_update_value(std::mem::take).unwrap_or(false);
            if new != value.get_untracked() {
                page.edit(id, |state| field.choose(state, new));
            } else if was_wrong {
                page.clear_problem();
            }
        }
        Err(fault) => {
            has_complained.set_value(true);
            page.complain(id, strings::number_fault(&fault));
        }
    };
    let on_input = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let text = event.target().value();
        draft.set(Some(text.clone()));
        typing.after(PATIENCE, move || take(&text));
    };
    let settle = move || {
        // A box that is removed while it has the focus loses the focus after its signals are gone.
        let Some(typed) = draft.try_get_untracked() else { return };
        typing.forget();
        if let Some(text) = typed {
            take(&text);
            if !is_wrong.get_untracked() {
                draft.set(None);
            }
        }
    };
    let on_key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "Enter" => settle(),
        "Escape" if draft.with_untracked(Option::is_some) => {
            // Escape takes back the typed text, and does nothing else.
            event.prevent_default();
            typing.forget();
            draft.set(None);
            page.clear_problem();
        }
        key @ ("ArrowUp" | "ArrowDown") => {
            event.prevent_default();
            draft.set(None);
            step(page, field, id, if key == "ArrowUp" { 1 } else { -1 });
        }
        _ => {}
    };
    view! {
        <input
            type="text"
            inputmode="decimal"
            autocomplete="off"
            spellcheck="false"
            class="number"
            id=format!("{id}-number")
            aria-label=strings::number_box(field.meaning().0)
            aria-invalid=move || is_wrong.get().then_some("true")
            aria-describedby=format!("{id}-problem")
            prop:value=move || shown.get()
            on:input:target=on_input
            on:focus=move |_| has_focus.set(true)
            on:blur=move |_| {
                has_focus.set(false);
                settle();
            }
            on:keydown=on_key
        />
    }
}

/// The index of the rung nearest a value; between two that are equally near, the upper one.
fn nearest_rung(rungs: &[f64], value: f64) -> usize {
    let above = rungs.partition_point(|rung| *rung < value);
    let Some(below) = above.checked_sub(1) else { return 0 };
    match (rungs.get(below), rungs.get(above)) {
        (Some(low), Some(high)) if high - value > value - low => below,
        (_, Some(_)) => above,
        _ => below,
    }
}

fn share(rung: usize, n_rungs: usize) -> f64 {
    rung as f64 / n_rungs.saturating_sub(1).max(1) as f64
}

/// Moves a number by one rung.
fn step(page: Page, field: &'static Field<PageState>, place: &'static str, by: isize) {
    let (rungs, now) = page.state.with_untracked(|state| (field.rungs(state), field.used(state)));
    let at = nearest_rung(&rungs, now).saturating_add_signed(by);
    if let Some(value) = rungs.get(at) {
        page.edit(place, |state| field.choose(state, *value));
    }
}

/// Puts a number back to where it is on a first visit.
fn reset(page: Page, field: &'static Field<PageState>, place: &'static str) {
    let first = field.used(&PageState::default());
    page.edit(place, |state| field.choose(state, first));
}
