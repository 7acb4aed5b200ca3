//! A batch of windows, measured in one step. To cancel it early, the page ends the worker.

use std::sync::Arc;

use lipscope_core::experiment::InputError;
use lipscope_models::{Batch, Cell, Estimate, PlanText, WindowExperiment, window_experiment};
use serde::{Deserialize, Serialize};

use super::{ModelContext, ModelOrigin};
use crate::task::{Report, Task, Turn};

/// Which windows of which model and text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchPlan {
    /// The model.
    pub origin: ModelOrigin,
    /// The whole run's plan. The worker prepares the model for all of it, so that all batches of the run can use it.
    pub plan: PlanText,
    /// The text's token ids up to the end of the plan's windows; shared by the waiting batches.
    pub ids: Arc<Vec<u32>>,
    /// The windows.
    pub batch: Batch,
    /// The cells of these windows that are still missing.
    pub wanted: Vec<Cell>,
}

/// Events of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum BatchEvent {
    /// The model is prepared as far as the run's plan needs it. Later errors concern only these windows.
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

/// Which window of which model and text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowPlan {
    /// The model.
    pub origin: ModelOrigin,
    /// A plan that contains the window.
    pub plan: PlanText,
    /// The text's token ids up to the end of the plan's windows.
    pub ids: Vec<u32>,
    /// The window, its layer and heads.
    pub cell: Cell,
}

/// Makes the experiment in one step.
#[derive(Debug)]
pub struct WindowTask(WindowPlan);

impl Task<ModelContext> for WindowTask {
    type Plan = WindowPlan;
    type Event = Box<WindowExperiment>;

    fn start(plan: WindowPlan, _: &mut ModelContext) -> Result<Self, InputError> {
        Ok(WindowTask(plan))
    }

    fn step(
        &mut self,
        context: &mut ModelContext,
        report: &mut Report<'_, Box<WindowExperiment>>,
    ) -> Result<Turn, InputError> {
        let WindowPlan { origin, plan, ids, cell } = &self.0;
        let prepared = context.prepare(origin, plan, ids)?;
        let maps = &prepared.maps;
        let tokens = maps.tokens(&prepared.ids, cell)?;
        report.event(Box::new(window_experiment(maps.model(), maps.plan(), cell, &tokens)?));
        Ok(Turn::Done)
    }
}
