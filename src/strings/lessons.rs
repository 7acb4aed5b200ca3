//! The frame of the lessons: their panel, the goals, hints and predictions of their steps, the teacher's view. The
//! lessons themselves are in `lessons`.

pub use crate::words::lesson_steps::*;
use crate::words::lessons as words;
pub use crate::words::lessons::*;

use lipscope_plot::{Kind, Number};

use super::plot::count;

pub const LESSON_WAITING: &str = "…";
/// Room to write a number down.
pub const HANDOUT_GAP: &str = "________";

pub fn guess_columns() -> [&'static str; 4] {
    ["n", guess_columns::yours(), guess_columns::measured(), guess_columns::ratio()]
}

/// Guesses that are off by at most this factor count as right.
const GOOD: f64 = 1.1;

pub fn lesson_number(number: usize, title: &str) -> String {
    format!("{number}. {title}")
}

pub fn lesson_progress(step: usize, steps: usize) -> String {
    words::lesson_progress(step + 1, steps)
}

pub fn lesson_said(step: usize, steps: usize, title: &str) -> String {
    words::lesson_said(step + 1, steps, title)
}

/// Whether a guess counts as right, by its ratio to the measured number.
pub fn is_good(ratio: f64) -> bool {
    ratio.max(ratio.recip()) < GOOD
}

/// A slope with three decimals.
pub fn lesson_slope(exponent: f64) -> String {
    format!("{exponent:.3}").replace('-', "\u{2212}")
}

pub fn times(number: &str) -> String {
    format!("{number} ×")
}

/// The value of a handle of the curve, for a screen reader.
pub fn handle(n: f64, value: f64) -> String {
    format!("n = {}: L = {}", count(n), Number::short(value))
}

pub fn mark(value: f64) -> String {
    format!("L = {}", Number::short(value))
}

/// How far a curve is from the measured one: (n, yours, measured) where they are furthest apart.
pub fn curve_off(n: f64, yours: f64, measured: f64) -> String {
    let ratio = yours / measured;
    if is_good(ratio) {
        return curve_off::good(Number::of(ratio.max(ratio.recip())));
    }
    curve_off::sentence(Number::of(measured).kind(Kind::Exact), count(n), off(ratio), Number::short(yours))
}

/// How far a mark is from the measured norm.
pub fn mark_off(yours: f64, measured: f64, kind: Kind) -> String {
    let ratio = yours / measured;
    let found = Number::known(measured, kind);
    if is_good(ratio) {
        return mark_off::good(&found, Number::short(yours));
    }
    mark_off::sentence(&found, off(ratio), Number::short(yours))
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

/// The slope of the reader's curve beside the slope of the measured curve.
pub fn slopes_beside(yours: f64, measured: f64) -> String {
    answer::slopes(lesson_slope(measured), lesson_slope(yours))
}

/// Why a goal cannot be reached: the upper bound that forbids it.
pub fn ruled_out(bound: Option<f64>) -> String {
    let number = |bound| Number::digits(bound, Kind::UpperBound);
    bound.map_or_else(|| answer::ruled_out_unsaid().to_owned(), |bound| answer::ruled_out(number(bound)))
}

fn off(ratio: f64) -> String {
    let (times, side) = if ratio > 1.0 { (ratio, off::high()) } else { (ratio.recip(), off::low()) };
    off::sentence(side, Number::rough(times))
}
