//! What searches have found.

use lipscope_core::bounds::Norm;
use lipscope_core::experiment::Experiment;

use crate::plans;
use crate::state::PageState;

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchFound {
    /// Number of tokens.
    pub n: f64,
    /// The norm at the best tokens.
    pub norm: f64,
    /// Dimension of a token.
    pub d: usize,
    /// R of the search.
    pub radius: f64,
    /// The largest norm of the best tokens.
    pub largest_norm: f64,
    /// The map that was searched: see [`plans::map`].
    pub map: Experiment,
}

impl SearchFound {
    /// Whether it holds for a state whose ball has this radius. It holds for the spectral norm only.
    #[must_use]
    pub fn is_about(&self, state: &PageState, radius: f64) -> bool {
        // Tokens of one dimension say nothing about tokens of fewer dimensions.
        if state.norm != Norm::Spectral || state.dim() != self.d {
            return false;
        }
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        (same(radius, self.radius) || same(radius, self.largest_norm)) && plans::map(state) == self.map
    }
}
