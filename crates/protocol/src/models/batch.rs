//! A batch of windows: the model is prepared, the windows pass through it layer by layer, and each cell is measured step
//! by step. So the page receives at once how far a long window is, and gets the first rows while its other cells are still
//! being measured.

use std::sync::Arc;

use lipscope_core::experiment::{InputError, Phrase};
use lipscope_models::{Batch, BatchCells, BatchStep, Cell, Estimate, PlanText, WindowExperiment};
use serde::{Deserialize, Serialize};

use super::{ModelContext, ModelOrigin};
use crate::task::{Poll, Report, Task};

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
    Prepared {
        /// Notes on the weights that were read.
        notes: Vec<Phrase>,
    },
    /// Rows of the run's table.
    Rows {
        /// Rows of cells that were asked for; the batch's other rows come in events of their own.
        rows: Vec<(Cell, Estimate)>,
        /// Milliseconds that measuring these rows took. In a batch's first event they include the pass of its windows
        /// through the model.
        milliseconds: f64,
    },
}

/// Prepares the model, passes the windows through it, then measures their cells. Reports as progress the layers that the
/// windows have passed, then the steps of the iteration at a cell.
#[derive(Debug)]
pub struct BatchTask {
    plan: BatchPlan,
    stage: Stage,
    /// Rows that are measured and not yet reported.
    rows: Vec<(Cell, Estimate)>,
    /// When measuring of these rows began.
    began: f64,
}

#[derive(Debug)]
enum Stage {
    /// The model is to be prepared.
    Begun,
    /// The windows are to pass through the model.
    Prepared,
    /// The windows pass through the model, and cells are measured.
    Measuring(BatchCells),
}

impl Task<ModelContext> for BatchTask {
    type Plan = BatchPlan;
    type Event = BatchEvent;

    fn start(plan: BatchPlan, _: &mut ModelContext) -> Result<Self, InputError> {
        Ok(BatchTask { plan, stage: Stage::Begun, rows: Vec::new(), began: 0.0 })
    }

    fn step(&mut self, context: &mut ModelContext, report: &mut Report<'_, BatchEvent>) -> Result<Poll, InputError> {
        let BatchPlan { origin, plan, ids, batch, wanted } = &self.plan;
        let prepared = context.prepare(origin, plan, ids)?;
        let cells = match &mut self.stage {
            Stage::Begun => {
                report.event(BatchEvent::Prepared { notes: prepared.notes.clone() });
                self.stage = Stage::Prepared;
                return Ok(Poll::More);
            }
            Stage::Prepared => {
                self.began = report.now();
                let cells = prepared.maps.begin(&prepared.ids, batch, |cell| wanted.contains(cell))?;
                self.stage = Stage::Measuring(cells);
                return Ok(Poll::More);
            }
            Stage::Measuring(cells) => cells,
        };
        let step = prepared.maps.step(cells)?;
        match step {
            BatchStep::Row(cell, found) => self.rows.push((cell, found)),
            BatchStep::Passed { .. } | BatchStep::Iterated { .. } | BatchStep::Bounded | BatchStep::Done => {}
        }
        let is_done = step == BatchStep::Done;
        if is_done || report.is_due() {
            emit(step, report);
            if !self.rows.is_empty() {
                let now = report.now();
                let milliseconds = now - std::mem::replace(&mut self.began, now);
                report.event(BatchEvent::Rows { rows: std::mem::take(&mut self.rows), milliseconds });
            }
        }
        Ok(if is_done { Poll::Done } else { Poll::More })
    }
}

/// Reports a step as progress: the layers that the windows have passed, or the steps of the iteration at a cell.
pub(super) fn emit<E>(step: BatchStep, report: &mut Report<'_, E>) {
    match step {
        BatchStep::Passed { layers, of } => report.progress((layers, of)),
        BatchStep::Iterated { iterations, relative_residual } => report.iterations(iterations, relative_residual),
        BatchStep::Row(..) | BatchStep::Bounded | BatchStep::Done => {}
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
    ) -> Result<Poll, InputError> {
        let WindowPlan { origin, plan, ids, cell } = &self.0;
        report.event(Box::new(context.at_window((origin, plan, ids), cell, |at| at.experiment())?));
        Ok(Poll::Done)
    }
}
