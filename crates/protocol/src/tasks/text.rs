//! Reads the texts and files that a user gives, and writes an experiment as a Python program; the page leaves both to
//! the worker.

use lipscope_core::experiment::{Experiment, Given, InputError, Memory, TableSource, WeightTables};
use lipscope_core::script::{Dialect, script_within};
use serde::{Deserialize, Serialize};

use crate::envelope::Packed;
use crate::task::{Poll, Report, Task};

/// What to read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReadPlan {
    /// A text or file with tokens or an experiment.
    Any(TableSource),
    /// The weights of one head.
    Weights {
        /// A text or file for each matrix.
        tables: Box<WeightTables>,
        /// The dimension of the tokens that they must fit, if any.
        d: Option<usize>,
    },
}

/// Reads in one step. The event is packed: it may hold an experiment, which the page's first module need not know.
#[derive(Debug)]
pub struct ReadTask(ReadPlan);

impl Task<Memory> for ReadTask {
    type Plan = ReadPlan;
    type Event = Packed<Given>;

    fn start(plan: ReadPlan, _: &mut Memory) -> Result<Self, InputError> {
        Ok(ReadTask(plan))
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Packed<Given>>) -> Result<Poll, InputError> {
        report.event(Packed::of(&match &self.0 {
            ReadPlan::Any(source) => Given::read_source(source)?,
            ReadPlan::Weights { tables, d } => Given::Weights(tables.read_with_notes(*d)?),
        }));
        Ok(Poll::Done)
    }
}

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

    fn step(&mut self, memory: &mut Memory, report: &mut Report<'_, String>) -> Result<Poll, InputError> {
        report.event(script_within(&self.0.experiment, self.0.dialect, *memory)?);
        Ok(Poll::Done)
    }
}
