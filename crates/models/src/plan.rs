//! A run over windows: which windows are measured, which part of the model that needs, and the measurement itself.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use nalgebra::DMatrix;

use super::batch::{Batch, PASS_TOKENS, PrefixGroup, Window};
use super::config::{MapKind, ModelConfig};
use super::estimate::{Estimate, Estimators, estimate};
use super::forward::ForwardPass;
use super::map::{AttentionMap, Heads};
use super::parts::{Model, Needs};
use super::table::Cell;
use super::text::{check_windows, window_span};
use lipscope_core::experiment::{InputError, Mask};
use lipscope_core::spectral::LanczosOptions;

/// Input of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Layers, from 0.
    pub layers: Vec<usize>,
    /// The maps of each layer: all heads together, or some heads one by one.
    pub heads: Vec<Heads>,
    /// Window lengths.
    pub lengths: Vec<usize>,
    /// Windows per length.
    pub windows: usize,
    /// Mask of the forward pass and of the map.
    pub mask: Mask,
    /// Whether the map includes the output matrix.
    pub kind: MapKind,
    /// The estimators to compute.
    pub estimators: Estimators,
    /// Stopping rule of the iteration for ||J||_2.
    pub options: LanczosOptions,
}

/// The most windows of a run.
pub const MOST_WINDOWS: usize = 1_000_000;

impl Plan {
    /// Checks the plan against the number of tokens in the text.
    ///
    /// # Errors
    /// [`InputError`] that names the invalid setting.
    pub fn check(&self, n_tokens: usize) -> Result<(), InputError> {
        let empty = |what: &str, least: &str| InputError::Empty { what: what.into(), least: least.into() };
        if self.layers.is_empty() || self.heads.is_empty() {
            return Err(empty("The list of layers or heads", "one"));
        }
        if self.lengths.is_empty() || self.windows == 0 {
            return Err(empty("The list of lengths or windows", "one"));
        }
        if self.lengths.contains(&0) {
            return Err(InputError::BadValue {
                key: "lengths".into(),
                found: "0".into(),
                expected: "numbers of tokens from 1 on".into(),
            });
        }
        let total = self.lengths.len().saturating_mul(self.windows);
        if total > MOST_WINDOWS {
            return Err(InputError::TooLarge {
                what: "The number of windows".into(),
                found: total.to_string(),
                limit: MOST_WINDOWS.to_string(),
                fix: "Give fewer lengths or windows.".into(),
            });
        }
        check_windows(n_tokens, self.longest(), self.windows)
    }

    /// The longest window length.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.lengths.iter().copied().max().unwrap_or(0)
    }

    /// The part of a model that some batches need.
    #[must_use]
    pub fn needs(&self, ids: &[u32], batches: &[Batch]) -> Needs {
        let texts = batches.iter().flat_map(|batch| &batch.prefix_groups).map(|prefix_group| prefix_group.longest);
        Needs {
            layers: self.layers.iter().max().map_or(0, |layer| layer + 1),
            ids: texts.filter_map(|text| ids.get(window_span(text.n, text.window))).flatten().copied().collect(),
            positions: batches.iter().map(Batch::longest).max().unwrap_or(0),
        }
    }

    /// Approximate memory of a run with this plan in bytes, with a margin for temporaries.
    ///
    /// Weights are f32: 4 d^2 for attention and 2 d inner for the feed-forward network, for each layer up to the
    /// deepest. The forward pass keeps attention's 4 d^2 in f64, and the measured maps keep theirs in f64 and f32. A
    /// window adds its attention matrices and 40 pairs of vectors for the iteration.
    #[must_use]
    pub fn bytes(&self, config: &ModelConfig) -> f64 {
        const MARGIN: f64 = 1.2;
        let (d, inner) = (config.d as f64, config.inner as f64);
        let deepest = self.layers.iter().copied().max().unwrap_or(0) as f64;
        let square = 4.0 * d * d;
        let weights = 4.0 * (square * (deepest + 1.0) + 2.0 * d * inner * deepest);
        let forward = 8.0 * square * deepest;
        let share = |heads: &Heads| if *heads == Heads::All { 1.0 } else { 1.0 / config.heads as f64 };
        let maps = 12.0 * square * self.layers.len() as f64 * self.heads.iter().map(share).sum::<f64>();
        let n = self.longest() as f64;
        let tokens = n.max(PASS_TOKENS as f64);
        let window = 8.0 * (tokens * (inner + 12.0 * d) + config.heads as f64 * n * n + 80.0 * n * d);
        MARGIN * (weights + forward + maps + window)
    }

    /// The table cells that a batch fills.
    pub fn cells<'a>(&'a self, batch: &'a Batch) -> impl Iterator<Item = Cell> + 'a {
        let of_window = move |Window { n, window }: Window| {
            let layers = self.layers.iter().flat_map(|layer| self.heads.iter().map(move |heads| (*layer, *heads)));
            layers.map(move |(layer, heads)| Cell { layer, heads, n, window })
        };
        batch.windows().flat_map(of_window)
    }
}

/// The maps of a plan, built once for all windows.
#[derive(Debug)]
pub struct Maps<M> {
    plan: Plan,
    forward: ForwardPass<M>,
    maps: BTreeMap<(usize, Heads), AttentionMap>,
}

impl<M: Borrow<Model>> Maps<M> {
    /// Builds the map of every layer and head of a plan.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the model has no such layer or head.
    pub fn new(plan: &Plan, model: M) -> Result<Self, InputError> {
        let mut maps = BTreeMap::new();
        for layer in &plan.layers {
            for heads in &plan.heads {
                maps.insert((*layer, *heads), AttentionMap::new(model.borrow(), *layer, plan.kind, *heads)?);
            }
        }
        let deepest = plan.layers.iter().copied().max().unwrap_or(0);
        Ok(Maps { plan: plan.clone(), forward: ForwardPass::new(model, plan.mask, deepest)?, maps })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        self.forward.model()
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The input of a layer's attention at one window, d x n.
    ///
    /// # Errors
    /// [`InputError`] if the text has no such window, or the model no such layer.
    pub fn tokens(&self, ids: &[u32], cell: &Cell) -> Result<DMatrix<f64>, InputError> {
        let span = window_span(cell.n, cell.window);
        let window = ids.get(span).ok_or_else(|| InputError::Conflict {
            what: "The text".into(),
            problem: format!("has {} tokens, and no window {} of {}", ids.len(), cell.window, cell.n),
            fix: "Give the text that the table was measured on.".into(),
        })?;
        Ok(self.forward.inputs(&[window], &[cell.layer])?.remove(0).remove(0))
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
        let plan = &self.plan;
        let wanted: Vec<Cell> = plan.cells(batch).filter(is_wanted).collect();
        let window = |cell: &Cell| Window { n: cell.n, window: cell.window };
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        // The forward pass covers the whole batch even if few cells are wanted, so that their digits are the same in
        // every run.
        let prefix_groups = &batch.prefix_groups;
        let text = |prefix_group: &PrefixGroup| &ids[window_span(prefix_group.longest.n, prefix_group.longest.window)];
        let texts: Vec<&[u32]> = prefix_groups.iter().map(text).collect();
        let inputs = self.forward.inputs(&texts, &plan.layers)?;
        wanted
            .into_iter()
            .map(|cell| {
                let at_stretch =
                    prefix_groups.iter().position(|prefix_group| prefix_group.has(window(&cell))).unwrap_or(0);
                let at_layer = plan.layers.iter().position(|layer| *layer == cell.layer).unwrap_or(0);
                let map = &self.maps[&(cell.layer, cell.heads)];
                let tokens = inputs[at_stretch][at_layer].columns(0, cell.n).into_owned();
                Ok((cell, estimate(map, &tokens, plan.mask, plan.estimators, plan.options)?))
            })
            .collect()
    }
}
