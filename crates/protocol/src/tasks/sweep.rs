//! A sweep: one experiment over lengths n and draws.

use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::measure::MeasureOptions;
use lipscope_core::sweep::{SweepPlan, SweepPoint, Sweeping};
use serde::{Deserialize, Serialize};

use crate::task::{Report, Task, Turn};

/// What to sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepRequest {
    /// The experiment; its n does not matter.
    pub experiment: Experiment,
    /// The lengths n.
    pub lengths: Vec<usize>,
    /// Draws at each length.
    pub draws: usize,
    /// The norm that is asked for; any but the spectral one brings the other norms along.
    pub norm: Norm,
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

    fn start(plan: SweepRequest, memory: &mut Memory) -> Result<Self, InputError> {
        let SweepRequest { experiment, lengths, draws, norm } = plan;
        let plan = SweepPlan::new(&experiment, &lengths, draws)?;
        Ok(SweepTask {
            sweeping: Sweeping::new(plan, MeasureOptions { memory: *memory, ..MeasureOptions::for_norm(norm) }),
            pending: Vec::new(),
        })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Vec<SweepPoint>>) -> Result<Turn, InputError> {
        let step = self.sweeping.step()?;
        self.pending.extend(step.flatten());
        if step.is_none() || report.is_due() {
            if !self.pending.is_empty() {
                report.event(std::mem::take(&mut self.pending));
            }
            report.progress(self.sweeping.progress());
        }
        Ok(if step.is_none() { Turn::Done } else { Turn::More })
    }
}
