//! The norms of dot-product and L2 attention as the tokens are scaled up.

use lipscope_core::experiment::{InputError, Memory};
use lipscope_core::scaling::{Scaling, ScalingPlan, ScalingPoint};

use crate::task::{Report, Task, Turn};

/// A run over radii under way.
#[derive(Debug)]
pub struct ScalingTask {
    scaling: Scaling,
    pending: Vec<ScalingPoint>,
}

impl Task<Memory> for ScalingTask {
    type Plan = ScalingPlan;
    type Event = Vec<ScalingPoint>;

    fn start(plan: ScalingPlan, memory: &mut Memory) -> Result<Self, InputError> {
        Ok(ScalingTask { scaling: Scaling::new_within(&plan, *memory)?, pending: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Vec<ScalingPoint>>) -> Result<Turn, InputError> {
        let point = self.scaling.step()?;
        let turn = if point.is_none() { Turn::Done } else { Turn::More };
        self.pending.extend(point);
        if turn == Turn::Done || report.is_due() {
            report.event(std::mem::take(&mut self.pending));
            report.progress(self.scaling.progress());
        }
        Ok(turn)
    }
}
