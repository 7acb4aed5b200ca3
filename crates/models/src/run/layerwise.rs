//! A run that holds one layer of the model at a time: for a model whose layers do not fit in memory together.
//!
//! A layer is read, the windows of all batches pass through it, its own cells are measured, and it is dropped. Windows
//! share products with weights exactly as in a run that holds all layers, so the numbers are the same to the last digit.

use std::collections::{BTreeSet, VecDeque};

use nalgebra::DMatrix;

use super::batch::{Batch, PrefixGroup, Window};
use super::batch_step::BatchStep;
use super::estimating::{Estimating, Extras};
use super::plan::Plan;
use super::statistics_plan::prepare;
use crate::config::map_kind::Heads;
use crate::parts::forward::{ForwardPass, Pass};
use crate::parts::layer_map::LayerMap;
use crate::parts::model::{LayerParts, Model, Needs};
use crate::read::opened::Opened;
use crate::read::source::Source;
use crate::results::table::Cell;
use lipscope_core::experiment::InputError;

/// The windows of some batches on their way through a model.
#[derive(Debug)]
pub struct LayerByLayer {
    plan: Plan,
    batches: Vec<Batch>,
    wanted: BTreeSet<Cell>,
    passes: Vec<Pass>,
    /// The present layer, or the next one.
    layer: usize,
    stage: Stage,
}

/// What one step of a [`LayerByLayer`] does.
// There is one at a time, and a box would cost the copy.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LayerStep {
    /// A layer is read.
    Read,
    /// All cells of a layer are measured, and it is dropped.
    Dropped,
    /// A batch has passed the layer, or a cell of it has got a step further.
    Measuring(BatchStep),
}

#[derive(Debug)]
enum Stage {
    /// The next layer is to be read.
    Between,
    /// The windows pass the layer; `batch` is the next batch to do so.
    Passing { forward: Box<ForwardPass<Model>>, batch: usize },
    /// The cells of the layer are measured.
    Measuring {
        model: Box<Model>,
        left: VecDeque<Place>,
        map: Option<(Heads, LayerMap)>,
        cell: Option<(Cell, Box<Estimating>)>,
    },
}

/// A cell, and where its tokens are.
#[derive(Clone, Copy, Debug)]
struct Place {
    cell: Cell,
    /// The index of the cell's layer in the plan.
    at: usize,
    batch: usize,
    prefix_group: usize,
}

impl LayerByLayer {
    /// Begins with the embeddings of the windows. Of the cells only wanted ones will be measured.
    ///
    /// # Errors
    /// [`InputError`] if the model has no such token or position, or a tensor cannot be read.
    pub fn new<S: Source>(
        opened: &mut Opened<S>,
        plan: &Plan,
        ids: &[u32],
        batches: Vec<Batch>,
        is_wanted: impl Fn(&Cell) -> bool,
    ) -> Result<Self, InputError> {
        let needs = Needs { layers: 0, mlps: 0, ..plan.needs(ids, &batches) };
        let forward = ForwardPass::new(opened.model(&needs)?, plan.mask, 0)?;
        let begin = |batch: &Batch| {
            let text = |group: &PrefixGroup| plan.special.window(ids, group.longest.n, group.longest.window);
            let texts = batch.prefix_groups.iter().map(text).collect::<Result<Vec<_>, InputError>>()?;
            forward.begin(&texts.iter().map(Vec::as_slice).collect::<Vec<&[u32]>>(), plan.kind, &plan.layers)
        };
        let passes = batches.iter().map(begin).collect::<Result<_, InputError>>()?;
        let wanted = batches.iter().flat_map(|batch| plan.cells(batch)).filter(is_wanted).collect();
        Ok(LayerByLayer { plan: plan.clone(), batches, wanted, passes, layer: 0, stage: Stage::Between })
    }

    /// The layer that is read, passed or measured next.
    #[must_use]
    pub fn layer(&self) -> usize {
        self.layer
    }

    /// How many layers the run needs.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.plan.depth()
    }

    /// Whether the next step reads a layer.
    #[must_use]
    pub fn reads_next(&self) -> bool {
        matches!(self.stage, Stage::Between) && self.layer < self.layers()
    }

    /// Reads the next layer, takes a batch through the present one, or does one step at a cell of it.
    ///
    /// # Errors
    /// [`InputError`] if a tensor of the layer cannot be read, or numbers overflow.
    pub fn step<S: Source>(&mut self, opened: &mut Opened<S>) -> Result<LayerStep, InputError> {
        match &mut self.stage {
            Stage::Between if self.layer == self.plan.depth() => Ok(LayerStep::Measuring(BatchStep::Done)),
            Stage::Between => {
                let forward = Box::new(read(opened, &self.plan, self.layer)?);
                self.stage = Stage::Passing { forward, batch: 0 };
                Ok(LayerStep::Read)
            }
            Stage::Passing { forward, batch } => {
                if let Some(pass) = self.passes.get_mut(*batch) {
                    forward.pass_layer(pass)?;
                    *batch += 1;
                    let (layers, of) = pass.progress();
                    return Ok(LayerStep::Measuring(BatchStep::Passed { layers, of }));
                }
                let left = self.places();
                if let Stage::Passing { forward, .. } = std::mem::replace(&mut self.stage, Stage::Between) {
                    self.stage =
                        Stage::Measuring { model: Box::new(forward.into_model()), left, map: None, cell: None };
                }
                self.step(opened)
            }
            Stage::Measuring { model, left, map, cell } => {
                if let Some((at, estimating)) = cell {
                    let step = BatchStep::at_cell(*at, estimating.step()?);
                    if let BatchStep::Row(..) = step {
                        *cell = None;
                    }
                    return Ok(LayerStep::Measuring(step));
                }
                let Some(Place { cell: next, at, batch, prefix_group }) = left.pop_front() else {
                    for at in (0..self.plan.layers.len()).filter(|at| self.plan.layers[*at] == self.layer) {
                        self.passes.iter_mut().for_each(|pass| pass.forget(at));
                    }
                    self.layer += 1;
                    self.stage = Stage::Between;
                    return Ok(LayerStep::Dropped);
                };
                if map.as_ref().is_none_or(|(heads, _)| *heads != next.heads) {
                    // The memory of the earlier heads is free before that of the next ones is taken.
                    *map = None;
                    let next_map = LayerMap::new(model, self.layer, self.plan.kind, next.heads)?;
                    let wanted = &self.plan.statistics.wanted;
                    let prepared = prepare(next_map, model, ((self.layer, next.heads), wanted))?;
                    *map = Some((next.heads, prepared));
                }
                let Plan { estimators, options, bounds, upper, mask, .. } = self.plan;
                let extras = Extras { bounds, upper, statistics: &self.plan.statistics.wanted };
                if let Some((_, map)) = map
                    && let Some(tokens) = self.passes[batch].inputs_at(at).nth(prefix_group)
                {
                    let tokens = tokens.columns(0, next.n).into_owned();
                    let begun = Estimating::new(map, &tokens, mask, (estimators, options), extras)?;
                    *cell = Some((next, Box::new(begun)));
                }
                Ok(LayerStep::Measuring(BatchStep::Iterated { iterations: 0, relative_residual: None }))
            }
        }
    }

    /// The wanted cells of the present layer, those of the same heads together.
    fn places(&self) -> VecDeque<Place> {
        let (plan, layer) = (&self.plan, self.layer);
        let at_layer = (0..plan.layers.len()).filter(|at| plan.layers[*at] == layer);
        let with_heads = at_layer.flat_map(|at| plan.heads.iter().map(move |heads| (at, *heads)));
        let mut places = VecDeque::new();
        for (at, heads) in with_heads {
            for (batch_idx, batch) in self.batches.iter().enumerate() {
                for (group_idx, group) in batch.prefix_groups.iter().enumerate() {
                    let of_window = |Window { n, window }| Cell { layer, heads, n, window };
                    let cells = group.windows().map(of_window).filter(|cell| self.wanted.contains(cell));
                    places.extend(cells.map(|cell| Place { cell, at, batch: batch_idx, prefix_group: group_idx }));
                }
            }
        }
        places
    }
}

/// The model with the layer of a cell alone, and what enters the layer's map at the cell's window, d x n; one layer is in
/// memory at a time.
///
/// # Errors
/// [`InputError`] if the text has no such window, or as [`LayerByLayer`].
pub(crate) fn layer_at_window<S: Source>(
    opened: &mut Opened<S>,
    plan: &Plan,
    ids: &[u32],
    cell: &Cell,
) -> Result<(Model, DMatrix<f64>), InputError> {
    let window = &plan.special.window(ids, cell.n, cell.window)?;
    let plan = Plan { layers: vec![cell.layer], ..plan.clone() };
    let needs = Needs { layers: 0, mlps: 0, ids: window.iter().copied().collect(), positions: window.len() };
    let embedded = ForwardPass::new(opened.model(&needs)?, plan.mask, 0)?;
    let mut pass = embedded.begin(&[window], plan.kind, &plan.layers)?;
    for layer in 0..cell.layer {
        read(opened, &plan, layer)?.pass_layer(&mut pass)?;
    }
    let forward = read(opened, &plan, cell.layer)?;
    forward.pass_layer(&mut pass)?;
    Ok((forward.into_model(), pass.into_inputs().remove(0).remove(0)))
}

/// Reads a layer as far as a plan needs it, and prepares the pass through it.
fn read<S: Source>(opened: &mut Opened<S>, plan: &Plan, layer: usize) -> Result<ForwardPass<Model>, InputError> {
    let model = opened.layer(layer, LayerParts::of(layer, plan.mlps()))?;
    ForwardPass::new(model, plan.mask, plan.passed_layers().min(layer + 1).max(layer))
}
