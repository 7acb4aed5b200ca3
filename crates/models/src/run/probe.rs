//! Maps of a model at the windows of a probe, measured for rows of a monitor (docs/monitor.md).

use nalgebra::DMatrix;

use super::bounding::Bounding;
use super::estimating::{Estimating, Estimators, Extras};
use super::plan::Plan;
use super::statistics_plan::prepare;
use crate::config::map_kind::{Heads, MapKind};
use crate::parts::forward::ForwardPass;
use crate::parts::layer_map::LayerMap;
use crate::parts::model::Model;
use crate::results::estimate::Estimate;
use crate::results::statistics::{HeadStatistics, Statistic};
use lipscope_core::experiment::{InputError, Order};
use lipscope_core::measure::UpperNumber;
use lipscope_core::spectral::LanczosOptions;

/// The windows of a plan of one length, at the maps of its layers with all heads.
#[derive(Debug)]
pub struct Probe<'a> {
    model: &'a Model,
    plan: &'a Plan,
    /// For each window and each layer of the plan, the input of the layer's map, d x n.
    inputs: Vec<Vec<DMatrix<f64>>>,
}

/// What is found of a map at a window.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbedMap {
    /// The norm, and the numbers of all heads together.
    pub estimate: Estimate,
    /// |f(X)|.
    pub output: f64,
    /// The numbers of every head of the map; empty for a map without attention.
    pub heads: Vec<HeadStatistics>,
}

impl<'a> Probe<'a> {
    /// Takes the windows through the model.
    ///
    /// # Errors
    /// [`InputError`] if the text has no such windows, the model no such layer, or numbers overflow.
    pub fn new(model: &'a Model, plan: &'a Plan, ids: &[u32]) -> Result<Self, InputError> {
        let window = |window: usize| plan.special.window(ids, plan.longest(), window);
        let windows = (0..plan.windows).map(window).collect::<Result<Vec<_>, InputError>>()?;
        let windows: Vec<&[u32]> = windows.iter().map(Vec::as_slice).collect();
        let forward = ForwardPass::new(model, plan.mask, plan.passed_layers())?;
        Ok(Probe { model, plan, inputs: forward.inputs(&windows, plan.kind, &plan.layers)? })
    }

    /// The windows and the places of layers in the plan, window by window.
    #[must_use]
    pub fn places(&self) -> Vec<(usize, usize)> {
        let layers = 0..self.plan.layers.len();
        (0..self.inputs.len()).flat_map(|window| layers.clone().map(move |at| (window, at))).collect()
    }

    /// Measures the map of a place, with the plan's statistics.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if numbers overflow.
    pub fn measure(&self, (window, at): (usize, usize)) -> Result<ProbedMap, InputError> {
        let Plan { kind, mask, options, ref statistics, .. } = *self.plan;
        let place = (self.plan.layers[at], kind, Heads::All);
        ProbedMap::new(self.model, place, (&self.inputs[window][at], mask), (options, &statistics.wanted))
    }
}

impl ProbedMap {
    /// Measures a map of some heads of a layer at its tokens (d x n), with the wanted numbers.
    ///
    /// # Errors
    /// [`InputError`] if the model has no such layer or head, or numbers overflow.
    pub fn new(
        model: &Model,
        (layer, kind, heads): (usize, MapKind, Heads),
        (tokens, mask): (&DMatrix<f64>, Order),
        (options, statistics): (LanczosOptions, &[Statistic]),
    ) -> Result<ProbedMap, InputError> {
        let map = prepare(LayerMap::new(model, layer, kind, heads)?, model, ((layer, heads), statistics))?;
        let extras = Extras { bounds: Bounding::Skipped, upper: UpperNumber::Skipped, statistics };
        let estimating = Estimating::new(&map, tokens, mask, (Estimators::Spectral, options), extras)?;
        let (output, heads) = (estimating.output(), estimating.heads().to_vec());
        Ok(ProbedMap { estimate: estimating.finish()?, output, heads })
    }
}
