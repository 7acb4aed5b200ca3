//! The measurement of windows: the maps of a plan, and a batch of windows through them.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use nalgebra::DMatrix;

use super::at_window::AtWindow;
use super::batch::{Batch, PrefixGroup, Window};
use super::batch_step::BatchStep;
use super::estimating::{Estimating, Extras};
use super::plan::Plan;
use super::statistics_plan::prepare;
use crate::config::map_kind::Heads;
use crate::parts::attention_map::AttentionMap;
use crate::parts::forward::{ForwardPass, Pass};
use crate::parts::layer_map::LayerMap;
use crate::parts::model::Model;
use crate::results::estimate::Estimate;
use crate::results::table::Cell;
use lipscope_core::experiment::InputError;

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
                maps.insert((*layer, *heads), prepare(map, of, ((*layer, *heads), &plan.statistics.wanted))?);
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

    /// One window at the layer of a cell.
    ///
    /// # Errors
    /// [`InputError`] if the text has no such window, or the model no such layer.
    pub fn at_window(&self, ids: &[u32], cell: &Cell) -> Result<AtWindow<'_>, InputError> {
        let window = self.plan.special.window(ids, cell.n, cell.window)?;
        let tokens = self.forward.inputs(&[&window], self.plan.kind, &[cell.layer])?.remove(0).remove(0);
        Ok(AtWindow::of_model(self.model(), &self.plan, *cell, tokens))
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
        let mut rows = Vec::new();
        loop {
            match self.step(&mut cells)? {
                BatchStep::Row(cell, found) => rows.push((cell, found)),
                BatchStep::Done => return Ok(rows),
                BatchStep::Passed { .. } | BatchStep::Iterated { .. } | BatchStep::Bounded => {}
            }
        }
    }

    /// Begins to pass a batch through the model. [`Maps::step`] does the rest.
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
        // The forward pass covers the whole batch even if few cells are wanted, so that their digits are the same in
        // every run.
        let prefix_groups = if wanted.is_empty() { Vec::new() } else { batch.prefix_groups.clone() };
        let text = |group: &PrefixGroup| plan.special.window(ids, group.longest.n, group.longest.window);
        let texts: Vec<Vec<u32>> = prefix_groups.iter().map(text).collect::<Result<_, InputError>>()?;
        let texts: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
        let stage = match texts.is_empty() {
            true => Stage::nothing(),
            false => Stage::Passing(self.forward.begin(&texts, plan.kind, &plan.layers)?),
        };
        Ok(BatchCells { prefix_groups, stage, wanted: wanted.into_iter() })
    }

    /// Does one step for a batch: one layer of its pass, or one step of a cell's iteration or bounds.
    ///
    /// # Errors
    /// [`InputError`] if the model has no such layer, or numbers overflow.
    pub fn step(&self, cells: &mut BatchCells) -> Result<BatchStep, InputError> {
        match &mut cells.stage {
            Stage::Passing(pass) => {
                self.forward.pass_layer(pass)?;
                let (layers, of) = pass.progress();
                if layers == of {
                    let ended = std::mem::replace(&mut cells.stage, Stage::nothing());
                    if let Stage::Passing(pass) = ended {
                        cells.stage = Stage::Measuring { inputs: pass.into_inputs(), cell: None };
                    }
                }
                Ok(BatchStep::Passed { layers, of })
            }
            Stage::Measuring { inputs, cell } => {
                let Some((at, estimating)) = cell else {
                    let Some(next) = cells.wanted.next() else { return Ok(BatchStep::Done) };
                    let begun = self.begin_cell(&next, &cells.prefix_groups, inputs)?;
                    *cell = Some((next, Box::new(begun)));
                    return Ok(BatchStep::Iterated { iterations: 0, relative_residual: None });
                };
                let step = BatchStep::at_cell(*at, estimating.step()?);
                if let BatchStep::Row(..) = step {
                    *cell = None;
                }
                Ok(step)
            }
        }
    }

    /// Begins to measure a cell at the tokens that came out of the pass.
    fn begin_cell(
        &self,
        cell: &Cell,
        prefix_groups: &[PrefixGroup],
        inputs: &[Vec<DMatrix<f64>>],
    ) -> Result<Estimating, InputError> {
        let plan = &self.plan;
        let extras = Extras { bounds: plan.bounds, upper: plan.upper, statistics: &plan.statistics.wanted };
        let window = Window { n: cell.n, window: cell.window };
        let at_group = prefix_groups.iter().position(|prefix_group| prefix_group.has(window)).unwrap_or(0);
        let at_layer = plan.layers.iter().position(|layer| *layer == cell.layer).unwrap_or(0);
        let map = &self.maps[&(cell.layer, cell.heads)];
        let tokens = inputs[at_group][at_layer].columns(0, cell.n).into_owned();
        Estimating::new(map, &tokens, plan.mask, (plan.estimators, plan.options), extras)
    }
}

/// A batch on its way, with the cells that are still to be measured.
#[derive(Debug)]
pub struct BatchCells {
    prefix_groups: Vec<PrefixGroup>,
    stage: Stage,
    wanted: std::vec::IntoIter<Cell>,
}

#[derive(Debug)]
enum Stage {
    /// The windows pass through the model.
    Passing(Pass),
    /// Cells are measured.
    Measuring {
        /// For each prefix group and each layer of the plan, the input of the layer's map, d x n.
        inputs: Vec<Vec<DMatrix<f64>>>,
        /// The cell under way.
        cell: Option<(Cell, Box<Estimating>)>,
    },
}

impl Stage {
    /// A stage in which no cell is left.
    fn nothing() -> Self {
        Stage::Measuring { inputs: Vec::new(), cell: None }
    }
}
