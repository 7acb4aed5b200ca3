//! A lesson on paper: the text of all its steps, with room for what the page computes.

use crate::prelude::*;

use crate::lessons::{Lesson, Piece, Slot, Step, pieces};
use crate::page::use_page;
use crate::state::{LessonAt, Scene, Stage};
use crate::strings;

use super::context::Classroom;
use super::course::step_now;

/// The lesson that the reader is in, on paper; `None` outside of lessons.
pub fn handout(room: Classroom) -> Option<AnyView> {
    let (lesson, ..) = untrack(|| step_now(room))?;
    Some(view! { <Handout lesson/> }.into_any())
}

/// All steps of a lesson, each with its text, its goals, its choices, its source and its link.
#[component]
fn Handout(
    /// The lesson.
    lesson: &'static Lesson,
) -> impl IntoView {
    let step = move |(at, step): (usize, &'static Step)| view! { <HandoutStep lesson at step/> };
    view! {
        <article class="handout" data-lesson=lesson.id>
            <h1>{lesson.title.now()}</h1>
            <p class="note">{lesson.summary.now()} {strings::between_sentences()} {strings::lesson::minutes(lesson.minutes)}</p>
            <p class="note">{strings::handout_about()}</p>
            {lesson.steps.iter().enumerate().map(step).collect_view()}
        </article>
    }
}

#[component]
fn HandoutStep(
    /// The lesson.
    lesson: &'static Lesson,
    /// Which step of it, from zero.
    at: usize,
    /// The step.
    step: &'static Step,
) -> impl IntoView {
    let page = use_page();
    let scene =
        Scene { lesson: Some(LessonAt { id: lesson.id.into(), step: at }), stage: Stage::Full, ..step.scene().clone() };
    let box_of = |words: &'static str| view! { <li><span aria-hidden="true">"☐ "</span>{words}</li> };
    view! {
        <section class="handout-step">
            <h2>{strings::lesson_heading(at, lesson.n_tasks(), step.title.now())}</h2>
            // What appears after a goal is the answer: it is not printed above the question.
            {step.text.iter().filter(|paragraph| paragraph.when.is_empty()).map(|paragraph| view! { <Paragraph step text=paragraph.text.now()/> }).collect_view()}
            <ul class="handout-boxes">
                {step.choices.iter().map(|choice| box_of(choice.words.now())).collect_view()}
                {step.goals.iter().map(|goal| box_of(goal.words.now())).collect_view()}
            </ul>
            {step.source.map(|source| view! {
                <div class="handout-source">{strings::lesson_source()} <Paragraph step text=source.now()/></div>
            })}
            <p class="handout-link">{page.link_of(&scene)}</p>
        </section>
    }
}

/// A text in which words stand for the controls, and a gap stands for each number that the page computes.
#[component]
fn Paragraph(
    /// The step, whose settings stand in the text.
    step: &'static Step,
    /// The text.
    text: &'static str,
) -> impl IntoView {
    let of = move |piece: Piece| match piece {
        Piece::Words(words) => words.into_any(),
        Piece::Value(Slot::Chosen(field)) => strings::count(field.get(step.scene())).into_any(),
        Piece::Value(_) => view! { <span class="handout-gap">{strings::HANDOUT_GAP}</span> }.into_any(),
        Piece::Formula(formula) => formula.view(),
        Piece::Slider(handle) => {
            let ends = (strings::count(handle.from), strings::count(handle.to));
            strings::handout_range(ends.0, ends.1, strings::lesson_handle(handle.field.key())).into_any()
        }
        Piece::Press(words, _) => view! { <span class="handout-press">{words}</span> }.into_any(),
        Piece::Share => ().into_any(),
        Piece::Link(words, address) => view! { <a href=address>{words}</a> }.into_any(),
    };
    // Tests reject a text whose places name nothing.
    view! { <p>{pieces(text).unwrap_or_default().into_iter().map(of).collect_view()}</p> }
}
