//! Reading a text or file of the reader's: the page itself parses none.

use lipscope_core::experiment::{Given, InputError, Memory};
use serde::{Deserialize, Serialize};

use crate::task::{Report, Task, Turn};

/// A text or file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadPlan {
    /// The file's name; `None` for a text.
    pub name: Option<String>,
    /// What is in it; UTF-8 for a text.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
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
        let ReadPlan { name, bytes } = &self.0;
        report.event(match name {
            Some(name) => Given::from_file(name, bytes)?,
            None => Given::from_text(&String::from_utf8_lossy(bytes))?,
        });
        Ok(Turn::Done)
    }
}
