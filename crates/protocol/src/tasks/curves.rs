//! The bounds as curves over n, valid for every draw of a sweep.

use lipscope_core::bounds::{Bound, all_bounds};
use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::sweep::hypotheses_of_draws;
use serde::{Deserialize, Serialize};

use crate::task::{Report, Task, Turn};

/// Of what, and at which n.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvesPlan {
    /// Gives the distribution of the tokens, the weights, the mask and the normaliser.
    pub experiment: Experiment,
    /// The n, ascending.
    pub lengths: Vec<usize>,
    /// Draws at each length of the sweep that they must hold for.
    pub draws: usize,
}

/// The bounds at each n that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundCurves {
    /// R of the ball that holds every draw.
    pub radius: f64,
    /// (n, the bounds that apply).
    pub bounds: Vec<(usize, Vec<Bound>)>,
}

/// The curves, drawn in one step.
#[derive(Debug)]
pub struct CurvesTask(CurvesPlan);

impl Task<Memory> for CurvesTask {
    type Plan = CurvesPlan;
    type Event = BoundCurves;

    fn start(plan: CurvesPlan, _: &mut Memory) -> Result<Self, InputError> {
        Ok(CurvesTask(plan))
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, BoundCurves>) -> Result<Turn, InputError> {
        let CurvesPlan { experiment, lengths, draws } = &self.0;
        let hypotheses = hypotheses_of_draws(experiment, lengths.iter().copied().max().unwrap_or(2), *draws)?;
        let bounds = lengths.iter().map(|n| (*n, all_bounds(&hypotheses.with_n(*n as f64)))).collect();
        report.event(BoundCurves { radius: hypotheses.radius, bounds });
        Ok(Turn::Done)
    }
}
