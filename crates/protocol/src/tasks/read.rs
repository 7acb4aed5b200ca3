//! Reads the texts and files that a user gives: the page itself parses none.

use lipscope_core::experiment::{Given, InputError, Memory, TableSource, WeightTables};
use serde::{Deserialize, Serialize};

use crate::task::{Report, Task, Turn};

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

/// Reads in one step.
#[derive(Debug)]
pub struct ReadTask(ReadPlan);

impl Task<Memory> for ReadTask {
    type Plan = ReadPlan;
    type Event = Given;

    fn start(plan: ReadPlan, _: &mut Memory) -> Result<Self, InputError> {
        Ok(ReadTask(plan))
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Given>) -> Result<Turn, InputError> {
        report.event(match &self.0 {
            ReadPlan::Any(source) => Given::read_source(source)?,
            ReadPlan::Weights { tables, d } => Given::Weights(tables.read_with_notes(*d)?),
        });
        Ok(Turn::Done)
    }
}
