//! The list of lessons, and the button that opens it.

use crate::prelude::*;

use crate::lessons::{Lesson, lessons};
use crate::strings;

use super::context::use_classroom;
use super::course;

/// The button in the head of the page.
#[component]
pub fn LessonsButton() -> impl IntoView {
    let room = use_classroom();
    let is_open = memo(move |_| course::is_taught(room));
    view! {
        <button
            type="button"
            id="lessons-open"
            title=strings::lessons_hint()
            aria-expanded=move || is_open.get().to_string()
            // The panel comes with the later part of the page.
            aria-controls=move || room.later.table().map(|_| "lesson-panel")
            on:click=move |_| if is_open.get_untracked() { course::leave(room) } else { course::show_list(room) }
        >
            {strings::lessons()}
        </button>
    }
}

/// Every lesson with a line about it.
#[component]
pub fn LessonList() -> impl IntoView {
    let room = use_classroom();
    let line = move |(at, lesson): (usize, &'static Lesson)| {
        view! {
            <li>
                <button type="button" class="lesson-pick" data-lesson=lesson.id on:click=move |_| course::open(room, lesson)>
                    <span class="lesson-name">{strings::lesson_number(at + 1, lesson.title.now())}</span>
                    <span class="note">{lesson.summary.now()} {strings::between_sentences()} {strings::lesson_minutes(lesson.minutes)}</span>
                </button>
            </li>
        }
    };
    view! {
        <p class="note">{strings::lessons_about()}</p>
        <ol class="lesson-list">{lessons().iter().enumerate().map(line).collect_view()}</ol>
    }
}
