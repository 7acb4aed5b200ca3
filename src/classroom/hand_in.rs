//! What an assignment asks for, and the fold in which a student makes an answer code.

use crate::prelude::*;
use leptos::ev;
use leptos::html::Details;

use crate::files::copy;
use crate::lessons::{Done, MOST_NAME};
use crate::strings;
use crate::whole_text::WholeText;

use super::context::{Classroom, use_classroom};
use super::course::{self, step_now};
use super::in_sight::show_soon;
use super::notebook::{Notebook, hand_in, use_notebook};

/// How much is done of what was asked for, or of the lesson; `None` outside of lessons.
fn done_now(room: Classroom, notebook: Notebook) -> Option<Done> {
    let (lesson, ..) = step_now(room)?;
    let assigned = course::step_assigned(room, lesson);
    Some(notebook.records.with(|records| records.of(lesson).done(lesson, assigned)))
}

/// Whether all that an assignment asks for is done; false where the link is no assignment.
fn is_assignment_done(room: Classroom, notebook: Notebook) -> bool {
    course::is_assigned(room) && done_now(room, notebook).is_some_and(Done::is_all)
}

/// What the link asks for, over the text of a step.
#[component]
pub fn Assignment() -> impl IntoView {
    let room = use_classroom();
    let words = memo(move |_| {
        let (lesson, at, _) = step_now(room)?;
        let assigned = course::assigned_of(room, lesson)?;
        Some(strings::assignment(assigned.step, at, lesson.n_tasks()))
    });
    view! { <p class="note" data-testid="assignment" hidden=move || words.with(Option::is_none)>{move || words.get()}</p> }
}

/// The sentence that sends the student to the answer code, once all that was asked for is done.
#[component]
pub fn AssignmentDone() -> impl IntoView {
    let (room, notebook) = (use_classroom(), use_notebook());
    let is_done = memo(move |_| is_assignment_done(room, notebook));
    view! { <p class="assignment-done" role="status" data-testid="assignment-done">{move || is_done.get().then(strings::assignment_done)}</p> }
}

/// The name of the student, and the code, made while the fold is open. It opens by itself where an assignment ends.
#[component]
pub fn HandInFold() -> impl IntoView {
    let (room, notebook) = (use_classroom(), use_notebook());
    let is_done = memo(move |_| is_assignment_done(room, notebook));
    let is_open = RwSignal::new(untrack(|| is_done.get()));
    let note = RwSignal::new("");
    let fold = NodeRef::<Details>::new();
    let code = memo(move |_| {
        is_open.get().then(|| hand_in(room, notebook)).flatten().map_or_else(String::new, |answer| answer.code())
    });
    let done = memo(move |_| {
        let Done { steps, of, right, answered } = done_now(room, notebook)?;
        Some(strings::handed_in_progress((steps, of), (right, answered)))
    });
    effect(move |_| {
        if is_done.get() {
            set_if_new(is_open, true);
        }
    });
    let on_toggle = move |event: ev::Event| {
        let is_by_page = is_open.get_untracked();
        is_open.set(event_target::<web_sys::Element>(&event).has_attribute("open"));
        if is_open.get_untracked() && !is_by_page {
            // The contents may be below the screen.
            show_soon(move || fold.get_untracked().map(Into::into).into_iter().collect());
        }
    };
    view! {
        // The element is kept from step to step, and would stay open without a code.
        <details class="hand-in" id="hand-in" node_ref=fold prop:open=is_open on:toggle=on_toggle>
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
                <WholeText id="hand-in-code" label=strings::hand_in_code().to_owned() text=code/>
                <button type="button" id="hand-in-copy" on:click=move |_| copy(code.get_untracked(), note)>{strings::hand_in_copy()}</button>
                <span class="note" role="status">{move || note.get()}</span>
            </div>
        </details>
    }
}
