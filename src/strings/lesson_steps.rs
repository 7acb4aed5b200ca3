//! The steps of lessons: goals, hints, predictions, leaving.

pub use crate::words::lesson_steps::*;

use lipscope_plot::{Kind, Number};

use super::lessons::lesson_slope;

pub fn lesson_minutes(minutes: &str) -> String {
    lesson::minutes(minutes)
}

/// The name of a slider in a text.
pub fn lesson_handle(key: &str) -> &str {
    match key {
        "R" => handle::radius(),
        "n" => handle::n(),
        "d" => handle::d(),
        "at" => handle::at(),
        "inverse-c" => "c",
        "restarts" => handle::restarts(),
        _ => key,
    }
}

/// The reader's choice beside the page's answer.
pub fn choice_answer(chosen: &str, right: &str) -> String {
    if chosen == right { answer::same(chosen) } else { answer::other(chosen, right) }
}

/// The slope of the reader's curve, beside that of the tokens.
pub fn slopes_beside(yours: f64, measured: f64) -> String {
    answer::slopes(lesson_slope(measured), lesson_slope(yours))
}

/// Why a goal cannot be reached: the least upper bound.
pub fn ruled_out(bound: Option<f64>) -> String {
    let number = |bound| Number::digits(bound, Kind::UpperBound);
    bound.map_or_else(|| answer::ruled_out_unsaid().to_owned(), |bound| answer::ruled_out(number(bound)))
}

/// The state of the goals for a screen reader.
pub fn goals_said(reached: usize, all: usize) -> String {
    answer::goals_said(all, reached)
}
