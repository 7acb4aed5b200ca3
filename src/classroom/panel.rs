//! The panel of the lessons: the list, or a step with its text and its buttons.

use crate::prelude::*;
use leptos::html::{Div, H2};

use crate::frame::{focus_main, focus_soon};
use crate::lessons::{Done, Lesson, Prediction, Records, Step, lessons, next_after};
use crate::strings;

use super::context::{Classroom, use_classroom};
use super::goals::Goals;
use super::guess_words::{off_words, right_choice};
use super::hand_in::{Assignment, AssignmentDone, HandInFold};
use super::in_sight::show_soon;
use super::lecturer::ClassSheet;
use super::notebook::use_notebook;
use super::prose::{Afterwards, Prose, Text};
use super::{course, guess, question};

/// Whether the panel is shown, whether it shows the list, and the step.
type Place = (bool, bool, Option<(&'static str, usize)>);

/// The panel, in the place of the controls. On a phone it covers the foot of the page.
#[component]
pub fn LessonPanel() -> impl IntoView {
    let room = use_classroom();
    let step = memo(move |_| course::step_now(room).map(|(lesson, step, _)| (lesson.id, step)));
    let is_list = memo(move |_| room.list_open.get() && step.get().is_none());
    let is_shown = memo(move |_| is_list.get() || step.get().is_some());
    let heading = NodeRef::<H2>::new();
    let body = NodeRef::<Div>::new();
    let title = move || match course::step_now(room) {
        Some((.., step)) => step.title.now(),
        None => strings::lessons(),
    };
    let over = move || course::step_now(room).map_or("", |(lesson, ..)| lesson.title.now());
    let spoken = move || {
        course::step_now(room)
            .map(|(lesson, at, step)| strings::lesson_said(at, lesson.n_tasks(), step.title.now()))
            .unwrap_or_default()
    };
    // When the reader opens the panel or a step, the focus goes to the panel's heading. When the reader closes the
    // panel, the focus returns to the button that opens it.
    // Each step begins at its heading too: the buttons and sliders of its text come next.
    let place = memo(move |_| (is_shown.get(), is_list.get(), step.get()));
    effect(move |before: Option<Place>| {
        let now = place.get();
        // The panel is built when the list is first opened, or for a lesson in a link. A link leaves the focus where it
        // is.
        if before.is_none() && now.1 {
            focus_soon(move || heading.get_untracked().map(Into::into));
        }
        if let Some(before) = before.filter(|before| *before != now) {
            if now.0 {
                focus_soon(move || heading.get_untracked().map(Into::into));
            } else if before.0 {
                focus_soon(|| document().get_element_by_id("lessons-open"));
            }
        }
        now
    });
    effect(move |_| {
        step.track();
        if let Some(body) = body.get_untracked() {
            body.set_scroll_top(0);
        }
    });
    view! {
        <section class="lesson" id="lesson-panel" aria-labelledby="lesson-heading" hidden=move || !is_shown.get() data-lesson=move || step.get().map_or("", |(id, _)| id) data-step=move || step.get().map_or_else(String::new, |(_, at)| at.to_string())>
            <div class="lesson-head">
                <p class="lesson-over" hidden=move || is_list.get()>{over}</p>
                <button type="button" id="lesson-list" title=strings::lesson_all_hint() hidden=move || is_list.get() on:click=move |_| course::show_list(room)>{strings::lesson_all()}</button>
                <button type="button" id="lesson-close" aria-label=strings::lesson_close() title=strings::lesson_close() on:click=move |_| course::leave(room)>"×"</button>
            </div>
            <div class="lesson-body" node_ref=body tabindex="0" role="group" aria-labelledby="lesson-heading">
                <h2 id="lesson-heading" node_ref=heading tabindex="-1">{title}</h2>
                <a class="lesson-skip" href="#main" hidden=is_list on:click=skip_to_plot>{strings::skip()}</a>
                {move || match step.get() {
                    Some(_) => view! { <StepText/> }.into_any(),
                    None => view! { <LessonList/> }.into_any(),
                }}
            </div>
            <StepFoot/>
        </section>
        <p class="sr-only" aria-live="polite" data-testid="lesson-said">{spoken}</p>
    }
}

fn skip_to_plot(event: leptos::ev::MouseEvent) {
    // Following this link would add an entry to the history without a scene.
    event.prevent_default();
    focus_main();
}

/// The button in the head of the page that opens and closes the lessons.
#[component]
pub fn LessonsButton() -> impl IntoView {
    let room = use_classroom();
    let is_open = memo(move |_| course::is_panel_open(room));
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
    let (room, notebook) = (use_classroom(), use_notebook());
    let line = move |(at, lesson): (usize, &'static Lesson)| {
        let done = memo(move |_| notebook.records.with(|records| records.of(lesson).done(lesson, None)));
        let words = move || {
            let Done { steps, of, right, answered } = done.get();
            strings::progress((steps, of), (right, answered))
        };
        view! {
            <li>
                <button type="button" class="lesson-pick" data-lesson=lesson.id on:click=move |_| course::open(room, lesson)>
                    <span class="lesson-name">
                        {strings::lesson_number(at + 1, lesson.title.now())} " "
                        <span class="lesson-done" aria-hidden="true">{move || if done.get().is_all() { "✓" } else { "" }}</span>
                    </span>
                    <span class="note">{lesson.summary.now()} {strings::between_sentences()} {strings::lesson::minutes(lesson.minutes)}</span>
                    <span class="note" data-testid="lesson-done">{words}</span>
                </button>
            </li>
        }
    };
    view! {
        <p class="note">{strings::lessons_about()}</p>
        <ol class="lesson-list">{lessons().iter().enumerate().map(line).collect_view()}</ol>
        <div class="lesson-record">
            <ClassSheet/>
            <Forget/>
        </div>
    }
}

/// Forgets the reader's progress, at the second press.
#[component]
fn Forget() -> impl IntoView {
    let notebook = use_notebook();
    let is_sure = RwSignal::new(false);
    let is_empty = memo(move |_| notebook.records.with(Records::is_empty));
    let on_click = move |_| {
        if is_sure.get_untracked() {
            notebook.clear();
        }
        is_sure.update(|sure| *sure = !*sure);
    };
    view! {
        <button type="button" id="progress-clear" hidden=is_empty on:blur=move |_| is_sure.set(false) on:click=on_click>
            {move || if is_sure.get() { strings::progress_clear_sure() } else { strings::progress_clear() }}
        </button>
        <p class="note" hidden=is_empty>{strings::progress_kept()}</p>
    }
}

/// The text of the step, the place for the reader's prediction, the goals, and the source of the result.
#[component]
fn StepText() -> impl IntoView {
    let room = use_classroom();
    untrack(|| course::step_now(room)).map(|(lesson, at, step)| {
        let next = next_after(lesson).filter(|_| at + 1 == lesson.steps.len());
        let (asked, answered) = (NodeRef::<Div>::new(), NodeRef::<Div>::new());
        show_verdict(room, asked, answered);
        view! {
            <Assignment/>
            <Prose step/>
            <div node_ref=asked>
                {match step.prediction {
                    Prediction::None => ().into_any(),
                    Prediction::Choice(_) => view! { <ChoiceBox step/> }.into_any(),
                    Prediction::Curve | Prediction::Mark => view! { <GuessBox/> }.into_any(),
                }}
            </div>
            {(!step.goals.is_empty()).then(|| view! { <Goals step/> })}
            <AssignmentDone/>
            <div node_ref=answered><Afterwards step/></div>
            {next.map(|next| view! {
                <p class="lesson-up-next">
                    {strings::lesson_up_next()}
                    <button type="button" id="lesson-up-next" data-lesson=next.id on:click=move |_| course::open(room, next)>{next.title.now()}</button>
                </p>
            })}
            <HandInFold/>
            {step.source.map(|source| view! {
                <div class="lesson-source"><span>{strings::lesson_source()}</span> <Text step text=source.now()/></div>
            })}
        }
    })
}

/// Scrolls the verdict and the text after it into sight when the page has answered: here, and on the projector.
fn show_verdict(room: Classroom, asked: NodeRef<Div>, answered: NodeRef<Div>) {
    effect(move |before: Option<bool>| {
        let has_verdict = guess::settled(room).is_some();
        if has_verdict && before == Some(false) {
            show_soon(move || {
                let found = [asked.get_untracked(), answered.get_untracked()];
                found.into_iter().flatten().map(Into::into).collect()
            });
        }
        has_verdict
    });
}

/// The answers to choose from. After the choice, a sentence says which one is right.
#[component]
fn ChoiceBox(
    /// The step that asks the question.
    step: &'static Step,
) -> impl IntoView {
    let room = use_classroom();
    let chosen = memo(move |_| room.progress.with(|progress| progress.chosen));
    let words = memo(move |_| off_words(room));
    let right = memo(move |_| right_choice(room));
    let sign = move |id| match right.get() {
        Some(right) if right == id => "✓ ",
        Some(_) if chosen.get() == Some(id) => "✗ ",
        _ => "",
    };
    view! {
        <div class="lesson-guess">
            <div class="lesson-choices">
                {step.choices.iter().map(|choice| view! {
                    <button
                        type="button"
                        class="lesson-choice"
                        data-choice=choice.id
                        aria-pressed=move || (chosen.get() == Some(choice.id)).to_string()
                        // A button that is switched off loses the focus to the top of the page.
                        aria-disabled=move || chosen.get().is_some().to_string()
                        on:click=move |_| if chosen.get_untracked().is_none() { question::choose(room, step, choice.id) }
                    >
                        <span aria-hidden="true">{move || sign(choice.id)}</span>
                        {choice.words.now()}
                    </button>
                }).collect_view()}
            </div>
            <p class="guess-words" role="status" data-testid="guess-words">{move || words.get()}</p>
        </div>
    }
}

/// The button that reveals or covers the numbers, and a sentence that says how far off the guess is.
#[component]
fn GuessBox() -> impl IntoView {
    let room = use_classroom();
    let is_covered = memo(move |_| guess::is_covered(room));
    let has_guessed = memo(move |_| guess::has_guessed(room));
    let words = memo(move |_| off_words(room));
    view! {
        <div class="lesson-guess">
            <p class="guess-words" role="status" data-testid="guess-words">{move || words.get()}</p>
            <button
                type="button"
                id="guess-reveal"
                on:click=move |_| if is_covered.get_untracked() { guess::reveal(room) } else { question::guess_again(room) }
            >
                {move || match (is_covered.get(), has_guessed.get()) {
                    (true, true) => strings::reveal(),
                    (true, false) => strings::show_without_guessing(),
                    (false, true) => strings::guess_again(),
                    (false, false) => strings::guess_after_all(),
                }}
            </button>
        </div>
    }
}

/// The buttons back and on, the reader's place between them, and the way back to the settings before the lessons.
#[component]
fn StepFoot() -> impl IntoView {
    let room = use_classroom();
    let at = memo(move |_| course::step_now(room).map(|(lesson, step, _)| (step, lesson.steps.len())));
    let tasks = memo(move |_| course::step_now(room).map_or(0, |(lesson, ..)| lesson.n_tasks()));
    let is_first = move || at.get().is_none_or(|(step, _)| step == 0);
    let is_last = move || at.get().is_some_and(|(step, steps)| step + 1 == steps);
    let progress = move || at.get().map_or_else(String::new, |(step, _)| strings::lesson_progress(step, tasks.get()));
    let share = move || at.get().map_or(0.0, |(step, steps)| (step + 1) as f64 / steps as f64);
    let is_over = memo(move |_| {
        course::step_now(room).is_none_or(|(.., step)| room.progress.with(|progress| progress.is_over(step)))
    });
    let is_changed = memo(move |_| course::is_changed(room));
    view! {
        <div class="lesson-foot">
            <div class="lesson-way" hidden=move || at.get().is_none()>
                <button type="button" id="lesson-back" aria-disabled=move || is_first().to_string() on:click=move |_| course::go_by(room, -1)>{strings::lesson_back()}</button>
                <span class="lesson-progress" data-testid="lesson-progress" style=move || format!("--at:{}", share())>{progress}</span>
                <button type="button" id="lesson-next" class="lesson-next" class:skips=move || !is_over.get() on:click=move |_| course::go_by(room, 1)>
                    {move || if is_last() { strings::lesson_end() } else if is_over.get() { strings::lesson_next() } else { strings::lesson_skip() }}
                </button>
            </div>
            <Leaving/>
            <div class="lesson-states" hidden=room.is_leaving>
                <button type="button" id="lesson-again" title=strings::lesson_again_hint() hidden=move || !is_changed.get() on:click=move |_| course::again(room)>{strings::lesson_again()}</button>
                <button type="button" id="lesson-restore" title=strings::lesson_restore_hint() hidden=move || room.before.with(Option::is_none) on:click=move |_| course::restore(room)>{strings::lesson_restore()}</button>
            </div>
        </div>
    }
}

/// Asks which configuration the reader leaves a lesson with.
#[component]
fn Leaving() -> impl IntoView {
    let room = use_classroom();
    let is_leaving = room.is_leaving;
    let keep = NodeRef::<leptos::html::Button>::new();
    effect(move |_| {
        if is_leaving.get() {
            focus_soon(move || keep.get_untracked().map(Into::into));
        }
    });
    view! {
        <div class="lesson-leaving" role="group" aria-label=strings::leave_question() hidden=move || !is_leaving.get()>
            <p>{strings::leave_question()}</p>
            <button type="button" id="lesson-keep" node_ref=keep on:click=move |_| course::close(room)>{strings::leave_keep()}</button>
            <button type="button" id="lesson-mine" on:click=move |_| course::restore(room)>{strings::leave_mine()}</button>
            <button type="button" id="lesson-stay" on:click=move |_| is_leaving.set(false)>{strings::leave_stay()}</button>
        </div>
    }
}
