//! Answer codes: the fold of the student, and the sheet of the lecturer.

use crate::words::class as words;
pub use crate::words::class::*;

use lipscope_plot::Number;

use super::plot::count;

/// A choice, with a tick if it is right.
pub fn class_choice(words: &str, is_right: bool) -> String {
    format!("{} {words}", if is_right { "✓" } else { "✗" })
}

/// A mark beside the measured norm.
pub fn class_mark(yours: f64, found: f64) -> String {
    words::class_mark(Number::of(found), Number::short(yours))
}

/// Where a curve is furthest off.
pub fn class_curve(n: f64, ratio: f64) -> String {
    words::class_curve(count(n), Number::rough(ratio))
}

/// The marks of a class in words: how many, from where to where, and the measured norm.
pub fn class_marks_words(marks: &[(f64, f64)]) -> String {
    let least = marks.iter().map(|mark| mark.0).fold(f64::INFINITY, f64::min);
    let most = marks.iter().map(|mark| mark.0).fold(0.0, f64::max);
    let found = marks.first().map_or(f64::NAN, |mark| mark.1);
    words::class_marks_words(marks.len(), Number::of(found), Number::short(least), Number::short(most))
}
