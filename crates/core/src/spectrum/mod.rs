//! The spectrum of the Jacobian: all its singular values where it is small, the leading ones where it is not, and the
//! tokens that the first singular pair lives on.
//!
//! At the first pair J v = s u, J^T u = s v the numbers u_i^T J_ij v_j / s say what output token i takes from input token
//! j: they sum to |u_i|^2 over j, to |v_j|^2 over i, and to one over both.

mod clusters;
mod cost;
mod finding;
mod pair;

use serde::{Deserialize, Serialize};

use crate::experiment::Experiment;
use crate::measure::Method;

pub use cost::cost;
pub use finding::{Finding, Step};

/// What to find.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpectrumPlan {
    /// Where the Jacobian is taken.
    pub experiment: Experiment,
    /// How many of the leading values, where not all are found.
    pub count: usize,
}

/// The leading values that are found unless more are asked for.
pub const USUAL_COUNT: usize = 20;
/// The most leading values anyone may ask for.
pub const MOST_COUNT: usize = 100;
/// All singular values up to this many rows and columns: half a second.
pub const ALL_UP_TO: usize = 600;
/// The relative residual to which each value is iterated.
pub const TOLERANCE: f64 = 1e-8;

/// The singular values of a Jacobian, and where its first pair lives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// How.
    pub method: Method,
    /// The values, largest first.
    pub levels: Vec<Level>,
    /// Whether these are all that are not zero to rounding.
    pub coverage: Coverage,
    /// How many singular values J has: the lesser of its rows and columns. May pass any integer for a token measure.
    pub size: f64,
    /// Values below this are zero to rounding.
    pub zero_below: f64,
    /// Steps of the iterations; 0 where there were none.
    pub iterations: usize,
    /// The first pair; `None` for J = 0 and while it is sought.
    pub top: Option<TopPair>,
}

/// One singular value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// s.
    pub value: f64,
    /// How often it is there for reasons of symmetry: more than once only for a token measure.
    pub multiplicity: f64,
    /// |J^T u - s v| / s from the vectors; 0 for a dense SVD, `None` while it is sought.
    pub relative_residual: Option<f64>,
}

/// Which singular values are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coverage {
    /// All.
    All,
    /// The largest ones.
    Leading,
}

/// What the entries of the first pair are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Places {
    /// Tokens.
    Tokens,
    /// Clusters of equal tokens, each as a whole.
    Clusters,
}

/// The first singular pair, token by token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopPair {
    /// Tokens or clusters.
    pub places: Places,
    /// Those with most energy, in order.
    pub energies: Vec<Energy>,
    /// |J^T u - s v| / s from the vectors.
    pub relative_residual: f64,
    /// The block that carries most of s; `None` where n is too large to look at every block.
    pub block: Option<TopBlock>,
}

/// What a token has of the first pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Which, from 0.
    pub place: usize,
    /// |v_j|^2, of 1 over all tokens.
    pub input: f64,
    /// |u_i|^2, of 1 over all tokens.
    pub output: f64,
}

/// The block that carries most of the first singular value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopBlock {
    /// i, from 0.
    pub output: usize,
    /// j, from 0.
    pub input: usize,
    /// u_i^T J_ij v_j / s; over all blocks they sum to 1.
    pub share: f64,
    /// The same as a part of |u_i|^2: what output token i takes from input token j, of all that it takes.
    pub of_output: f64,
    /// ||J_ij||_2.
    pub norm: f64,
}

impl Level {
    /// Whether its residual is small enough to call it the value itself; else it is a lower bound.
    #[must_use]
    pub fn is_converged(&self) -> bool {
        self.relative_residual.is_some_and(|residual| residual <= 10.0 * TOLERANCE)
    }
}

impl Spectrum {
    /// The largest value.
    #[must_use]
    pub fn first(&self) -> Option<Level> {
        self.levels.first().copied()
    }

    /// The second largest; the first again where it is there more than once.
    #[must_use]
    pub fn second(&self) -> Option<Level> {
        self.levels.first().copied().filter(|first| first.multiplicity >= 2.0).or(self.levels.get(1).copied())
    }

    /// The first over the second; `None` where the second is zero to rounding.
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        let (first, second) = (self.first()?, self.second()?);
        (second.value > self.zero_below).then(|| first.value / second.value)
    }

    /// How many values are listed, each as often as it is there.
    #[must_use]
    pub fn listed(&self) -> f64 {
        self.levels.iter().map(|level| level.multiplicity).sum()
    }

    /// How many of the listed values are above zero by more than rounding: the numerical rank where all are listed, a lower
    /// bound on it else.
    #[must_use]
    pub fn rank(&self) -> f64 {
        let above = self.levels.iter().filter(|level| level.value > self.zero_below);
        above.map(|level| level.multiplicity).sum()
    }
}
