//! A run that holds one layer of the model at a time: for a model whose layers do not fit in memory together.
//!
//! A layer is read, the windows of all batches pass through it, its own cells are measured, and it is dropped. Windows
//! share products with weights exactly as in a run that holds all layers, so the numbers are the same to the last digit.

use super::batch::{Batch, Window};
use super::estimate::{Estimate, Estimating};
use super::forward::{ForwardPass, Pass};
use super::layer_map::LayerMap;
use super::opened::Opened;
use super::parts::{LayerParts, Needs};
use super::plan::Plan;
use super::source::Source;
use super::table::Cell;
use super::text::window_span;
use lipscope_core::experiment::InputError;

/// The windows of some batches on their way through a model.
#[derive(Debug)]
pub struct LayerByLayer {
    plan: Plan,
    batches: Vec<Batch>,
    passes: Vec<Pass>,
    /// The next layer.
    layer: usize,
}

impl LayerByLayer {
    /// Begins with the embeddings of the windows.
    ///
    /// # Errors
    /// [`InputError`] if the model has no such token or position, or a tensor cannot be read.
    pub fn new<S: Source>(
        opened: &mut Opened<S>,
        plan: &Plan,
        ids: &[u32],
        batches: Vec<Batch>,
    ) -> Result<Self, InputError> {
        let needs = Needs { layers: 0, mlps: 0, ..plan.needs(ids, &batches) };
        let forward = ForwardPass::new(opened.model(&needs)?, plan.mask, 0)?;
        let begin = |batch: &Batch| {
            let longest = batch.prefix_groups.iter().map(|group| window_span(group.longest.n, group.longest.window));
            forward.begin(&longest.map(|span| &ids[span]).collect::<Vec<&[u32]>>(), plan.kind, &plan.layers)
        };
        let passes = batches.iter().map(begin).collect::<Result<_, InputError>>()?;
        Ok(LayerByLayer { plan: plan.clone(), batches, passes, layer: 0 })
    }

    /// How many layers are done, and how many there are to do.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.layer, self.plan.depth())
    }

    /// Reads the next layer, takes all windows through it, and measures the wanted cells of it; `None` after the last.
    ///
    /// # Errors
    /// [`InputError`] if a tensor of the layer cannot be read, or numbers overflow.
    pub fn next_layer<S: Source>(
        &mut self,
        opened: &mut Opened<S>,
        is_wanted: impl Fn(&Cell) -> bool,
    ) -> Result<Option<Vec<(Cell, Estimate)>>, InputError> {
        let (layer, plan) = (self.layer, &self.plan);
        if layer == plan.depth() {
            return Ok(None);
        }
        self.layer += 1;
        let model = opened.layer(layer, LayerParts::of(layer, plan.mlps()))?;
        let forward = ForwardPass::new(model, plan.mask, plan.passed_layers().min(layer + 1).max(layer))?;
        for pass in &mut self.passes {
            forward.pass_layer(pass)?;
        }
        let mut rows = Vec::new();
        for at in (0..plan.layers.len()).filter(|at| plan.layers[*at] == layer) {
            for heads in &plan.heads {
                let map = LayerMap::new(forward.model(), layer, plan.kind, *heads)?;
                let groups = self
                    .batches
                    .iter()
                    .zip(&self.passes)
                    .flat_map(|(batch, pass)| batch.prefix_groups.iter().zip(pass.inputs_at(at)));
                for (group, tokens) in groups {
                    for Window { n, window } in group.windows() {
                        let cell = Cell { layer, heads: *heads, n, window };
                        if is_wanted(&cell) {
                            let tokens = tokens.columns(0, n).into_owned();
                            let how = (plan.estimators, plan.options);
                            let estimating = Estimating::new(&map, &tokens, plan.mask, how, plan.bounds)?;
                            rows.push((cell, estimating.finish()?));
                        }
                    }
                }
            }
            self.passes.iter_mut().for_each(|pass| pass.forget(at));
        }
        Ok(Some(rows))
    }
}
