//! The measurement of windows: the maps of a plan, and a batch of windows through them.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use nalgebra::DMatrix;

use super::attention_map::AttentionMap;
use super::batch::{Batch, PrefixGroup, Window};
use super::estimate::{Estimate, estimate};
use super::forward::ForwardPass;
use super::layer_map::LayerMap;
use super::map_kind::Heads;
use super::parts::Model;
use super::plan::Plan;
use super::table::Cell;
use super::text::window_span;
use lipscope_core::experiment::InputError;
use lipscope_core::phrase;

/// The maps of a plan, built once for all windows.
#[derive(Debug)]
pub struct Maps<M> {
    plan: Plan,
    forward: ForwardPass<M>,
    maps: BTreeMap<(usize, Heads), LayerMap>,
}

impl<M: Borrow<Model>> Maps<M> {
    /// Builds the map of every layer and head of a plan.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the model has no such layer or head.
    pub fn new(plan: &Plan, model: M) -> Result<Self, InputError> {
        let forward = ForwardPass::new(model, plan.mask, plan.passed_layers())?;
        let of = forward.model();
        let mut maps = BTreeMap::new();
        // Maps with a residual connection share a layer's attention weights with each other and with the forward pass.
        let mut shared: BTreeMap<usize, AttentionMap> = BTreeMap::new();
        for layer in &plan.layers {
            for heads in &plan.heads {
                let map = LayerMap::of(of, (*layer, *heads), plan.kind, |layer| match forward.stacked(layer) {
                    Some(stacked) if !plan.kind.is_attention_alone() => {
                        if let Some(known) = shared.get(&layer) {
                            return Ok(known.clone());
                        }
                        let map = AttentionMap::of_stacked(of, layer, stacked)?;
                        Ok(shared.entry(layer).or_insert(map).clone())
                    }
                    _ => AttentionMap::new(of, layer, plan.kind, *heads),
                })?;
                maps.insert((*layer, *heads), map);
            }
        }
        Ok(Maps { plan: plan.clone(), forward, maps })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        self.forward.model()
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The input of the map of a layer at one window, d x n.
    ///
    /// # Errors
    /// [`InputError`] if the text has no such window, or the model no such layer.
    pub fn tokens(&self, ids: &[u32], cell: &Cell) -> Result<DMatrix<f64>, InputError> {
        let span = window_span(cell.n, cell.window);
        let window = ids.get(span).ok_or_else(|| InputError::Conflict {
            what: phrase!("text", "The text"),
            problem: phrase!(
                "has_tokens_no_window",
                "has {tokens} tokens, and no window {window} of {n}",
                tokens = ids.len(),
                window = cell.window,
                n = cell.n
            ),
            fix: phrase!("give_text_table_was", "Give the text that the table was measured on."),
        })?;
        Ok(self.forward.inputs(&[window], self.plan.kind, &[cell.layer])?.remove(0).remove(0))
    }

    /// Measures the wanted cells of a batch.
    ///
    /// # Errors
    /// [`InputError`] if the model has no such token, or numbers overflow.
    pub fn measure(
        &self,
        ids: &[u32],
        batch: &Batch,
        is_wanted: impl Fn(&Cell) -> bool,
    ) -> Result<Vec<(Cell, Estimate)>, InputError> {
        let mut cells = self.begin(ids, batch, is_wanted)?;
        std::iter::from_fn(|| self.next(&mut cells).transpose()).collect()
    }

    /// Passes a batch through the model. [`Maps::next`] then measures the wanted cells one by one.
    ///
    /// # Errors
    /// [`InputError`] if the model has no such token, or numbers overflow.
    pub fn begin(
        &self,
        ids: &[u32],
        batch: &Batch,
        is_wanted: impl Fn(&Cell) -> bool,
    ) -> Result<BatchCells, InputError> {
        let plan = &self.plan;
        let wanted: Vec<Cell> = plan.cells(batch).filter(is_wanted).collect();
        if wanted.is_empty() {
            return Ok(BatchCells { prefix_groups: Vec::new(), inputs: Vec::new(), wanted: Vec::new().into_iter() });
        }
        // The forward pass covers the whole batch even if few cells are wanted, so that their digits are the same in
        // every run.
        let prefix_groups = &batch.prefix_groups;
        let text = |prefix_group: &PrefixGroup| &ids[window_span(prefix_group.longest.n, prefix_group.longest.window)];
        let texts: Vec<&[u32]> = prefix_groups.iter().map(text).collect();
        let inputs = self.forward.inputs(&texts, plan.kind, &plan.layers)?;
        Ok(BatchCells { prefix_groups: prefix_groups.clone(), inputs, wanted: wanted.into_iter() })
    }

    /// Measures the next cell of a batch; `None` after the last one.
    ///
    /// # Errors
    /// [`InputError`] if numbers overflow.
    pub fn next(&self, cells: &mut BatchCells) -> Result<Option<(Cell, Estimate)>, InputError> {
        let plan = &self.plan;
        let Some(cell) = cells.wanted.next() else { return Ok(None) };
        let window = Window { n: cell.n, window: cell.window };
        let at_group = cells.prefix_groups.iter().position(|prefix_group| prefix_group.has(window)).unwrap_or(0);
        let at_layer = plan.layers.iter().position(|layer| *layer == cell.layer).unwrap_or(0);
        let map = &self.maps[&(cell.layer, cell.heads)];
        let tokens = cells.inputs[at_group][at_layer].columns(0, cell.n).into_owned();
        let found = estimate(map, &tokens, plan.mask, plan.estimators, plan.options)?;
        Ok(Some((cell, found)))
    }
}

/// A batch whose windows have passed through the model, with the cells that are still to be measured.
#[derive(Debug)]
pub struct BatchCells {
    prefix_groups: Vec<PrefixGroup>,
    /// For each prefix group and each layer of the plan, the input of the layer's map, d x n.
    inputs: Vec<Vec<DMatrix<f64>>>,
    wanted: std::vec::IntoIter<Cell>,
}

impl BatchCells {
    /// How many cells are still to be measured.
    #[must_use]
    pub fn left(&self) -> usize {
        self.wanted.len()
    }
}
