//! Upper bounds at the tokens of a cell, beside the norm that was measured there: `local`, `local_blocks` and, in the
//! norm over the largest token, `local_token` of docs/theory.md ("Local bounds of every variant").
//!
//! They hold for attention alone, with every step that a layer has: rotary positions, norms of queries and keys, a soft
//! cap, a window, keys and values shared by groups of heads, and biases of the projections. The bounds of all heads
//! together are combined from those of each: as the root of their squares before the output matrix, as their sum after
//! it.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::config::model_config::ModelConfig;
use crate::parts::jacobian::MapJacobian;
use crate::parts::layer_map::LayerMap;
use crate::results::local_bounds::LocalBounds;
use lipscope_core::bounds::{Combination, LocalBound};
use lipscope_core::experiment::{InputError, Order};

/// Whether bounds are computed beside the norms. They take about twice as long as the norms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bounding {
    /// Only norms are computed.
    #[default]
    Skipped,
    /// Norms, and the bounds at the same tokens.
    AtTokens,
}

/// The bounds of a map at its tokens (d x n); `None` for a map that is more than attention.
///
/// # Errors
/// [`InputError`] if numbers overflow or there are too many tokens.
pub fn local_bounds(map: &LayerMap, tokens: &DMatrix<f64>, mask: Order) -> Result<Option<LocalBounds>, InputError> {
    let jacobian = map.at(tokens, mask)?.jacobian;
    let Some(mut bounds) = Bounds::new(&jacobian) else { return Ok(None) };
    while !bounds.step(&jacobian) {}
    Ok(Some(bounds.finish()))
}

/// The bounds of a map at its tokens, some rows a step.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// `None` where none is proved for the steps of the layer.
    bound: Option<LocalBound>,
    combination: Combination,
}

impl Bounds {
    /// Prepares the bounds; `None` for a map that is more than attention.
    pub(crate) fn new(jacobian: &MapJacobian<f64>) -> Option<Self> {
        let forward = jacobian.attention_alone()?;
        Some(Bounds { bound: LocalBound::of_projections(forward), combination: Combination::of(forward) })
    }

    /// Adds some rows of the same map; true when all rows are done.
    pub(crate) fn step(&mut self, jacobian: &MapJacobian<f64>) -> bool {
        let next = jacobian.attention_alone().zip(self.bound.as_mut());
        next.is_none_or(|(forward, bound)| bound.step(forward))
    }

    /// The bounds, after all rows are done.
    pub(crate) fn finish(self) -> LocalBounds {
        let Some(bound) = self.bound else { return LocalBounds::default() };
        let parts = bound.finish(self.combination);
        let finite = |x: f64| x.is_finite().then_some(x);
        LocalBounds { local: finite(parts.value), blocks: parts.blocks.and_then(finite), token: finite(parts.token) }
    }
}

/// The numbers of f64 that the bounds at a window of n tokens keep: keys, values and queries of each head with two
/// factors of its own, blocks of its output matrix, and two matrices of the blocks' norms.
pub(crate) fn numbers(config: &ModelConfig, n: f64) -> f64 {
    let heads = config.heads as f64;
    heads * (8.0 * (config.head_dim * config.d) as f64 + 4.0 * n * n)
}
