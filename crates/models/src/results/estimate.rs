//! What is found at a window of a map: ||J||_2, the value of the released script, R, the attention sink and bounds.

use serde::{Deserialize, Serialize};

use super::local_bounds::LocalBounds;
use super::statistics::Statistics;
use lipscope_core::spectral::{LanczosOptions, ProbableUpper, SingularTriplet};

/// ||J||_2 with the accuracy of its computation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpectralNorm {
    /// A lower bound on ||J||_2, equal to it up to the residual.
    pub value: f64,
    /// Steps of the iteration.
    pub iterations: usize,
    /// |J^T u - s v| / s.
    pub relative_residual: f64,
}

impl SpectralNorm {
    /// The norm of a triplet.
    #[must_use]
    pub(crate) fn of(triplet: &SingularTriplet) -> Self {
        let SingularTriplet { value, iterations, relative_residual, .. } = *triplet;
        SpectralNorm { value, iterations, relative_residual }
    }

    /// Whether the residual is small enough to report the value as ||J||_2; otherwise it is a lower bound.
    #[must_use]
    pub fn is_converged(&self) -> bool {
        self.relative_residual <= LanczosOptions::default().tolerance
    }
}

/// The token that receives the most attention.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sink {
    /// The largest column sum of P over heads and tokens, at most n.
    pub mass: f64,
    /// Index of the token.
    pub token: usize,
    /// Index of the head within the map.
    pub head: usize,
}

/// The results for one window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// ||J||_2, if requested.
    pub spectral: Option<SpectralNorm>,
    /// sqrt(|J^T f(X)|), if requested.
    pub released: Option<f64>,
    /// R = sqrt(mean |x_i|^2) of the map's input, as in the released script.
    pub radius: f64,
    /// The token that receives the most attention in the map's last layer, unless the map has no attention.
    pub sink: Option<Sink>,
    /// Upper bounds at the same tokens, if requested, for attention alone.
    pub bounds: Option<LocalBounds>,
    /// The smallest upper number on ||J||_2, if requested: it may fail by chance, or is the better of `bounds`.
    pub upper: Option<ProbableUpper>,
    /// Further numbers, those that were requested.
    pub statistics: Statistics,
}

impl Estimate {
    /// Whether two measurements of a cell may be of the same one: equal but for further numbers, bounds or an upper number that
    /// one of them lacks. With an upper number the iteration starts elsewhere, so that the norms agree up to their residuals only.
    #[must_use]
    pub fn is_alike(&self, other: &Estimate) -> bool {
        let is_one_without_upper = self.upper.is_some() != other.upper.is_some();
        let has_same_norm = match (self.spectral, other.spectral) {
            (Some(here), Some(there)) if is_one_without_upper => {
                let most = here.relative_residual + there.relative_residual;
                (here.value - there.value).abs() <= most * here.value.max(there.value)
            }
            (here, there) => here == there && self.upper == other.upper,
        };
        let nothing = Statistics::default();
        let rest = |of: &Estimate| Estimate { spectral: None, upper: None, bounds: None, statistics: nothing, ..*of };
        let are_bounds_alike = self.bounds.is_none() || other.bounds.is_none() || self.bounds == other.bounds;
        has_same_norm && are_bounds_alike && self.statistics.is_alike(&other.statistics) && rest(self) == rest(other)
    }

    /// Whether this measurement of a cell has further numbers, bounds or an upper number that another one lacks.
    #[must_use]
    pub fn adds_to(&self, other: &Estimate) -> bool {
        (other.bounds.is_none() && self.bounds.is_some())
            || (other.upper.is_none() && self.upper.is_some())
            || self.statistics.adds_to(&other.statistics)
    }

    /// This measurement with the further numbers, the bounds, the upper number and its norm of another one of the same cell,
    /// where it lacks them.
    #[must_use]
    pub fn or_with(&self, other: &Estimate) -> Estimate {
        let of_norm = if self.upper.is_some() || other.upper.is_none() { self } else { other };
        let Estimate { spectral, upper, .. } = *of_norm;
        let statistics = self.statistics.or_with(&other.statistics);
        Estimate { spectral, upper, statistics, bounds: self.bounds.or(other.bounds), ..*self }
    }
}
