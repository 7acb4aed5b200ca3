//! What a reader draws before the page shows its numbers, and how far off it is.

use leptos::prelude::*;

use crate::lessons::Task;
use crate::page::Page;
use crate::plans::handle_lengths;
use crate::strings;
use lipscope_core::bounds::{Bound, BoundId, Norm};
use lipscope_plot::Extent;

use super::course::step_now;

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
    /// Whether the page shows what it has computed.
    pub is_revealed: bool,
}

/// What the reader does at this step.
pub fn task_now(page: Page) -> Task {
    step_now(page).map_or(Task::Read, |(.., step)| step.task)
}

/// Whether the reader is at a step at which something is drawn.
pub fn is_guessed(page: Page) -> bool {
    task_now(page) != Task::Read
}

/// Whether numbers and pictures are covered.
pub fn is_covered(page: Page) -> bool {
    is_guessed(page) && !page.classroom.guess.with(|guess| guess.is_revealed)
}

/// Shows what the page has computed.
pub fn reveal(page: Page) {
    page.classroom.guess.update(|guess| guess.is_revealed = true);
}

/// Covers it again; what was drawn stays.
pub fn cover(page: Page) {
    page.classroom.guess.update(|guess| guess.is_revealed = false);
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
    match task_now(page) {
        Task::Read => String::new(),
        Task::DrawCurve => {
            let size = |(_, yours, measured): &(f64, f64, f64)| (yours / measured).ln().abs();
            let worst = curve_beside(page).into_iter().max_by(|a, b| size(a).total_cmp(&size(b)));
            worst.map_or_else(
                || strings::measuring_text().into(),
                |(n, yours, measured)| strings::curve_off(n, yours, measured),
            )
        }
        Task::PlaceNorm => page.live.measured.with(|measured| {
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

/// Whether the reader may draw now.
pub fn task_is_open(page: Page) -> bool {
    untrack(|| is_covered(page))
}
