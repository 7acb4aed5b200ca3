//! The text of a lesson, with live values in its slots.

use crate::prelude::*;

use crate::lessons::{Age, Filled, LessonFormula, Paragraph, Piece, Slot, Step, pieces, unexplained};
use crate::strings;
use crate::theory::is_document;

use super::context::use_classroom;
use super::handles::{Press, Share, TextSlider};
use super::situation::with_facts;

/// The paragraphs of a step that are there from the start.
#[component]
pub fn Prose(
    /// The step whose text is shown.
    step: &'static Step,
) -> impl IntoView {
    let first = step.text.iter().filter(|paragraph| paragraph.when.is_empty());
    first.map(|paragraph| view! { <Text step text=paragraph.text.now()/> }).collect_view()
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
        let is_hidden = move || {
            let progress = room.progress;
            progress.with(|progress| !progress.shows_all && !when.iter().all(|goal| progress.has(goal)))
        };
        view! { <div class="lesson-after" hidden=is_hidden><Text step text=paragraph.text.now()/></div> }
    };
    step.text.iter().filter(|paragraph| !paragraph.when.is_empty()).map(of).collect_view()
}

/// A text with slots and controls.
#[component]
pub fn Text(
    /// The step that it belongs to.
    step: &'static Step,
    /// The text, in the notation of the lessons.
    text: &'static str,
) -> impl IntoView {
    // Tests reject a text with a slot that names nothing.
    let pieces = pieces(text).unwrap_or_default();
    let of = |piece: Piece| match piece {
        Piece::Words(words) => bound(words).into_any(),
        Piece::Value(slot) => view! { <Value place=slot/> }.into_any(),
        Piece::Formula(formula) => formula.view(),
        Piece::Slider(handle) => view! { <TextSlider handle/> }.into_any(),
        Piece::Press(words, fields) => view! { <Press words fields/> }.into_any(),
        Piece::Share => view! { <Share/> }.into_any(),
        Piece::Link(words, address) => {
            // A document opens beside the explorer, so that the lesson stays where it is.
            let target = is_document(address).then_some("_blank");
            view! { <a href=address target=target rel="noreferrer">{words}</a> }.into_any()
        }
    };
    // A formula that is a paragraph of its own scrolls by itself where it is wider than the panel.
    match pieces.as_slice() {
        [Piece::Formula(formula)] => {
            view! { <div class="lesson-formula">{formula.view()}</div> {where_line(step, formula)} }.into_any()
        }
        _ => view! { <p>{pieces.into_iter().map(of).collect_view()}</p> }.into_any(),
    }
}

/// What the symbols of a formula stand for, where the step does not say it.
pub fn where_line(step: &'static Step, formula: &'static LessonFormula) -> Option<AnyView> {
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
    /// The slot to fill.
    place: Slot,
) -> impl IntoView {
    let room = use_classroom();
    let filled = memo(move |_| with_facts(room, |facts| place.fill(&facts)));
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
