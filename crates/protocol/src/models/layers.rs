//! All windows of a run, with one layer of the model in memory at a time: for a model whose layers do not fit together.

use std::collections::BTreeSet;
use std::sync::Arc;

use lipscope_core::experiment::{InputError, Phrase};
use lipscope_models::{Batch, BatchStep, Cell, Estimate, LayerByLayer, LayerStep, Opened, PlanText, Source};
use serde::{Deserialize, Serialize};

use super::batch::emit;
use super::{ModelContext, ModelOrigin};
use crate::task::{Poll, Report, Task};

/// Which windows of which model and text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayersPlan {
    /// The model.
    pub origin: ModelOrigin,
    /// The run's plan.
    pub plan: PlanText,
    /// The text's token ids up to the end of the plan's windows.
    pub ids: Arc<Vec<u32>>,
    /// The windows, each batch with the cells that are still missing.
    pub batches: Vec<(Batch, Vec<Cell>)>,
}

/// Events of such a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LayersEvent {
    /// The model is open, and the windows are embedded.
    Prepared,
    /// A layer is going to be read.
    Reading {
        /// Which, from 0.
        layer: usize,
        /// How many layers the run needs.
        of: usize,
        /// Bytes of the model's files that have been read so far.
        bytes: u64,
    },
    /// Rows of the run's table.
    Rows(Vec<(Cell, Estimate)>),
    /// At the end: notes on the weights that were read.
    Notes(Vec<Phrase>),
}

/// Reads a layer, takes the windows through it, measures its cells, then goes on to the next one. Reports as progress the
/// layers that the windows have passed, then the steps of the iteration at a cell.
pub struct LayersTask {
    plan: LayersPlan,
    /// `None` until the model is open.
    underway: Option<Box<Underway>>,
    /// Rows that are measured and not yet reported.
    rows: Vec<(Cell, Estimate)>,
}

/// The windows on their way.
struct Underway {
    opened: Opened<Box<dyn Source>>,
    layers: LayerByLayer,
}

impl Underway {
    /// Opens the model, and begins with the embeddings of the windows.
    fn begin(plan: &LayersPlan, context: &mut ModelContext) -> Result<Self, InputError> {
        let LayersPlan { origin, plan, ids, batches } = plan;
        context.forget();
        let (mut opened, plan) = context.opened_for(origin, plan, ids)?;
        let wanted: BTreeSet<Cell> = batches.iter().flat_map(|(_, cells)| cells.iter().copied()).collect();
        let batches = batches.iter().map(|(batch, _)| batch.clone()).collect();
        let layers = LayerByLayer::new(&mut opened, &plan, ids, batches, |cell| wanted.contains(cell))?;
        Ok(Underway { opened, layers })
    }

    /// Tells which layer the next step reads, if it reads one: that may take long.
    fn emit_reading(&self, context: &ModelContext, report: &mut Report<'_, LayersEvent>) {
        if self.layers.reads_next() {
            let (layer, of, bytes) = (self.layers.layer(), self.layers.layers(), context.bytes_read());
            report.event(LayersEvent::Reading { layer, of, bytes });
        }
    }
}

impl Task<ModelContext> for LayersTask {
    type Plan = LayersPlan;
    type Event = LayersEvent;

    fn start(plan: LayersPlan, _: &mut ModelContext) -> Result<Self, InputError> {
        Ok(LayersTask { plan, underway: None, rows: Vec::new() })
    }

    fn step(&mut self, context: &mut ModelContext, report: &mut Report<'_, LayersEvent>) -> Result<Poll, InputError> {
        let Some(underway) = &mut self.underway else {
            let underway = Underway::begin(&self.plan, context)?;
            report.event(LayersEvent::Prepared);
            underway.emit_reading(context, report);
            self.underway = Some(Box::new(underway));
            return Ok(Poll::More);
        };
        let step = underway.layers.step(&mut underway.opened)?;
        if let LayerStep::Measuring(BatchStep::Row(cell, found)) = step {
            self.rows.push((cell, found));
        }
        let is_done = step == LayerStep::Measuring(BatchStep::Done);
        let is_due = is_done || step == LayerStep::Dropped || report.is_due();
        if is_due && let LayerStep::Measuring(step) = step {
            emit(step, report);
        }
        if is_due && !self.rows.is_empty() {
            report.event(LayersEvent::Rows(std::mem::take(&mut self.rows)));
        }
        let notes: Vec<Phrase> = underway.opened.notes_on_weights().filter(|_| is_done).into_iter().collect();
        if !notes.is_empty() {
            report.event(LayersEvent::Notes(notes));
        }
        if step == LayerStep::Dropped {
            underway.emit_reading(context, report);
        }
        Ok(if is_done { Poll::Done } else { Poll::More })
    }
}
