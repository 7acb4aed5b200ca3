//! The bounds as curves over n, valid for every draw of a sweep.

use std::ops::Range;

use lipscope_core::bounds::{Bound, all_bounds};
use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::growth::{GrowthPlan, Spacing};
use lipscope_core::sweep::hypotheses_of_draws;
use serde::{Deserialize, Serialize};

use crate::cut::cut_evenly;
use crate::task::{Cut, Report, Task, Turn};

/// How many parts each worker has: the bounds at some n take longer than at others.
const PARTS_OF_A_WORKER: usize = 3;

/// Of what, and at which n.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvesPlan {
    /// Gives the distribution of the tokens, the weights, the mask and the normaliser.
    pub experiment: Experiment,
    /// The n, ascending.
    pub lengths: Vec<usize>,
    /// Draws at each length of the sweep that they must hold for.
    pub draws: usize,
    /// Which of the lengths the bounds are computed at; `None` for all.
    pub rows: Option<Range<usize>>,
}

/// The bounds at each n that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundCurves {
    /// R of the ball that holds every draw.
    pub radius: f64,
    /// (n, the bounds that apply).
    pub bounds: Vec<(usize, Vec<Bound>)>,
}

/// The curves, computed in one step.
#[derive(Debug)]
pub struct CurvesTask(CurvesPlan);

impl Task<Memory> for CurvesTask {
    type Plan = CurvesPlan;
    type Event = BoundCurves;

    fn cut(plan: &CurvesPlan, workers: usize) -> Vec<Cut> {
        let lengths: Vec<f64> = plan.lengths.iter().map(|n| *n as f64).collect();
        let n_rows = lengths.len();
        let cost = GrowthPlan { lengths, spacing: Spacing::Fixed }.cost(&plan.experiment).of_each(n_rows);
        cut_evenly(&[(cost, n_rows)], PARTS_OF_A_WORKER * workers)
    }

    fn part(plan: &CurvesPlan, rows: &Range<usize>) -> CurvesPlan {
        CurvesPlan { rows: Some(rows.clone()), ..plan.clone() }
    }

    fn is_piece(_: &BoundCurves) -> bool {
        true
    }

    fn join(pieces: &mut BoundCurves, next: BoundCurves) {
        pieces.bounds.extend(next.bounds);
    }

    fn start(plan: CurvesPlan, _: &mut Memory) -> Result<Self, InputError> {
        Ok(CurvesTask(plan))
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, BoundCurves>) -> Result<Turn, InputError> {
        let CurvesPlan { experiment, lengths, draws, rows } = &self.0;
        let hypotheses = hypotheses_of_draws(experiment, lengths.iter().copied().max().unwrap_or(2), *draws)?;
        let rows = rows.clone().unwrap_or(0..lengths.len());
        let lengths = lengths.get(rows).unwrap_or_default();
        let bounds = lengths.iter().map(|n| (*n, all_bounds(&hypotheses.with_n(*n as f64)))).collect();
        report.event(BoundCurves { radius: hypotheses.radius, bounds });
        Ok(Turn::Done)
    }
}
