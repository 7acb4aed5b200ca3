//! The estimator comparison: power iteration, Lanczos and the dense SVD on one Jacobian.

use lipscope_core::estimators::{EstimatorComparison, EstimatorPlan, EstimatorPoint};
use lipscope_core::experiment::{InputError, Memory};

use crate::task::{Report, Task, Turn};

/// A comparison under way.
#[derive(Debug)]
pub struct EstimatorsTask {
    comparison: EstimatorComparison,
    pending: Vec<EstimatorPoint>,
}

impl Task<Memory> for EstimatorsTask {
    type Plan = EstimatorPlan;
    type Event = Vec<EstimatorPoint>;

    fn start(plan: EstimatorPlan, memory: &mut Memory) -> Result<Self, InputError> {
        Ok(EstimatorsTask { comparison: EstimatorComparison::new_within(&plan, *memory)?, pending: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Vec<EstimatorPoint>>) -> Result<Turn, InputError> {
        let point = self.comparison.step(|| report.now())?;
        let turn = if point.is_none() { Turn::Done } else { Turn::More };
        self.pending.extend(point);
        if turn == Turn::Done || report.is_due() {
            report.event(std::mem::take(&mut self.pending));
        }
        Ok(turn)
    }
}
