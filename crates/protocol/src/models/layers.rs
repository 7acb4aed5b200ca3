//! All windows of a run, with one layer of the model in memory at a time: for a model whose layers do not fit together.

use std::sync::Arc;

use lipscope_core::experiment::InputError;
use lipscope_models::{Batch, BatchStep, Cell, Estimate, LayerByLayer, LayerStep, Opened, PlanText, Source};
use serde::{Deserialize, Serialize};

use super::{ModelContext, ModelOrigin};
use crate::task::{Report, Task, Turn};

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
    told: Told,
}

/// Whether the page knows that a layer is going to be read, which may take long.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    No,
    Yes,
}

impl Task<ModelContext> for LayersTask {
    type Plan = LayersPlan;
    type Event = LayersEvent;

    fn start(plan: LayersPlan, _: &mut ModelContext) -> Result<Self, InputError> {
        Ok(LayersTask { plan, underway: None, rows: Vec::new() })
    }

    fn step(&mut self, context: &mut ModelContext, report: &mut Report<'_, LayersEvent>) -> Result<Turn, InputError> {
        let Some(underway) = &mut self.underway else {
            let LayersPlan { origin, plan, ids, batches } = &self.plan;
            context.forget();
            let (mut opened, plan) = context.opened_for(origin, plan, ids)?;
            let (batches, wanted): (Vec<Batch>, Vec<Vec<Cell>>) = batches.iter().cloned().unzip();
            let is_wanted = |cell: &Cell| wanted.iter().any(|cells| cells.contains(cell));
            let layers = LayerByLayer::new(&mut opened, &plan, ids, batches, is_wanted)?;
            report.event(LayersEvent::Prepared);
            self.underway = Some(Box::new(Underway { opened, layers, told: Told::No }));
            return Ok(Turn::More);
        };
        let Underway { opened, layers, told } = underway.as_mut();
        if layers.reads_next() && *told == Told::No {
            *told = Told::Yes;
            if !self.rows.is_empty() {
                report.event(LayersEvent::Rows(std::mem::take(&mut self.rows)));
            }
            let bytes = context.bytes_read();
            report.event(LayersEvent::Reading { layer: layers.layer(), of: layers.layers(), bytes });
            return Ok(Turn::More);
        }
        let step = match layers.step(opened)? {
            LayerStep::Read => {
                *told = Told::No;
                return Ok(Turn::More);
            }
            LayerStep::Dropped => return Ok(Turn::More),
            LayerStep::Measuring(step) => step,
        };
        if let BatchStep::Row(cell, found) = step {
            self.rows.push((cell, found));
        }
        let is_done = step == BatchStep::Done;
        if is_done || report.is_due() {
            match step {
                BatchStep::Passed { layers, of } => report.progress((layers, of)),
                BatchStep::Iterated { iterations, relative_residual } => {
                    report.iterations(iterations, relative_residual);
                }
                BatchStep::Row(..) | BatchStep::Bounded | BatchStep::Done => {}
            }
            if !self.rows.is_empty() {
                report.event(LayersEvent::Rows(std::mem::take(&mut self.rows)));
            }
        }
        Ok(if is_done { Turn::Done } else { Turn::More })
    }
}
