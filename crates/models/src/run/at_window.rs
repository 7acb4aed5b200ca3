//! One window at one layer of a model: what can be asked there beside its norm.

use std::borrow::Cow;

use nalgebra::DMatrix;

use super::certify::{WindowCertificate, WindowCertifyPlan};
use super::layerwise::layer_at_window;
use super::plan::Plan;
use super::window::{WindowExperiment, window_experiment};
use super::worst_change::WorstChanging;
use crate::parts::layer_map::LayerMap;
use crate::parts::model::Model;
use crate::read::opened::Opened;
use crate::read::source::Source;
use crate::results::table::Cell;
use lipscope_core::experiment::{InputError, Memory};

/// A window at the layer of a cell.
#[derive(Debug)]
pub struct AtWindow<'a> {
    /// With the cell's layer at least.
    model: Cow<'a, Model>,
    plan: &'a Plan,
    cell: Cell,
    /// What enters the layer's map, d x n.
    tokens: DMatrix<f64>,
}

impl<'a> AtWindow<'a> {
    /// A window of a model in memory, and what enters the map of its layer, d x n.
    pub(crate) fn of_model(model: &'a Model, plan: &'a Plan, cell: Cell, tokens: DMatrix<f64>) -> Self {
        AtWindow { model: Cow::Borrowed(model), plan, cell, tokens }
    }

    /// Takes a window to its layer, with one layer of the model in memory at a time.
    ///
    /// # Errors
    /// [`InputError`] if the text has no such window, a tensor cannot be read, or numbers overflow.
    pub fn by_layer<S: Source>(
        opened: &mut Opened<S>,
        plan: &'a Plan,
        ids: &[u32],
        cell: Cell,
    ) -> Result<Self, InputError> {
        let (model, tokens) = layer_at_window(opened, plan, ids, &cell)?;
        Ok(AtWindow { model: Cow::Owned(model), plan, cell, tokens })
    }

    /// What enters the layer's map, d x n.
    #[must_use]
    pub fn tokens(&self) -> &DMatrix<f64> {
        &self.tokens
    }

    /// An experiment with the same Jacobian.
    ///
    /// # Errors
    /// As [`window_experiment`].
    pub fn experiment(&self) -> Result<WindowExperiment, InputError> {
        window_experiment(&self.model, self.plan, &self.cell, &self.tokens)
    }

    /// Begins to certify the layer at the window.
    ///
    /// # Errors
    /// As [`WindowCertifyPlan::check`].
    pub fn certificate(&self, certify: &WindowCertifyPlan, memory: Memory) -> Result<WindowCertificate, InputError> {
        WindowCertificate::start_within(&self.model, (self.plan, &self.cell), certify, &self.tokens, memory)
    }

    /// Begins the search for the worst change.
    ///
    /// # Errors
    /// [`InputError`] if the map has no such head, or numbers overflow.
    pub fn worst_change(&self) -> Result<WorstChanging, InputError> {
        let map = LayerMap::new(&self.model, self.cell.layer, self.plan.kind, self.cell.heads)?;
        WorstChanging::new(&map, &self.tokens, self.plan.mask, self.plan.options)
    }
}
