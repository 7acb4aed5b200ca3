//! The fold in which a student makes an answer code.

use crate::prelude::*;
use leptos::ev;

use crate::files::copy;
use crate::lessons::{Done, MOST_NAME};
use crate::strings;

use super::context::use_classroom;
use super::course::step_now;
use super::notebook::{hand_in, use_notebook};

/// The name of the student, and the code, made while the fold is open.
#[component]
pub fn HandInFold() -> impl IntoView {
    let (room, notebook) = (use_classroom(), use_notebook());
    let is_open = RwSignal::new(false);
    let note = RwSignal::new("");
    let code = memo(move |_| {
        is_open.get().then(|| hand_in(room, notebook)).flatten().map_or_else(String::new, |answer| answer.code())
    });
    let done = memo(move |_| {
        let (lesson, ..) = step_now(room)?;
        let Done { steps, of, right, answered } = notebook.records.with(|records| records.of(lesson).done(lesson));
        Some(strings::progress((steps, of), (right, answered))).filter(|words| !words.is_empty())
    });
    let on_toggle = move |event: ev::Event| is_open.set(event_target::<web_sys::Element>(&event).has_attribute("open"));
    view! {
        // The element is kept from step to step, and would stay open without a code.
        <details class="hand-in" id="hand-in" prop:open=is_open on:toggle=on_toggle>
            <summary>{strings::hand_in()}</summary>
            <p class="note">{strings::hand_in_about()}</p>
            <p class="note" data-testid="hand-in-done">{move || done.get().map(strings::hand_in_done)}</p>
            <label for="hand-in-name">{strings::hand_in_name()}</label>
            <input
                type="text"
                id="hand-in-name"
                maxlength=MOST_NAME
                autocomplete="off"
                prop:value=notebook.name
                on:input:target=move |event| notebook.name.set(event.target().value())
            />
            <div class="hand-in-code">
                <input type="text" id="hand-in-code" readonly aria-label=strings::hand_in_code() prop:value=code/>
                <button type="button" id="hand-in-copy" on:click=move |_| copy(code.get_untracked(), note)>{strings::hand_in_copy()}</button>
                <span class="note" role="status">{move || note.get()}</span>
            </div>
        </details>
    }
}
