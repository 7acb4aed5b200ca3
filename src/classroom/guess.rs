//! What a reader draws before the page shows its numbers, and the measured values beside it.

use crate::prelude::*;

use crate::lessons::{Guessed, Prediction};
use crate::plans::handle_lengths;
use lipscope_core::bounds::{Bound, CASTIN_GENERAL, Norm, UNIFIED, UNIFIED_MASKED, best_lower, best_upper};
use lipscope_plot::{Extent, ascending};

use super::context::{Classroom, Guess, Settled};
use super::course::{handed_in, step_now};

/// The lowest value of a curve that a reader draws.
pub const LOWEST: f64 = 0.1;
/// The highest value of such a curve.
pub const HIGHEST: f64 = 1e3;
/// The value of each handle before the reader draws: the curve begins flat.
const FIRST: f64 = 1.0;
/// The mark may lie this many powers of ten under the lowest bound on screen.
const DECADES_BELOW: f64 = 1.5;

/// A guess is rounded to this many digits, so that its words name the very value at which it is drawn.
const DIGITS: i32 = 3;

/// The logarithm to base ten, rounded so that its number has [`DIGITS`] significant digits.
fn rounded_log10(log10: f64) -> f64 {
    let power = log10.floor();
    let unit = 10f64.powi(DIGITS - 1);
    power + ((10f64.powf(log10 - power) * unit).round() / unit).log10()
}

/// What the reader predicts at this step.
pub fn prediction_now(room: Classroom) -> Prediction {
    step_now(room).map_or(Prediction::None, |(.., step)| step.prediction)
}

/// Whether the reader is at a step at which something is drawn.
pub fn is_guessed(room: Classroom) -> bool {
    matches!(prediction_now(room), Prediction::Curve | Prediction::Mark)
}

/// Whether numbers and pictures are covered.
pub fn is_covered(room: Classroom) -> bool {
    is_guessed(room) && !is_revealed(room)
}

/// Whether the reader has revealed the numbers, or chosen an answer.
pub fn is_revealed(room: Classroom) -> bool {
    room.page.lesson.with(|at| room.guess.with(|guess| guess.is_revealed_at(at.as_ref())))
}

/// The guess that the reader has revealed, beside what the page has found; `None` before.
pub fn settled(room: Classroom) -> Option<Settled> {
    if !is_revealed(room) {
        return None;
    }
    room.guess.with(|guess| guess.settled.clone())
}

/// Whether the reader has guessed at this step: drawn, or chosen an answer. False where the reader has revealed the
/// answer without a guess.
pub fn has_guessed(room: Classroom) -> bool {
    match prediction_now(room) {
        Prediction::None => false,
        Prediction::Choice(_) => room.progress.with(|progress| progress.chosen.is_some()),
        Prediction::Curve | Prediction::Mark => room.guess.with(Guess::is_drawn),
    }
}

/// Shows what the page has computed, if the reader has guessed. Enter calls this.
pub fn reveal_guess(room: Classroom) {
    if untrack(|| has_guessed(room)) {
        reveal(room);
    }
}

/// Shows what the page has computed.
pub fn reveal(room: Classroom) {
    let at = room.page.lesson.get_untracked();
    room.guess.update(|guess| guess.revealed_at = at);
}

/// Covers the numbers again. The reader's own drawing stays; what a student has handed in goes, so that the reader
/// begins anew.
pub fn cover(room: Classroom) {
    room.guess.update(|guess| (guess.revealed_at, guess.settled) = (None, None));
    room.page.look.leave_student();
}

/// The reader's curve: (n, L) at each handle; or the curve of a student, at the n at which it was handed in.
pub fn curve(room: Classroom) -> Vec<(f64, f64)> {
    let lengths = room.page.state.with(|state| handle_lengths(state.longest_length()));
    let handed_in = handed_in(room);
    room.guess.with(|guess| curve_of(handed_in.as_ref(), &guess.curve, &lengths))
}

fn curve_of(handed_in: Option<&Guessed>, drawn: &[f64], lengths: &[usize]) -> Vec<(f64, f64)> {
    if let Some(Guessed::Curve(points)) = handed_in {
        // The state on screen may have other handles than the question that the student has answered.
        let mut points: Vec<(f64, f64)> = points.iter().map(|(n, yours, _)| (*n, *yours)).collect();
        ascending(&mut points, |point| point.0);
        return points;
    }
    let drawn = |at: usize| drawn.get(at).copied().unwrap_or(FIRST);
    lengths.iter().enumerate().map(|(at, n)| (*n as f64, drawn(at))).collect()
}

/// Moves a handle.
pub fn set_handle(room: Classroom, at: usize, value: f64) {
    let count = untrack(|| curve(room)).len();
    room.guess.update(|guess| {
        guess.curve.resize(count, FIRST);
        if let Some(handle) = guess.curve.get_mut(at) {
            *handle = 10f64.powf(rounded_log10(value.clamp(LOWEST, HIGHEST).log10()));
        }
    });
}

/// The measured curve: the mean at each length of the sweep, if the sweep belongs to the present settings.
pub fn measured_curve(room: Classroom) -> Vec<(f64, f64)> {
    room.page.answers.sweep.with(|sweep| {
        let is_now = room.page.state.with(|state| sweep.is_of(state));
        let mean = |n: &usize| {
            let norms = sweep.points.iter().filter(|point| point.n == *n).map(|point| point.spectral);
            let (sum, count) = norms.fold((0.0, 0.0), |(sum, count), norm| (sum + norm, count + 1.0));
            (count > 0.0).then_some((*n as f64, sum / count))
        };
        if is_now { sweep.lengths().iter().filter_map(mean).collect() } else { Vec::new() }
    })
}

/// The reader's and the measured value at each handle: (n, yours, measured).
pub fn curve_beside(room: Classroom) -> Vec<(f64, f64, f64)> {
    let measured = measured_curve(room);
    let at = |n: f64| measured.iter().find(|point| point.0 == n).map(|point| point.1);
    curve(room).into_iter().filter_map(|(n, yours)| Some((n, yours, at(n)?))).collect()
}

/// The bounds between which the mark is placed, from top to bottom.
pub fn rails(room: Classroom) -> Vec<Bound> {
    room.page.answers.measured.with(|measured| {
        let Some(measured) = measured else { return Vec::new() };
        // Bounds of earlier settings say nothing here.
        if !room.page.is_measured() {
            return Vec::new();
        }
        let bounds = &measured.measurement.bounds;
        let wanted = [&CASTIN_GENERAL, &UNIFIED, &UNIFIED_MASKED];
        let named = wanted.iter().filter_map(|id| bounds.iter().find(|bound| bound.id == *id));
        named.chain(best_upper(bounds, Norm::Spectral)).chain(best_lower(bounds, Norm::Spectral)).copied().collect()
    })
}

/// The range of the mark, as logarithms to base ten.
pub fn mark_range(room: Classroom) -> Extent {
    let logs = rails(room).into_iter().map(|bound| bound.log10).filter(|log10| log10.is_finite());
    let range = Extent::of(logs).and_then(|all| Extent::new((all.lo() - DECADES_BELOW).floor(), all.hi().ceil()));
    range.or_else(|| Extent::new(0.0, 1.0)).expect("the ends are finite")
}

/// The mark, as a logarithm to base ten: at the upper end of its range until it is moved.
pub fn mark(room: Classroom) -> f64 {
    let range = mark_range(room);
    room.guess.with(|guess| guess.mark).unwrap_or(range.hi()).clamp(range.lo(), range.hi())
}

/// Moves the mark to the nearest number that can be said in [`DIGITS`] digits.
pub fn set_mark(room: Classroom, log10: f64) {
    let range = untrack(|| mark_range(room));
    room.guess.update(|guess| guess.mark = Some(rounded_log10(log10).clamp(range.lo(), range.hi())));
}

/// Whether the reader may draw now.
pub fn task_is_open(room: Classroom) -> bool {
    untrack(|| is_covered(room))
}

#[cfg(test)]
mod tests {
    use lipscope_plot::Number;

    use super::*;

    #[test]
    fn a_student_s_curve_stands_at_its_own_n() {
        let handed_in = Guessed::Curve(vec![(256.0, 9.0, 16.0), (2.0, 3.0, 1.0)]);
        // The handles of a sweep that the student made longer.
        assert_eq!(curve_of(Some(&handed_in), &[9.0, 3.0], &[2, 1024]), [(2.0, 3.0), (256.0, 9.0)]);
        assert_eq!(curve_of(None, &[9.0], &[2, 1024]), [(2.0, 9.0), (1024.0, FIRST)]);
        assert_eq!(curve_of(Some(&Guessed::Mark(1.0, 2.0)), &[], &[2]), [(2.0, FIRST)]);
    }

    #[test]
    fn a_guess_stands_where_its_words_say() {
        for at in 0..4000 {
            // From 0.1 to 1000, as a pointer may set it.
            let set = -1.0 + f64::from(at) / 1000.0;
            let guess = 10f64.powf(rounded_log10(set));
            let said: f64 = Number::short(guess).to_string().parse().expect("a plain number");
            assert!((said / guess - 1.0).abs() < 1e-12, "{said} is said of {guess}");
            assert!((guess.log10() - set).abs() <= 0.0022, "{guess} is far from 10^{set}");
            assert!((rounded_log10(guess.log10()) - guess.log10()).abs() < 1e-12);
        }
    }
}
