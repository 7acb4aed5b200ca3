//! The input of a run over windows, and what it costs.

use super::config::{MapKind, ModelConfig};
use super::estimate::Estimators;
use super::map::Heads;
use super::text::check_windows;
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

/// Approximate number of tokens in a batch's forward pass: enough to amortise reading the weight matrices.
pub(super) const PASS_TOKENS: usize = 256;
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
}
