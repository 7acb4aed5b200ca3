//! A sweep: one experiment over lengths n and draws.

use std::ops::Range;

use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::measure::MeasureOptions;
use lipscope_core::sweep::{Spacing, SweepPlan, SweepPoint, Sweeping};
use serde::{Deserialize, Serialize};

use crate::cut::cut_evenly;
use crate::task::{Cut, Poll, Report, Task};

/// Parts per worker: more than one, since neither parts nor workers are equally fast.
const PARTS_OF_A_WORKER: usize = 6;

/// What to sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepRequest {
    /// The experiment; its n does not matter.
    pub experiment: Experiment,
    /// The lengths n.
    pub lengths: Vec<usize>,
    /// Draws at each length.
    pub draws: usize,
    /// How R depends on n.
    pub spacing: Spacing,
    /// The norm to report. If it is not the spectral norm, the other norms are computed too.
    pub norm: Norm,
    /// The points to measure, by index, length by length and draw by draw. `None` for all.
    pub points: Option<Range<usize>>,
}

/// A sweep under way.
#[derive(Debug)]
pub struct SweepTask {
    sweeping: Sweeping,
    pending: Vec<SweepPoint>,
}

impl Task<Memory> for SweepTask {
    type Plan = SweepRequest;
    type Event = Vec<SweepPoint>;

    fn cut(plan: &SweepRequest, workers: usize) -> Vec<Cut> {
        let options = MeasureOptions::for_norm(plan.norm);
        // The worker that starts the plan reports its error.
        let Ok(plan) = SweepPlan::new(&plan.experiment, &plan.lengths, plan.draws) else { return Vec::new() };
        let costs = plan.lengths().iter().map(|n| (plan.cost_of_point(*n, &options), plan.draws()));
        cut_evenly(&costs.collect::<Vec<_>>(), PARTS_OF_A_WORKER * workers)
    }

    fn part(plan: &SweepRequest, points: &Range<usize>) -> SweepRequest {
        SweepRequest { points: Some(points.clone()), ..plan.clone() }
    }

    fn start(plan: SweepRequest, memory: &mut Memory) -> Result<Self, InputError> {
        let SweepRequest { experiment, lengths, draws, spacing, norm, points } = plan;
        let plan = SweepPlan::new(&experiment, &lengths, draws)?.with_spacing(spacing);
        let options = MeasureOptions { memory: *memory, ..MeasureOptions::for_norm(norm) };
        let sweeping = match points {
            Some(points) => Sweeping::of_points(plan, options, points),
            None => Sweeping::new(plan, options),
        };
        Ok(SweepTask { sweeping, pending: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Vec<SweepPoint>>) -> Result<Poll, InputError> {
        let step = self.sweeping.step()?;
        self.pending.extend(step.flatten());
        if step.is_none() || report.is_due() {
            if !self.pending.is_empty() {
                report.event(std::mem::take(&mut self.pending));
            }
            report.progress(self.sweeping.progress());
        }
        Ok(if step.is_none() { Poll::Done } else { Poll::More })
    }
}
