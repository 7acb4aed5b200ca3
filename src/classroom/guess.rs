//! What a reader draws before the page shows its numbers, and how far off it is.

use crate::prelude::*;

use crate::lessons::{Choice, Prediction, Step};
use crate::page::Page;
use crate::plans::handle_lengths;
use crate::state::LessonAt;
use crate::strings;
use lipscope_core::bounds::{Bound, BoundId, Norm};
use lipscope_core::fit::fit_power_law;
use lipscope_plot::Extent;

use super::course::{put_fields, step_now};
use super::facts::with_situation;

/// Curves are drawn between these.
pub const LOWEST: f64 = 0.1;
/// See [`LOWEST`].
pub const HIGHEST: f64 = 1e3;
/// Where a curve begins: flat.
const FIRST: f64 = 1.0;
/// So many powers of ten under the highest lower bound may be guessed.
const DECADES_BELOW: f64 = 1.5;

/// What a reader has drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guess {
    /// L at each handle; empty until one is moved.
    curve: Vec<f64>,
    /// The mark, as a logarithm to base ten; `None` until it is moved.
    mark: Option<f64>,
    /// The step at which the page shows what it has computed.
    revealed_at: Option<LessonAt>,
}

impl Guess {
    /// Whether the page shows what it has computed at a step.
    pub fn is_revealed_at(&self, at: Option<&LessonAt>) -> bool {
        self.revealed_at.is_some() && self.revealed_at.as_ref() == at
    }

    /// Whether a handle or the mark was moved.
    fn is_drawn(&self) -> bool {
        !self.curve.is_empty() || self.mark.is_some()
    }
}

/// What the reader says at this step before the page shows it.
pub fn prediction_now(page: Page) -> Prediction {
    step_now(page).map_or(Prediction::None, |(.., step)| step.prediction)
}

/// Whether the reader is at a step at which something is drawn.
pub fn is_guessed(page: Page) -> bool {
    matches!(prediction_now(page), Prediction::Curve | Prediction::Mark)
}

/// Whether numbers and pictures are covered.
pub fn is_covered(page: Page) -> bool {
    is_guessed(page) && !is_revealed(page)
}

/// Whether the reader has revealed, or chosen.
pub fn is_revealed(page: Page) -> bool {
    page.lesson.with(|at| page.classroom.guess.with(|guess| guess.is_revealed_at(at.as_ref())))
}

/// Whether the reader has said something at this step: drawn, or chosen an answer. Who has not is shown the answer, but has
/// skipped the step.
pub fn has_guessed(page: Page) -> bool {
    match prediction_now(page) {
        Prediction::None => false,
        Prediction::Choice(_) => page.classroom.progress.with(|progress| progress.chosen.is_some()),
        Prediction::Curve | Prediction::Mark => page.classroom.guess.with(Guess::is_drawn),
    }
}

/// Shows what the page has computed, where the reader has guessed; what Enter does.
pub fn reveal_guess(page: Page) {
    if untrack(|| has_guessed(page)) {
        reveal(page);
    }
}

/// Shows what the page has computed.
pub fn reveal(page: Page) {
    let at = page.lesson.get_untracked();
    page.classroom.guess.update(|guess| guess.revealed_at = at);
}

/// Takes the reader's answer, and sets the page to what was asked about.
pub fn choose(page: Page, id: &'static str, fields: &'static str) {
    page.classroom.progress.update(|progress| progress.chosen = Some(id));
    put_fields(page, fields);
    reveal(page);
}

/// Covers it again; what was drawn stays.
pub fn cover(page: Page) {
    page.classroom.guess.update(|guess| guess.revealed_at = None);
}

/// The reader's curve: (n, L) at each handle.
pub fn curve(page: Page) -> Vec<(f64, f64)> {
    let lengths = page.state.with(|state| handle_lengths(state.sweep_max_used()));
    page.classroom.guess.with(|guess| {
        let drawn = |at: usize| guess.curve.get(at).copied().unwrap_or(FIRST);
        lengths.iter().enumerate().map(|(at, n)| (*n as f64, drawn(at))).collect()
    })
}

/// Moves a handle.
pub fn set_handle(page: Page, at: usize, value: f64) {
    let count = untrack(|| curve(page)).len();
    page.classroom.guess.update(|guess| {
        guess.curve.resize(count, FIRST);
        if let Some(handle) = guess.curve.get_mut(at) {
            *handle = value.clamp(LOWEST, HIGHEST);
        }
    });
}

/// The measured curve: the mean at each length of the sweep, if it is of what is set.
pub fn measured_curve(page: Page) -> Vec<(f64, f64)> {
    page.live.sweep.with(|sweep| {
        let is_now = page.state.with(|state| sweep.of.as_ref() == Some(&state.for_sweeping()));
        let mean = |n: &usize| {
            let norms = sweep.points.iter().filter(|point| point.n == *n).map(|point| point.spectral);
            let (sum, count) = norms.fold((0.0, 0.0), |(sum, count), norm| (sum + norm, count + 1.0));
            (count > 0.0).then_some((*n as f64, sum / count))
        };
        if is_now { sweep.lengths.iter().filter_map(mean).collect() } else { Vec::new() }
    })
}

/// Handles and what was measured there: (n, yours, measured).
pub fn curve_beside(page: Page) -> Vec<(f64, f64, f64)> {
    let measured = measured_curve(page);
    let at = |n: f64| measured.iter().find(|point| point.0 == n).map(|point| point.1);
    curve(page).into_iter().filter_map(|(n, yours)| Some((n, yours, at(n)?))).collect()
}

/// The bounds between which the mark is placed, from top to bottom.
pub fn rails(page: Page) -> Vec<Bound> {
    page.live.measured.with(|measured| {
        let Some(measured) = measured else { return Vec::new() };
        // Those of what was set before say nothing here.
        if page.state.with(|state| measured.state.for_measuring() != state.for_measuring()) {
            return Vec::new();
        }
        let bounds = &measured.measurement.bounds;
        let wanted = [BoundId::CastinGeneral, BoundId::Unified, BoundId::UnifiedMasked, BoundId::TwoClusters];
        wanted.iter().filter_map(|id| bounds.iter().find(|bound| bound.id == *id)).copied().collect()
    })
}

/// Where the mark may be, as logarithms to base ten.
pub fn mark_range(page: Page) -> Extent {
    let logs = rails(page).into_iter().map(|bound| bound.log10).filter(|log10| log10.is_finite());
    let range = Extent::of(logs).and_then(|all| Extent::new((all.lo() - DECADES_BELOW).floor(), all.hi().ceil()));
    range.or_else(|| Extent::new(0.0, 1.0)).expect("the ends are finite")
}

/// The mark, as a logarithm to base ten: on the upper bound until it is moved.
pub fn mark(page: Page) -> f64 {
    let range = mark_range(page);
    page.classroom.guess.with(|guess| guess.mark).unwrap_or(range.hi()).clamp(range.lo(), range.hi())
}

/// Moves the mark.
pub fn set_mark(page: Page, log10: f64) {
    let range = untrack(|| mark_range(page));
    page.classroom.guess.update(|guess| guess.mark = Some(log10.clamp(range.lo(), range.hi())));
}

/// How far off the reader is, in words with a number; empty while nothing is revealed.
pub fn off_words(page: Page) -> String {
    if is_covered(page) {
        return String::new();
    }
    match prediction_now(page) {
        Prediction::Curve | Prediction::Mark if !has_guessed(page) => strings::not_guessed().into(),
        Prediction::None => String::new(),
        Prediction::Choice(_) => choice_words(page).unwrap_or_default(),
        Prediction::Curve => curve_words(page),
        Prediction::Mark => page.live.measured.with(|measured| {
            measured.as_ref().map_or_else(
                || strings::measuring_text().into(),
                |m| {
                    let yours = 10f64.powf(mark(page));
                    strings::mark_off(yours, m.measurement.spectral, strings::kind_of(&m.measurement, Norm::Spectral))
                },
            )
        }),
    }
}

/// Both slopes, and where the curves are furthest apart.
fn curve_words(page: Page) -> String {
    let size = |(_, yours, measured): &(f64, f64, f64)| (yours / measured).ln().abs();
    let beside = curve_beside(page);
    let Some(&(n, yours, measured)) = beside.iter().max_by(|a, b| size(a).total_cmp(&size(b))) else {
        return strings::measuring_text().into();
    };
    let slope = |points: Vec<(f64, f64)>| fit_power_law(&points).map(|fit| fit.exponent);
    let slopes = slope(beside.iter().map(|at| (at.0, at.1)).collect()).zip(slope(measured_curve(page)));
    let off = strings::curve_off(n, yours, measured);
    match slopes {
        Some((yours, measured)) => [strings::slopes_beside(yours, measured), off].join(strings::between_sentences()),
        None => off,
    }
}

/// What the reader chose beside what the page says; nothing before the choice, or while the number is on its way.
fn choice_words(page: Page) -> Option<String> {
    let (.., step) = step_now(page)?;
    let chosen = page.classroom.progress.with(|progress| progress.chosen)?;
    let words = |choice: &Choice| choice.words.now();
    let yours = step.choices.iter().find(|choice| choice.id == chosen)?;
    Some(strings::choice_answer(words(yours), words(right_choice(page, step)?)))
}

fn right_choice(page: Page, step: &'static Step) -> Option<&'static Choice> {
    with_situation(page, step, |situation| {
        step.choices.iter().find(|choice| choice.conditions.iter().all(|condition| condition.holds(situation)))
    })
}

/// Whether the reader may draw now.
pub fn task_is_open(page: Page) -> bool {
    untrack(|| is_covered(page))
}
