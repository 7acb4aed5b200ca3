//! The bounds as curves over n, valid on the ball and so for every draw of a sweep.

use std::ops::Range;

use lipscope_core::bounds::{Bound, BoundsOverN};
use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::growth::{GrowthPlan, Spacing, hypotheses_of_ball_within};
use lipscope_core::phrase;
use serde::{Deserialize, Serialize};

use crate::cut::cut_evenly;
use crate::task::{Cut, Report, Task, Turn};

/// Parts per worker: the bounds at some n take longer than at others.
const PARTS_OF_A_WORKER: usize = 3;

/// The experiment whose bounds are computed, and the n of the curves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvesPlan {
    /// Gives the distribution of the tokens, the weights, the mask and the normaliser.
    pub experiment: Experiment,
    /// The n of the curves, ascending.
    pub lengths: Vec<usize>,
    /// The rows of `lengths` at which bounds are computed; `None` for all.
    pub rows: Option<Range<usize>>,
}

/// The bounds at the requested n.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundCurves {
    /// R of the ball that holds every draw.
    pub radius: f64,
    /// (n, the bounds that apply) at each.
    pub bounds: Vec<(usize, Vec<Bound>)>,
}

/// The curves under way, one n a step.
#[derive(Debug)]
pub struct CurvesTask {
    over_n: BoundsOverN,
    lengths: std::vec::IntoIter<usize>,
    done: Vec<(usize, Vec<Bound>)>,
}

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

    fn start(plan: CurvesPlan, memory: &mut Memory) -> Result<Self, InputError> {
        let CurvesPlan { experiment, lengths, rows } = plan;
        let longest = lengths.iter().copied().max().unwrap_or(2);
        let what = phrase!("growth_curves", "The growth curves");
        let over_n = BoundsOverN::new(hypotheses_of_ball_within(&experiment, what, *memory)?, longest as f64);
        let rows = rows.unwrap_or(0..lengths.len());
        let lengths = lengths.get(rows).unwrap_or_default().to_vec().into_iter();
        Ok(CurvesTask { over_n, lengths, done: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, BoundCurves>) -> Result<Turn, InputError> {
        if let Some(n) = self.lengths.next() {
            self.done.push((n, self.over_n.at(n as f64)));
            return Ok(Turn::More);
        }
        report.event(BoundCurves { radius: self.over_n.radius(), bounds: std::mem::take(&mut self.done) });
        Ok(Turn::Done)
    }
}
