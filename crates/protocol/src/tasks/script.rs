//! An experiment as a Python program.

use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::script::{Dialect, script_within};
use serde::{Deserialize, Serialize};

use crate::task::{Report, Task, Turn};

/// Which experiment, for which library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScriptPlan {
    /// The experiment.
    pub experiment: Experiment,
    /// NumPy or PyTorch.
    pub dialect: Dialect,
}

/// Writes in one step; the event is the program's text.
#[derive(Debug)]
pub struct ScriptTask(ScriptPlan);

impl Task<Memory> for ScriptTask {
    type Plan = ScriptPlan;
    type Event = String;

    fn start(plan: ScriptPlan, _: &mut Memory) -> Result<Self, InputError> {
        Ok(ScriptTask(plan))
    }

    fn step(&mut self, memory: &mut Memory, report: &mut Report<'_, String>) -> Result<Turn, InputError> {
        report.event(script_within(&self.0.experiment, self.0.dialect, *memory)?);
        Ok(Turn::Done)
    }
}
