//! Around the lessons: their panel, what a reader draws, the teacher's view. The lessons themselves are in `lessons`.

use crate::plot::{Kind, Number};

use super::plot::count;

pub const LESSONS: &str = "Lessons";
pub const LESSONS_HINT: &str = "Short texts beside the page; their steps set the controls";
pub const LESSONS_ABOUT: &str =
    "Each step sets the controls. The numbers in the texts are those of the page: change a control and they follow.";
pub const LESSON_CLOSE: &str = "Close the lessons";
pub const LESSON_ALL: &str = "List";
pub const LESSON_ALL_HINT: &str = "All lessons";
pub const LESSON_BACK: &str = "Back";
pub const LESSON_NEXT: &str = "Next";
pub const LESSON_END: &str = "End";
pub const LESSON_SOURCE: &str = "Source: ";
pub const LESSON_AGAIN: &str = "Set this step up again";
pub const LESSON_AGAIN_HINT: &str = "Controls have been changed since this step set them";
pub const LESSON_RESTORE: &str = "Restore my configuration";
pub const LESSON_RESTORE_HINT: &str = "Puts the controls back to where they were before the first lesson, and closes";
pub const LESSON_WAITING: &str = "…";
pub const TEACHER: &str = "Teacher view";
pub const TEACHER_HINT: &str = "Plot and main numbers, large, for a projector (key t)";

pub const COVERED: &str = "Covered until you reveal.";
pub const REVEAL: &str = "Reveal";
pub const GUESS_AGAIN: &str = "Guess again";
pub const DRAW_LABEL: &str = "Your curve of L against n";
pub const DRAW_HINT: &str =
    "Draw over the plot; or focus it, choose a handle with ← → and move it with ↑ ↓. Enter reveals.";
pub const PLACE_LABEL: &str = "Your mark for L at these tokens";
pub const PLACE_HINT: &str = "Drag the mark; or focus the plot and use ← →. Enter reveals.";
pub const YOUR_CURVE: &str = "your curve";
pub const YOUR_MARK: &str = "your mark";
pub const GUESS_X: &str = "number of tokens n, logarithmic";
pub const GUESS_Y: &str = "local Lipschitz constant L, your guess";
pub const GUESS_COLUMNS: [&str; 4] = ["n", "your curve", "measured", "yours / measured"];

/// Guesses up to so much off are as good as right.
const GOOD: f64 = 1.1;

pub fn lesson_number(number: usize, title: &str) -> String {
    format!("{number}. {title}")
}

pub fn lesson_progress(step: usize, steps: usize) -> String {
    format!("{} of {steps}", step + 1)
}

pub fn lesson_said(step: usize, steps: usize, title: &str) -> String {
    format!("Step {} of {steps}: {title}", step + 1)
}

/// A slope with three decimals.
pub fn lesson_slope(exponent: f64) -> String {
    format!("{exponent:.3}").replace('-', "\u{2212}")
}

pub fn times(number: &str) -> String {
    format!("{number} ×")
}

/// A handle of the curve, as a slider says its value.
pub fn handle(n: f64, value: f64) -> String {
    format!("n = {}: L = {}", count(n), Number::rough(value))
}

pub fn mark(value: f64) -> String {
    format!("L = {}", Number::rough(value))
}

fn off(ratio: f64) -> String {
    let (times, side) = if ratio > 1.0 { (ratio, "high") } else { (ratio.recip(), "low") };
    format!("{} × too {side}", Number::rough(times))
}

/// How far a curve is from the measured one: (n, yours, measured) where they are furthest apart.
pub fn curve_off(n: f64, yours: f64, measured: f64) -> String {
    let ratio = yours / measured;
    if ratio.max(ratio.recip()) < GOOD {
        return format!("Your curve is nowhere more than {} × off.", Number::of(ratio.max(ratio.recip())));
    }
    format!(
        "Your curve is furthest off at n = {}: you drew {}, measured {}. That is {}.",
        count(n),
        Number::rough(yours),
        Number::of(measured).kind(Kind::Exact),
        off(ratio)
    )
}

/// How far a mark is from the measured norm.
pub fn mark_off(yours: f64, measured: f64, kind: Kind) -> String {
    let ratio = yours / measured;
    let found = Number::of(measured).kind(kind);
    if ratio.max(ratio.recip()) < GOOD {
        return format!("Measured {found}. You said {}: right.", Number::rough(yours));
    }
    format!("You said {}, measured {found}. That is {}.", Number::rough(yours), off(ratio))
}
