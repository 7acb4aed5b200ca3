//! A lesson on paper: the text of all its steps, with room for what the page computes and for what a reader draws. Each
//! goal has a line for every number that it asks for. Buttons of the page become lines about what can be chosen there.

use crate::prelude::*;

use crate::field::AnyField;
use crate::lessons::{Condition, Goal, Lesson, Measured, Piece, Prediction, Quantity, Slot, Step, Way, pieces, slots};
use crate::link;
use crate::page::use_page;
use crate::state::{LessonAt, Scene, Stage};
use crate::strings;
use crate::theory::from_explorer;

use super::context::Classroom;
use super::course::step_now;
use super::handout_figure::{drawing_place, figure};
use super::handout_words;
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
    let line = |name: &'static str| view! { <span>{name} <span class="handout-gap wide"></span></span> };
    view! {
        <article class="handout" data-lesson=lesson.id>
            <p class="handout-who">{line(strings::handout_name())} {line(strings::handout_date())}</p>
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
            // The text flows beside the figure.
            {(!step.goals.is_empty()).then(|| figure(step))}
            <h2>{strings::lesson_heading(at, lesson.n_tasks(), step.title.now())}</h2>
            // What appears after a goal is the answer: it is not printed above the question.
            {step.text.iter().filter(|paragraph| paragraph.when.is_empty()).map(|paragraph| view! { <Paragraph step text=paragraph.text.now()/> }).collect_view()}
            <Tasks step/>
            {drawing_place(step)}
            {step.source.map(|source| view! {
                <div class="handout-source">{strings::lesson_source()} <Paragraph step text=source.now()/></div>
            })}
            <p class="handout-link">{page.link_of(&scene)}</p>
        </section>
    }
}

/// What is to be done: the question with its choices to tick, or the goals, each with lines for what it asks for.
#[component]
fn Tasks(
    /// The step.
    step: &'static Step,
) -> impl IntoView {
    let box_of = |words: &'static str| view! { <span aria-hidden="true">"☐ "</span> {words} };
    let (answers, goals): (Vec<&Goal>, Vec<&Goal>) = step.goals.iter().partition(|goal| goal.is_an_answer());
    let question = |goal: &Goal| view! { <p class="handout-task"><strong>{goal.words.now()}</strong></p> };
    let goal = |goal: &'static Goal| {
        let lines =
            asked_numbers(goal).into_iter().map(|name| view! { <span class="handout-line">{name} " = " <Gap/></span> });
        view! { <li>{box_of(goal.words.now())} <span class="handout-lines">{lines.collect_view()}</span></li> }
    };
    let page_says = matches!(step.prediction, Prediction::Choice(_)).then(|| {
        view! { <p class="handout-says">{strings::handout_says()} <span class="handout-gap whole"></span></p> }
    });
    view! {
        {answers.into_iter().map(question).collect_view()}
        <ul class="handout-boxes">{step.choices.iter().map(|choice| view! { <li>{box_of(choice.words.now())}</li> }).collect_view()}</ul>
        {page_says}
        {(!goals.is_empty()).then(|| view! { <p class="handout-task"><strong>{strings::goals()}</strong></p> })}
        <ul class="handout-boxes">{goals.into_iter().map(goal).collect_view()}</ul>
    }
}

/// The names of the numbers that a goal asks for: the control that reaches it, and what it compares.
fn asked_numbers(goal: &Goal) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: Option<&str>| {
        if let Some(name) = name.filter(|name| !names.iter().any(|known| known == name)) {
            names.push(name.to_owned());
        }
    };
    let of_field = |field: AnyField| handout_words::control(field.key());
    if let Way::Fields(fields) = goal.way {
        for field in fields.split('&').filter_map(|field| link::number(field.split_once('=')?.0)) {
            add(of_field(field));
        }
    }
    for condition in &goal.conditions {
        // A side without a number is what the goal compares; a limit such as n <= 16 is a setting, and no question.
        let Condition::AtLeast(more, less) = condition else { continue };
        for side in [more, less] {
            if let Quantity::Slot(slot) = side {
                add(handout_words::number(*slot));
            }
        }
    }
    names
}

/// Room for a number.
#[component]
fn Gap() -> impl IntoView {
    view! { <span class="handout-gap">{strings::HANDOUT_GAP}</span> }
}

/// Room for what the page computes at a place, with the sign and the unit that make the sentence one without the page.
fn gap(slot: Slot) -> AnyView {
    let before = handout_words::sign(slot);
    let times = matches!(slot, Slot::Measured(Measured::Times(_))).then_some("\u{a0}×");
    if slot.is_in_words() {
        return view! { <span class="handout-gap whole"></span> }.into_any();
    }
    view! { <span class="handout-value">{before} {(!before.is_empty()).then_some("\u{a0}")} <Gap/> {times}</span> }
        .into_any()
}

/// A text for paper: a gap in place of each number that the page computes, and under it, in place of a slider or of
/// buttons, a line that says what can be set.
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
            Some(
                strings::handout_range { from: ends.0, to: ends.1, what: strings::lesson_handle(handle.field.key()) }
                    .text(),
            )
        }
        _ => None,
    });
    let choices: Vec<&str> = all
        .iter()
        .filter_map(|piece| match piece {
            Piece::Press(words, _) => Some(*words),
            _ => None,
        })
        .collect();
    // A line of its own ends its sentence.
    let is_line = |at: usize| matches!(all.get(at), Some(Piece::Value(slot)) if slot.is_in_words());
    let is_control = |at: usize| matches!(all.get(at), Some(Piece::Slider(_) | Piece::Press(..)));
    let of = |(at, piece): (usize, Piece)| match piece {
        // Between two buttons.
        Piece::Words(words) if words.trim().is_empty() && at > 0 && is_control(at - 1) => ().into_any(),
        Piece::Words("." | "。") if at > 0 && is_line(at - 1) => ().into_any(),
        Piece::Words(words) if is_control(at + 1) => ended(words).into_any(),
        Piece::Words(words) => words.into_any(),
        Piece::Value(Slot::Chosen(field)) => strings::count(field.get(step.scene())).into_any(),
        Piece::Value(slot) => gap(slot),
        Piece::Formula(formula) => view! { {formula.view()} {where_line(step, formula)} }.into_any(),
        Piece::Press(..) | Piece::Slider(_) | Piece::Share => ().into_any(),
        Piece::Link(words, address) => view! { <a href=from_explorer(address)>{words}</a> }.into_any(),
    };
    let parts = all.iter().copied().enumerate().map(of).collect_view();
    view! {
        <div class="handout-text">{parts}</div>
        {slider.map(|range| view! { <p class="handout-range">{range}</p> })}
        {(!choices.is_empty()).then(|| view! { <Choices step choices/> })}
    }
}

/// What can be chosen on the page, each with a line for L where the step asks what L is.
#[component]
fn Choices(
    /// The step.
    step: &'static Step,
    /// The words on the buttons.
    choices: Vec<&'static str>,
) -> impl IntoView {
    let is_l = |slot: Slot| slot == Slot::Measured(Measured::Spectral);
    let asks_l = step.text.iter().any(|paragraph| slots(paragraph.text.all()[0]).into_iter().any(is_l));
    let choice = |words: &'static str| {
        view! { <li>{words} {asks_l.then(|| view! { ": L = " <Gap/> })}</li> }
    };
    view! {
        <div class="handout-range">{strings::handout_choose()}
            <ul class="handout-choices">{choices.into_iter().map(choice).collect_view()}</ul>
        </div>
    }
}

/// The words before a control, with a full stop in place of what leads to it. A single word names the control.
fn ended(words: &str) -> String {
    let kept = words.trim_end().trim_end_matches([':', '：']);
    let is_sentence = kept.ends_with(['.', '。', '?', '？']);
    let is_name = !kept.is_empty() && !words.contains([':', '：']) && !kept.contains(' ');
    if is_sentence || is_name { kept.to_owned() } else { format!("{kept}{}", strings::handout_stop()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::find;

    #[test]
    fn a_goal_has_a_line_for_each_number_that_it_asks_for() {
        let of = |lesson: &str, at: usize, goal: usize| {
            asked_numbers(&find(lesson).expect("a lesson").steps[at].goals[goal])
        };
        assert_eq!(of("sink", 2, 1), ["R", "L"]);
        assert_eq!(of("sink", 2, 0), ["R", "largest column sum"]);
        // The limits of the disc and of n are no questions.
        assert_eq!(of("sink", 1, 1), ["L"]);
        assert_eq!(of("sink", 4, 0), ["R", "bound / L"]);
    }

    #[test]
    fn a_sentence_that_led_to_a_slider_ends() {
        assert_eq!(ended(", and the largest column sum: "), ", and the largest column sum.");
        assert_eq!(ended(": "), ".");
        assert_eq!(ended("Tokens "), "Tokens");
        assert_eq!(ended(". "), ".");
        assert_eq!(ended(" the norm. Other n: "), " the norm. Other n.");
    }
}
