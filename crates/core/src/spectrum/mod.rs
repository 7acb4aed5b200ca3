//! The spectrum of the Jacobian: all singular values of a small J, the leading ones of a large J, and the tokens on
//! which the leading singular pair is concentrated.
//!
//! For the leading pair J v = s u, J^T u = s v the number u_i^T J_ij v_j / s is the share of s that passes from input
//! token j to output token i: the shares sum to |u_i|^2 over j, to |v_j|^2 over i, and to one over both.

mod clusters;
mod cost;
mod finding;
mod pair;

use serde::{Deserialize, Serialize};

use crate::experiment::{Experiment, InputError};
use crate::measure::Method;
use crate::phrase;
use crate::weights::Inputs;

pub use cost::cost;
pub use finding::{Finding, Step, spectrum};

/// Input of a spectrum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpectrumPlan {
    /// The experiment whose Jacobian is decomposed.
    pub experiment: Experiment,
    /// Number of leading values to compute, if J is too large for all.
    pub count: usize,
    /// The map, which is attention with or without its residual connection.
    pub map: SpectrumMap,
}

impl SpectrumPlan {
    /// The usual number of leading values of attention without its residual connection.
    #[must_use]
    pub fn of(experiment: Experiment) -> Self {
        SpectrumPlan { experiment, count: DEFAULT_COUNT, map: SpectrumMap::Attention }
    }
}

/// The map whose Jacobian is decomposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SpectrumMap {
    /// Attention, X -> F(X).
    Attention,
    /// Attention with its residual connection, X -> X + F(X), as in a block of a transformer: J stands for I + J. In
    /// scope `composed`, with the normaliser N, this is a pre-norm block, X -> X + F(N(X)). Only for outputs of the
    /// tokens' dimension.
    AttentionResidual,
}

impl SpectrumMap {
    /// Both maps, with their names in links and on the command line.
    pub const ALL: [(&'static str, SpectrumMap); 2] =
        [("attention", SpectrumMap::Attention), ("attention-residual", SpectrumMap::AttentionResidual)];

    /// The map of that name.
    #[must_use]
    pub fn by_id(id: &str) -> Option<Self> {
        SpectrumMap::ALL.into_iter().find(|(known, _)| *known == id).map(|(_, map)| map)
    }

    /// Refuses a residual connection between outputs and tokens of different dimensions.
    pub(crate) fn check(self, inputs: &Inputs) -> Result<(), InputError> {
        if self == SpectrumMap::Attention || inputs.weights.d_out() == inputs.tokens.nrows() {
            return Ok(());
        }
        Err(InputError::bad_value(
            phrase!("output_dimension", "The dimension of the outputs"),
            inputs.weights.d_out().to_string(),
            phrase!(
                "dimension_of_tokens_for_residual",
                "{d}, that of the tokens, because x + F(x) adds the two",
                d = inputs.tokens.nrows()
            ),
        ))
    }
}

/// The default number of leading values.
pub const DEFAULT_COUNT: usize = 20;
/// The largest number of leading values.
pub const MOST_COUNT: usize = 100;
/// All singular values are computed up to this many rows and columns, which takes half a second.
pub const ALL_UP_TO: usize = 600;
/// The relative residual at which each value counts as converged.
pub const TOLERANCE: f64 = 1e-8;

/// Singular values of a Jacobian, and the tokens of the leading pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// How the values were computed.
    pub method: Method,
    /// The values, largest first.
    pub levels: Vec<Level>,
    /// Whether all values that are not zero to rounding are listed.
    pub coverage: Coverage,
    /// Number of singular values of J: the smaller of its rows and columns. For a token measure it may exceed every
    /// integer type.
    pub size: f64,
    /// The threshold below which values are zero to rounding.
    pub zero_below: f64,
    /// Lanczos steps; 0 for a dense SVD.
    pub iterations: usize,
    /// The leading pair; `None` for J = 0, and while the iteration runs.
    pub top: Option<TopPair>,
}

/// One singular value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// s.
    pub value: f64,
    /// Its multiplicity due to symmetry: above 1 only for a token measure.
    pub multiplicity: f64,
    /// |J^T u - s v| / s computed from the vectors; 0 for a dense SVD, `None` while the iteration runs.
    pub relative_residual: Option<f64>,
}

/// Whether all singular values are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coverage {
    /// All values that are not zero to rounding.
    All,
    /// Only the largest values.
    Leading,
}

/// Whether the entries of a singular pair belong to tokens or to clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Places {
    /// One entry per token.
    Tokens,
    /// One entry per cluster of equal tokens, summed over the tokens of the cluster.
    Clusters,
}

/// The leading singular pair, token by token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopPair {
    /// Whether `energies` belong to tokens or clusters.
    pub places: Places,
    /// The tokens with the largest energies, in the order of the list.
    pub energies: Vec<Energy>,
    /// |J^T u - s v| / s computed from the vectors.
    pub relative_residual: f64,
    /// The block with the largest share of s; `None` if n is too large to compute every block.
    pub block: Option<TopBlock>,
}

/// The share of one token in the leading pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Index of the token or cluster.
    pub place: usize,
    /// |v_j|^2; the sum over all tokens is 1.
    pub input: f64,
    /// |u_i|^2; the sum over all tokens is 1.
    pub output: f64,
}

/// The block J_ij with the largest share of the largest singular value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopBlock {
    /// Index i of the output token.
    pub output: usize,
    /// Index j of the input token.
    pub input: usize,
    /// u_i^T J_ij v_j / s; the sum over all blocks is 1.
    pub share: f64,
    /// The same divided by |u_i|^2: the part of output token i that comes from input token j.
    pub of_output: f64,
    /// ||J_ij||_2.
    pub norm: f64,
}

impl Level {
    /// Whether the residual is small enough to report the value as a singular value; otherwise the value is a lower
    /// bound.
    #[must_use]
    pub fn is_converged(&self) -> bool {
        self.relative_residual.is_some_and(|residual| residual <= 10.0 * TOLERANCE)
    }
}

impl Spectrum {
    /// The largest singular value.
    #[must_use]
    pub fn first(&self) -> Option<Level> {
        self.levels.first().copied()
    }

    /// The second largest singular value; equal to the first if that has a multiplicity above 1.
    #[must_use]
    pub fn second(&self) -> Option<Level> {
        self.levels.first().copied().filter(|first| first.multiplicity >= 2.0).or(self.levels.get(1).copied())
    }

    /// The ratio of the first to the second value; `None` if the second is zero to rounding.
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        let (first, second) = (self.first()?, self.second()?);
        (second.value > self.zero_below).then(|| first.value / second.value)
    }

    /// Number of listed values, counted with multiplicity.
    #[must_use]
    pub fn listed(&self) -> f64 {
        self.levels.iter().map(|level| level.multiplicity).sum()
    }

    /// Number of listed values above rounding error: the numerical rank if all are listed, otherwise a lower bound on
    /// it.
    #[must_use]
    pub fn rank(&self) -> f64 {
        let above = self.levels.iter().filter(|level| level.value > self.zero_below);
        above.map(|level| level.multiplicity).sum()
    }
}
