//! The frame of the lessons: their panel, the goals, hints and predictions of their steps, the teacher's view. The
//! lessons themselves are in `lessons`.

pub use crate::words::lesson_steps::*;
pub use crate::words::lessons::*;

use lipscope_plot::{Kind, Number};

use super::plot::{count, signed};
use crate::words::link::between_sentences;

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

/// The heading of a step; the recap has no number, since it is not counted.
pub fn lesson_heading(step: usize, tasks: usize, title: &str) -> String {
    if step < tasks { lesson_number(step + 1, title) } else { title.into() }
}

/// The place of a step among the `tasks` steps with goals; the recap, which comes after them, is not counted.
pub fn lesson_progress(step: usize, tasks: usize) -> String {
    if step < tasks { lesson_progress { step: step + 1, steps: tasks }.text() } else { lesson_recap().into() }
}

pub fn lesson_said(step: usize, tasks: usize, title: &str) -> String {
    if step < tasks { lesson_said { step: step + 1, steps: tasks, title }.text() } else { title.into() }
}

/// Whether the answer of a step is right, if it is answered, and how many of its other goals are reached.
pub fn goals_said(is_right: Option<bool>, reached: usize, all: usize) -> String {
    let answer = is_right.map(|is_right| if is_right { answer::right_said() } else { answer::wrong_said() }.to_owned());
    let goals = (reached > 0).then(|| answer::goals_said { all, reached }.text());
    answer.into_iter().chain(goals).collect::<Vec<_>>().join(between_sentences())
}

/// Whether a guess counts as right, by its ratio to the measured number.
pub fn is_good(ratio: f64) -> bool {
    ratio.max(ratio.recip()) < GOOD
}

/// A slope with three decimals.
pub fn lesson_slope(exponent: f64) -> String {
    signed(exponent)
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
        return curve_off::good(Number::digits(ratio.max(ratio.recip()), Kind::UpperBound));
    }
    curve_off::sentence {
        measured: Number::of(measured).kind(Kind::Exact),
        n: count(n),
        off: off(ratio),
        yours: Number::short(yours),
    }
    .text()
}

/// How far a mark is from the measured norm.
pub fn mark_off(yours: f64, measured: f64, kind: Kind) -> String {
    let ratio = yours / measured;
    let found = Number::known(measured, kind);
    if is_good(ratio) {
        return mark_off::good { found: &found, yours: Number::short(yours) }.text();
    }
    mark_off::sentence { found: &found, off: off(ratio), yours: Number::short(yours) }.text()
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
    if chosen == right { answer::same(chosen) } else { answer::other { chosen, right }.text() }
}

/// A number that a question is about, with its name; `key` is the word of its place in a text.
pub fn number_named(key: &str, number: &str) -> String {
    match key {
        "best-bound" | "best-there" => answer::on_ball(number),
        "scaled-slope-dot" | "scaled-slope-l2" => answer::exponent(number),
        "inverse-l2 steps" | "inverse-dot steps" => answer::iterations(number),
        "tight-ratio" => answer::ratio(number),
        _ => number.to_owned(),
    }
}

/// The slope of the reader's curve beside the slope of the measured curve.
pub fn slopes_beside(yours: f64, measured: f64) -> String {
    answer::slopes { measured: lesson_slope(measured), yours: lesson_slope(yours) }.text()
}

/// Why a goal cannot be reached: the upper bound that forbids it.
pub fn ruled_out(bound: Option<f64>) -> String {
    let number = |bound| Number::digits(bound, Kind::UpperBound);
    bound.map_or_else(|| answer::ruled_out_unsaid().to_owned(), |bound| answer::ruled_out(number(bound)))
}

fn off(ratio: f64) -> String {
    let (times, side) = if ratio > 1.0 { (ratio, off::high()) } else { (ratio.recip(), off::low()) };
    off::sentence { side, times: Number::rough(times) }.text()
}

/// A sentence that says what symbols of a formula stand for; each symbol comes as glyph and words. `None` without
/// symbols.
pub fn symbols_line(symbols: &[(&str, &str)]) -> Option<String> {
    let each: Vec<String> = symbols.iter().map(|(glyph, words)| symbol::is { glyph, words }.text()).collect();
    (!each.is_empty()).then(|| symbol::line(each.join(symbol::between())))
}

/// What the figure of a handout shows.
pub fn handout_tokens(n: f64, radius: f64) -> String {
    handout_tokens { n: count(n), radius: Number::short(radius) }.text()
}
