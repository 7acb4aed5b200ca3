//! A lesson on paper: the text of all its steps, with room for what the page computes.

use crate::prelude::*;

use crate::lessons::{Goal, Lesson, Piece, Slot, Step, pieces};
use crate::page::use_page;
use crate::state::{LessonAt, Scene, Stage};
use crate::strings;

use super::context::Classroom;
use super::course::step_now;
use super::handout_figure::figure;
use super::prose::where_line;

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
    view! {
        <section class="handout-step">
            <h2>{strings::lesson_heading(at, lesson.n_tasks(), step.title.now())}</h2>
            // What appears after a goal is the answer: it is not printed above the question.
            {step.text.iter().filter(|paragraph| paragraph.when.is_empty()).map(|paragraph| view! { <Paragraph step text=paragraph.text.now()/> }).collect_view()}
            {(!step.goals.is_empty()).then(|| figure(step))}
            <Tasks step/>
            {step.source.map(|source| view! {
                <div class="handout-source">{strings::lesson_source()} <Paragraph step text=source.now()/></div>
            })}
            <p class="handout-link">{page.link_of(&scene)}</p>
        </section>
    }
}

/// What is to be done: the question with its choices to tick, or the goals.
#[component]
fn Tasks(
    /// The step.
    step: &'static Step,
) -> impl IntoView {
    let box_of = |words: &'static str| view! { <li><span aria-hidden="true">"☐ "</span>{words}</li> };
    let (answers, goals): (Vec<&Goal>, Vec<&Goal>) = step.goals.iter().partition(|goal| goal.is_an_answer());
    let question = |goal: &Goal| view! { <p class="handout-task"><strong>{goal.words.now()}</strong></p> };
    view! {
        {answers.into_iter().map(question).collect_view()}
        <ul class="handout-boxes">{step.choices.iter().map(|choice| box_of(choice.words.now())).collect_view()}</ul>
        {(!goals.is_empty()).then(|| view! { <p class="handout-task"><strong>{strings::goals()}</strong></p> })}
        <ul class="handout-boxes">{goals.into_iter().map(|goal| box_of(goal.words.now())).collect_view()}</ul>
    }
}

/// A text for paper: words in place of buttons, a gap in place of each number that the page computes, and in place of a
/// slider a line that says what can be set.
#[component]
fn Paragraph(
    /// The step, whose settings stand in the text.
    step: &'static Step,
    /// The text.
    text: &'static str,
) -> impl IntoView {
    // Tests reject a text whose places name nothing.
    let all = pieces(text).unwrap_or_default();
    let slider = all.iter().find_map(|piece| match piece {
        Piece::Slider(handle) => {
            let ends = (strings::count(handle.from), strings::count(handle.to));
            Some(strings::handout_range(ends.0, ends.1, strings::lesson_handle(handle.field.key())))
        }
        _ => None,
    });
    let count = all.len();
    let is_press = |at: usize| matches!(all.get(at), Some(Piece::Press(..)));
    let of = |(at, piece): (usize, Piece)| match piece {
        // The words between two buttons are a blank.
        Piece::Words(words) if words.trim().is_empty() && at > 0 && is_press(at - 1) && is_press(at + 1) => {
            strings::handout_between().into_any()
        }
        Piece::Words(words) if matches!(all.get(at + 1), Some(Piece::Slider(_))) => ended(words).into_any(),
        Piece::Words(words) => words.into_any(),
        Piece::Value(Slot::Chosen(field)) => strings::count(field.get(step.scene())).into_any(),
        Piece::Value(_) => view! { <span class="handout-gap">{strings::HANDOUT_GAP}</span> }.into_any(),
        Piece::Formula(formula) => view! { {formula.view()} {where_line(step, formula)} }.into_any(),
        Piece::Press(words, _) if at + 1 == count => format!("{words}{}", strings::handout_stop()).into_any(),
        Piece::Press(words, _) => words.into_any(),
        Piece::Slider(_) | Piece::Share => ().into_any(),
        Piece::Link(words, address) => view! { <a href=address>{words}</a> }.into_any(),
    };
    let parts = all.iter().copied().enumerate().map(of).collect_view();
    view! {
        <div class="handout-text">{parts}</div>
        {slider.map(|range| view! { <p class="handout-range">{range}</p> })}
    }
}

/// The words before a slider, with a full stop in place of what leads to it.
fn ended(words: &str) -> String {
    let kept = words.trim_end().trim_end_matches([':', '：']);
    let is_sentence = kept.ends_with(['.', '。', '?', '？']);
    if is_sentence { kept.to_owned() } else { format!("{kept}{}", strings::handout_stop()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_led_to_a_slider_ends() {
        assert_eq!(ended(", and the largest column sum: "), ", and the largest column sum.");
        assert_eq!(ended(": "), ".");
        assert_eq!(ended(". "), ".");
        assert_eq!(ended(" the norm. Other n: "), " the norm. Other n.");
    }
}
