//! The sweep: norms of random tokens at several n, as its points arrive.

use crate::prelude::*;

use lipscope_core::bounds::Norm;
use lipscope_core::fit::{PowerLaw, fit_power_law};
use lipscope_core::sweep::SweepPoint;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, SweepRequest};

use crate::ask::{Answer, Ask, Start};
use crate::frame::now;
use crate::phase::Phase;
use crate::plans;
use crate::state::PageState;

/// The running sweep, or the last one.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// The plan of the points; `None` where there is one n only.
    pub of: Option<SweepRequest>,
    /// Points so far, in the order they came.
    pub points: Vec<SweepPoint>,
    /// Points of the earlier sweep, drawn faintly until this one reaches their n.
    pub before: Vec<SweepPoint>,
    /// When it began to run, on the page's clock.
    pub began: f64,
    /// The cost of the points that it had when it began to run.
    pub cost_before: f64,
}

impl Sweep {
    /// Makes the request for the sweep of a state.
    pub fn ask(ask: Ask<Self>, state: &PageState) {
        let of = plans::sweep(state);
        let request = Ok(of.iter().cloned().map(EnginePlan::Sweep).collect());
        ask.want(request, Start::AtRest, move |ask, _, answer| {
            if let (Some(of), Answer::Event(EngineEvent::Sweep(points))) = (&of, answer) {
                ask.renewed(|sweep| sweep.take(of, points));
            }
        });
    }

    /// Pauses the work, and drops the points of the earlier sweep.
    pub fn pause(ask: Ask<Self>) {
        ask.stop(Phase::Paused);
        ask.update(|sweep| sweep.before.clear());
    }

    /// Continues paused work, or repeats work that failed.
    pub fn resume(ask: Ask<Self>) {
        let rest = ask.with_untracked(Sweep::rest);
        match rest {
            Some(plan) if ask.is_current() => {
                ask.renewed(|sweep| (sweep.began, sweep.cost_before) = (now(), sweep.cost_so_far()));
                ask.go_on(vec![EnginePlan::Sweep(plan)]);
            }
            // The latest sweep has no point yet: the points are those of the earlier one.
            _ => ask.again(),
        }
    }

    /// Whether the points belong to this state.
    #[must_use]
    pub fn is_of(&self, state: &PageState) -> bool {
        self.of == plans::sweep(state)
    }

    /// The lengths n.
    #[must_use]
    pub fn lengths(&self) -> &[usize] {
        self.of.as_ref().map_or(&[], |of| &of.lengths)
    }

    /// Draws at each n.
    #[must_use]
    pub fn draws(&self) -> usize {
        self.of.as_ref().map_or(0, |of| of.draws)
    }

    /// Adds points of a sweep, except those that it already has. Points of an earlier one stay in sight until this one
    /// reaches their n.
    fn take(&mut self, of: &SweepRequest, points: Vec<SweepPoint>) {
        if self.of.as_ref() != Some(of) {
            // A sweep that ended before half of its predecessor's points were there gives way to the predecessor.
            let is_short = self.points.len() < self.before.len() / 2;
            let before = std::mem::take(if is_short { &mut self.before } else { &mut self.points });
            *self = Sweep { before, of: Some(of.clone()), began: now(), ..Sweep::default() };
        }
        for point in points {
            if !self.points.iter().rev().any(|old| (old.n, old.draw) == (point.n, point.draw)) {
                self.points.push(point);
            }
        }
        if self.points.len() >= self.total() {
            self.before.clear();
        }
    }

    /// The plan of the lengths at which draws are missing; `None` where the sweep is complete. Draws that are there
    /// already are measured again, and dropped.
    fn rest(&self) -> Option<SweepRequest> {
        let of = self.of.as_ref()?;
        let found = |n: usize| self.points.iter().filter(|point| point.n == n).count();
        let lengths: Vec<usize> = of.lengths.iter().copied().filter(|n| found(*n) < of.draws).collect();
        (!lengths.is_empty()).then(|| SweepRequest { lengths, ..of.clone() })
    }

    /// The number of points of the complete sweep.
    #[must_use]
    pub fn total(&self) -> usize {
        self.lengths().len() * self.draws()
    }

    /// The estimated cost of the points so far; see `cost`.
    #[must_use]
    pub fn cost_so_far(&self) -> f64 {
        self.points.iter().map(|point| cost(point.n)).sum()
    }

    /// The work of all points.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.lengths().iter().map(|n| cost(*n) * self.draws() as f64).sum()
    }

    /// Milliseconds until the end at the speed so far.
    #[must_use]
    pub fn milliseconds_left(&self, now: f64) -> Option<f64> {
        let (total, so_far) = (self.cost(), self.cost_so_far());
        let speed = (so_far - self.cost_before) / (now - self.began);
        (speed.is_finite() && speed > 0.0).then(|| (total - so_far) / speed)
    }

    /// (n, the norm) at the points where it is known.
    #[must_use]
    pub fn values(&self, norm: Norm) -> Vec<(f64, f64)> {
        values(&self.points, norm)
    }

    /// The slope of the logarithm of a norm on log n.
    #[must_use]
    pub fn slope(&self, norm: Norm) -> Option<PowerLaw> {
        fit_power_law(&self.values(norm))
    }
}

/// (n, the norm) at the points where it is known.
#[must_use]
pub fn values(points: &[SweepPoint], norm: Norm) -> Vec<(f64, f64)> {
    points.iter().filter_map(|point| Some((point.n as f64, point.norm(norm)?))).collect()
}

/// Estimated cost of a point: n^2, and what every point costs beside it, which is about that of n = 20.
fn cost(n: usize) -> f64 {
    let n = n as f64;
    n * n + 400.0
}
