//! The sweep: norms of random tokens at several n, as its points arrive.

use crate::prelude::*;

use lipscope_core::bounds::Norm;
use lipscope_core::fit::{PowerLaw, fit_power_law};
use lipscope_core::sweep::SweepPoint;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, SweepRequest};

use crate::frame::now;
use crate::phase::Phase;
use crate::plans;
use crate::query::{Answer, Query, Start};
use crate::state::PageState;

/// The running sweep, or the last one.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// The plan of the points; `None` before the first answer, and where there is one n only.
    pub of: Option<SweepRequest>,
    /// Points so far, in the order they came.
    pub points: Vec<SweepPoint>,
    /// Points of the earlier sweep, drawn faintly until this one reaches their n.
    pub before: Vec<SweepPoint>,
    /// When the sweep's first points came, or when it was resumed, in milliseconds of the page's clock.
    pub began: f64,
    /// The estimated cost of the points that the sweep had at `began`.
    pub cost_before: f64,
}

impl Sweep {
    /// Makes the request for a sweep, and gives its points to `remember` before any view sees them.
    pub fn ask(ask: Query<Self>, of: Option<SweepRequest>, remember: impl Fn(&SweepRequest, &[SweepPoint]) + 'static) {
        let request = Ok(of.iter().cloned().map(EnginePlan::Sweep).collect());
        ask.request(request, Start::AtRest, move |ask, _, answer| {
            if let (Some(of), Answer::Event(EngineEvent::Sweep(points))) = (&of, answer) {
                remember(of, &points);
                ask.renewed(|sweep| sweep.add(of, points, now()));
            }
        });
    }

    /// Pauses the work, and drops the points of the earlier sweep.
    pub fn pause(ask: Query<Self>) {
        ask.stop(Phase::Paused);
        ask.update(|sweep| sweep.before.clear());
    }

    /// Continues paused work, or repeats work that failed.
    pub fn resume(ask: Query<Self>) {
        let rest = ask.with_untracked(Sweep::rest);
        match rest {
            Some(plan) if !untrack(|| ask.is_stale()) => {
                ask.renewed(|sweep| (sweep.began, sweep.cost_before) = (now(), sweep.cost_so_far()));
                ask.go_on(vec![EnginePlan::Sweep(plan)]);
            }
            // No draw is missing, or the latest sweep has no point yet and the points here belong to the earlier one.
            _ => ask.again(),
        }
    }

    /// Whether the points belong to this state, with the same R at each n.
    #[must_use]
    pub fn is_of(&self, state: &PageState) -> bool {
        self.has_plan(plans::sweep(state).as_ref())
    }

    /// Whether the points are those of a plan.
    #[must_use]
    pub fn has_plan(&self, plan: Option<&SweepRequest>) -> bool {
        self.of.as_ref() == plan
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

    /// Adds points of a sweep, except points that are here already. Points of the earlier sweep stay in sight until the
    /// new sweep reaches their n.
    fn add(&mut self, of: &SweepRequest, points: Vec<SweepPoint>, time: f64) {
        if self.of.as_ref() != Some(of) {
            // Where the last sweep ended with less than half as many points as the sweep before it, the plot keeps the
            // points of the sweep before it.
            let is_short = self.points.len() < self.before.len() / 2;
            let before = std::mem::take(if is_short { &mut self.before } else { &mut self.points });
            *self = Sweep { before, of: Some(of.clone()), ..Sweep::default() };
        }
        let is_first = self.points.is_empty();
        for point in points {
            if !self.points.iter().rev().any(|old| (old.n, old.draw) == (point.n, point.draw)) {
                self.points.push(point);
            }
        }
        if is_first {
            // How long the first points took is not known, so the estimate of the speed leaves them out.
            (self.began, self.cost_before) = (time, self.cost_so_far());
        }
        if self.points.len() >= self.total() {
            self.before.clear();
        }
    }

    /// The plan of the lengths at which draws are missing; `None` where the sweep is complete. Draws that these lengths
    /// have already are measured again, and `add` drops them.
    fn rest(&self) -> Option<SweepRequest> {
        let of = self.of.as_ref()?;
        let found = |n: usize| self.points.iter().filter(|point| point.n == n).count();
        let lengths: Vec<usize> = of.lengths.iter().copied().filter(|n| found(*n) < of.draws).collect();
        (!lengths.is_empty()).then(|| SweepRequest { lengths, ..of.clone() })
    }

    /// The number of points of the complete sweep.
    #[must_use]
    pub fn total(&self) -> usize {
        self.of.as_ref().map_or(0, n_points)
    }

    /// The estimated cost of the points so far; see `cost`.
    #[must_use]
    pub fn cost_so_far(&self) -> f64 {
        self.points.iter().map(|point| cost(point.n)).sum()
    }

    /// The estimated cost of all points of the complete sweep.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.lengths().iter().map(|n| cost(*n) * self.draws() as f64).sum()
    }

    /// Milliseconds until the end at the speed so far; `None` while the speed is not known.
    #[must_use]
    pub fn milliseconds_left(&self, now: f64) -> Option<f64> {
        let (total, so_far) = (self.cost(), self.cost_so_far());
        let speed = (so_far - self.cost_before) / (now - self.began);
        (speed.is_finite() && speed > 0.0).then(|| (total - so_far) / speed)
    }

    /// (n, norm) at each point where this norm is known.
    #[must_use]
    pub fn values(&self, norm: Norm) -> Vec<(f64, f64)> {
        values(&self.points, norm)
    }

    /// The lengths at which this norm is known, ascending: larger Jacobians have no norms that need all their entries.
    #[must_use]
    pub fn lengths_of(&self, norm: Norm) -> Vec<usize> {
        let has = |n: &usize| self.points.iter().any(|point| point.n == *n && point.norm(norm).is_some());
        self.lengths().iter().copied().filter(has).collect()
    }

    /// The power law fitted to a norm over n. Its exponent is the slope of the logarithm of the norm on log n.
    #[must_use]
    pub fn slope(&self, norm: Norm) -> Option<PowerLaw> {
        fit_power_law(&self.values(norm))
    }
}

/// The number of points of a complete sweep.
#[must_use]
pub fn n_points(plan: &SweepRequest) -> usize {
    plan.lengths.len() * plan.draws
}

/// (n, norm) at each point where this norm is known.
#[must_use]
pub fn values(points: &[SweepPoint], norm: Norm) -> Vec<(f64, f64)> {
    points.iter().filter_map(|point| Some((point.n as f64, point.norm(norm)?))).collect()
}

/// Estimated cost of a point: n^2 for its length, and 20^2 for the work that is the same at every length.
fn cost(n: usize) -> f64 {
    let n = n as f64;
    n * n + 400.0
}

#[cfg(test)]
mod tests {
    use lipscope_core::measure::{DenseNormValues, Method};

    use super::*;

    fn points(lengths: &[usize]) -> Vec<SweepPoint> {
        let point = |n: &usize| SweepPoint {
            n: *n,
            draw: 0,
            spectral: 2.0,
            dense: None,
            radius: 1.5,
            method: Method::DenseSvd,
            iterations: 0,
            relative_residual: 0.0,
        };
        lengths.iter().map(point).collect()
    }

    #[test]
    fn points_of_the_earlier_sweep_stay_until_this_one_is_complete() {
        let plan = |radius: f64| {
            plans::sweep(&PageState { radius, sweep_max: 5, draws: 1, ..PageState::default() }).expect("a sweep")
        };
        let (first, second) = (plan(1.0), plan(2.0));
        assert_eq!(first.lengths, [2, 3, 4, 5]);
        let mut sweep = Sweep::default();
        sweep.add(&first, points(&[2, 3]), 1.0);
        sweep.add(&first, points(&[3, 4, 5]), 2.0);
        assert_eq!((sweep.points.len(), sweep.before.len(), sweep.rest()), (4, 0, None));
        sweep.add(&second, points(&[2]), 3.0);
        assert_eq!((sweep.points.len(), sweep.before.len()), (1, 4));
        assert_eq!(sweep.rest().expect("a rest").lengths, [3, 4, 5]);
        // How long the first points took is not known.
        assert_eq!((sweep.milliseconds_left(3.0), sweep.milliseconds_left(9.0)), (None, None));
        // The second sweep ended before half of its points were there: the first one stays in sight.
        sweep.add(&first, points(&[2]), 10.0);
        assert_eq!((sweep.points.len(), sweep.before.len()), (1, 4));
        sweep.add(&first, points(&[3, 4, 5]), 11.0);
        assert!(sweep.before.is_empty());
    }

    #[test]
    fn the_lengths_of_a_norm_are_those_at_which_it_is_known() {
        let plan = plans::sweep(&PageState { sweep_max: 5, draws: 1, ..PageState::default() }).expect("a sweep");
        let mut sweep = Sweep::default();
        let mut all = points(&[2, 3, 4]);
        let dense = DenseNormValues { frobenius: 2.0, linf: 2.0, l1: 2.0, max_token: Some(2.0) };
        all[0].dense = Some(dense);
        all[1].dense = Some(dense);
        sweep.add(&plan, all, 1.0);
        assert_eq!(sweep.lengths_of(Norm::Spectral), [2, 3, 4]);
        assert_eq!(sweep.lengths_of(Norm::MaxToken), [2, 3]);
    }
}
