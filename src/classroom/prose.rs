//! The text of a lesson, with live values in its slots.

use crate::prelude::*;

use crate::lessons::{Age, Filled, Holds, LessonFormula, Paragraph, Piece, Slot, Step, pieces, unexplained};
use crate::strings;
use crate::theory::from_explorer;

use super::context::use_classroom;
use super::handles::{Press, Share, TextSlider};
use super::question;
use super::situation::{with_facts, with_situation};

/// The paragraphs of a step that are there from the start.
#[component]
pub fn Prose(
    /// The step whose text is shown.
    step: &'static Step,
) -> impl IntoView {
    let first = step.text.iter().filter(|paragraph| paragraph.when.is_empty());
    first.map(|paragraph| view! { <Text step text=paragraph.text.now() numbers=Numbers::OfQuestion/> }).collect_view()
}

/// The paragraphs that are shown once goals are reached.
#[component]
pub fn Afterwards(
    /// The step whose later paragraphs are shown.
    step: &'static Step,
) -> impl IntoView {
    let room = use_classroom();
    let of = move |paragraph: &'static Paragraph| {
        let when = &paragraph.when;
        let is_reached = memo(move |_| room.progress.with(|progress| when.iter().all(|goal| progress.has(goal))));
        let is_due = memo(move |_| is_reached.get() || room.progress.with(|progress| progress.shows_all));
        // What was known last stands while a number is on its way.
        let is_true = memo(move |before: Option<&bool>| {
            let truth = with_situation(room, step, |situation| paragraph.truth(step, situation));
            truth.unwrap_or_else(|| before.is_some_and(|before| *before))
        });
        let is_replaced = matches!(paragraph.holds, Holds::Where(_));
        let is_hidden = move || !is_due.get() || is_replaced && !is_true.get();
        let is_elsewhere = move || !is_replaced && !is_true.get();
        view! {
            <div class="lesson-after" class:elsewhere=is_elsewhere hidden=is_hidden>
                <Text step text=paragraph.text.now()/>
                <p class="note" hidden=move || !is_elsewhere() || !is_reached.get()>{strings::conclusion_elsewhere()}</p>
            </div>
        }
    };
    step.text.iter().filter(|paragraph| !paragraph.when.is_empty()).map(of).collect_view()
}

/// Which numbers stand in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// Those of the settings on screen.
    #[default]
    Live,
    /// Those of the question, once the reader has answered it.
    OfQuestion,
}

/// A text with slots and controls.
#[component]
pub fn Text(
    /// The step that it belongs to.
    step: &'static Step,
    /// The text, in the notation of the lessons.
    text: &'static str,
    /// Which numbers stand in its slots.
    #[prop(optional)]
    numbers: Numbers,
) -> impl IntoView {
    // Tests reject a text with a slot that names nothing.
    let pieces = pieces(text).unwrap_or_default();
    let of = |piece: Piece| match piece {
        Piece::Words(words) => bound(words).into_any(),
        Piece::Value(slot) => view! { <Value step place=slot numbers/> }.into_any(),
        Piece::Formula(formula) => formula.view(),
        Piece::Slider(handle) => view! { <TextSlider handle/> }.into_any(),
        Piece::Press(words, fields) => view! { <Press words fields/> }.into_any(),
        Piece::Share => view! { <Share/> }.into_any(),
        Piece::Link(words, address) => {
            // What a lesson refers to opens beside the explorer, so that the lesson stays where it is.
            view! { <a href=from_explorer(address) target="_blank" rel="noreferrer">{words}</a> }.into_any()
        }
    };
    // A formula that is a paragraph of its own scrolls by itself where it is wider than the panel.
    match pieces.as_slice() {
        [Piece::Formula(formula)] => {
            view! { <div class="lesson-formula">{formula.view()}</div> {where_line(step, *formula)} }.into_any()
        }
        _ => view! { <p>{pieces.into_iter().map(of).collect_view()}</p> }.into_any(),
    }
}

/// What the symbols of a formula stand for, where the step does not say it.
pub fn where_line(step: &'static Step, formula: LessonFormula) -> Option<AnyView> {
    // Tests reject a symbol that is not in the table.
    let symbols = unexplained(step, formula).unwrap_or_default();
    let words: Vec<(&str, &str)> = symbols.iter().map(|symbol| (symbol.glyph, symbol.words)).collect();
    strings::symbols_line(&words).map(|line| view! { <p class="lesson-where">{line}</p> }.into_any())
}

/// Makes two kinds of blanks non-breaking: those around equals signs, and the last one, which stands before a value.
fn bound(words: &str) -> String {
    let words = words.replace(" = ", "\u{a0}=\u{a0}");
    match words.strip_suffix(' ') {
        Some(words) => format!("{words}\u{a0}"),
        None => words,
    }
}

/// The present value of a slot.
#[component]
fn Value(
    /// The step that it belongs to.
    step: &'static Step,
    /// The slot to fill.
    place: Slot,
    /// Which number is filled in.
    numbers: Numbers,
) -> impl IntoView {
    let room = use_classroom();
    let filled = memo(move |_| {
        let live = with_facts(room, |facts| place.fill(&facts));
        match numbers {
            Numbers::Live => live,
            Numbers::OfQuestion => question::number(room, step, place, live),
        }
    });
    let text = move || {
        filled.with(|filled| match filled {
            Some(Filled { sign: "", text, .. }) => text.clone(),
            Some(Filled { sign, text, .. }) => format!("{sign}\u{a0}{text}"),
            None => strings::LESSON_WAITING.to_owned(),
        })
    };
    let full = move || filled.with(|filled| filled.as_ref().map_or_else(String::new, |filled| filled.full.clone()));
    let is_old = move || filled.with(|filled| filled.as_ref().is_none_or(|filled| filled.age == Age::Before));
    view! {
        <span class="slot" class:words=place.is_in_words() class:old=is_old data-slot=place.words() data-value=full title=full>{text}</span>
    }
}
