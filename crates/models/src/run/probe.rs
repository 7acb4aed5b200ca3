//! A map of a layer at one window, measured for a row of a monitor (docs/monitor.md).

use nalgebra::DMatrix;

use super::bounding::Bounding;
use super::estimating::{Estimating, Estimators, Extras};
use crate::config::map_kind::{Heads, MapKind};
use crate::parts::layer_map::LayerMap;
use crate::parts::model::Model;
use crate::results::estimate::Estimate;
use crate::results::statistics::{HeadStatistics, Statistic};
use lipscope_core::experiment::{InputError, Order};
use lipscope_core::measure::UpperNumber;
use lipscope_core::spectral::LanczosOptions;

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

impl ProbedMap {
    /// Measures a map of some heads of a layer at its tokens (d x n), with every [`Statistic`] that it has.
    ///
    /// # Errors
    /// [`InputError`] if the model has no such layer or head, or numbers overflow.
    pub fn new(
        model: &Model,
        (layer, kind, heads): (usize, MapKind, Heads),
        (tokens, mask): (&DMatrix<f64>, Order),
        options: LanczosOptions,
    ) -> Result<ProbedMap, InputError> {
        let map = LayerMap::new(model, layer, kind, heads)?.with_weight_norms(model, (layer, heads))?;
        let extras = Extras { bounds: Bounding::Skipped, upper: UpperNumber::Skipped, statistics: &Statistic::ALL };
        let estimating = Estimating::new(&map, tokens, mask, (Estimators::Spectral, options), extras)?;
        let (output, heads) = (estimating.output(), estimating.heads().to_vec());
        Ok(ProbedMap { estimate: estimating.finish()?, output, heads })
    }
}
