//! The search for tokens at which L2 attention comes close to its published bound.

use lipscope_core::experiment::{InputError, Memory};
use lipscope_core::tightness::{Tightness, TightnessPoint};
use serde::{Deserialize, Serialize};

use crate::task::{Report, Task, Turn};

/// The lengths at which L2 attention is searched for a large norm, and the effort of each search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TightnessPlan {
    /// The n.
    pub lengths: Vec<usize>,
    /// Random restarts at each.
    pub restarts: usize,
    /// Their seed.
    pub seed: u64,
}

/// The search under way.
#[derive(Debug)]
pub struct TightnessTask {
    search: Tightness,
    pending: Vec<TightnessPoint>,
}

impl Task<Memory> for TightnessTask {
    type Plan = TightnessPlan;
    type Event = Vec<TightnessPoint>;

    fn start(plan: TightnessPlan, _: &mut Memory) -> Result<Self, InputError> {
        let search = Tightness::new(&plan.lengths, plan.restarts, plan.seed)?;
        Ok(TightnessTask { search, pending: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Vec<TightnessPoint>>) -> Result<Turn, InputError> {
        let point = self.search.step();
        let turn = if point.is_none() { Turn::Done } else { Turn::More };
        self.pending.extend(point);
        if turn == Turn::Done || report.is_due() {
            report.event(std::mem::take(&mut self.pending));
            report.progress(self.search.progress());
        }
        Ok(turn)
    }
}
