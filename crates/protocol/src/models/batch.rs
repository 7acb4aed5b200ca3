//! A batch of windows, measured in one go: whoever wants an end to it before, ends the worker.

use std::sync::Arc;

use lipscope_core::experiment::InputError;
use lipscope_models::{Batch, Cell, Estimate, PlanText};
use serde::{Deserialize, Serialize};

use super::{ModelContext, ModelOrigin};
use crate::task::{Report, Task, Turn};

/// Which windows of which model and text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchPlan {
    /// The model.
    pub origin: ModelOrigin,
    /// The whole run's plan: what is read or drawn of the model serves all its batches.
    pub plan: PlanText,
    /// The text's token ids, as far as the whole plan's windows go; shared by the batches that wait.
    pub ids: Arc<Vec<u32>>,
    /// The windows.
    pub batch: Batch,
    /// Those of their cells that are still missing.
    pub wanted: Vec<Cell>,
}

/// What comes of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum BatchEvent {
    /// The model is here, as far as the run's plan needs it: what fails after this is about these windows alone.
    Prepared,
    /// Rows of the run's table.
    Rows {
        /// A row for each cell that was asked for.
        rows: Vec<(Cell, Estimate)>,
        /// Milliseconds that measuring took.
        milliseconds: f64,
    },
}

/// First prepares the model, then measures.
#[derive(Debug)]
pub struct BatchTask {
    plan: BatchPlan,
    is_prepared: bool,
}

impl Task<ModelContext> for BatchTask {
    type Plan = BatchPlan;
    type Event = BatchEvent;

    fn start(plan: BatchPlan, _: &mut ModelContext) -> Result<Self, InputError> {
        Ok(BatchTask { plan, is_prepared: false })
    }

    fn step(&mut self, context: &mut ModelContext, report: &mut Report<'_, BatchEvent>) -> Result<Turn, InputError> {
        let BatchPlan { origin, plan, ids, batch, wanted } = &self.plan;
        let prepared = context.prepare(origin, plan, ids)?;
        if !std::mem::replace(&mut self.is_prepared, true) {
            report.event(BatchEvent::Prepared);
            return Ok(Turn::More);
        }
        let began = report.now();
        let rows = prepared.maps.measure(&prepared.ids, batch, |cell| wanted.contains(cell))?;
        report.event(BatchEvent::Rows { rows, milliseconds: report.now() - began });
        Ok(Turn::Done)
    }
}
