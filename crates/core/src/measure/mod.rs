//! One measurement: from an experiment to its norm, its bounds, and what it says of its own accuracy.
//!
//! [`measure`] runs through; [`Measuring`] is the same in steps, for a worker that must listen between them.

pub(crate) mod cost;
mod group;
mod leading;
mod limit;
mod local;
mod steps;
mod system;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bounds::{Bound, BoundSlack, Norm, TwoClusters};
use crate::experiment::{Experiment, InputError, Memory};
use crate::spectral::LanczosOptions;

pub use cost::{check, cost, cost_of_pictures};
pub(crate) use group::{Groups, clusters};
pub use leading::SingularPair;
pub use steps::{Measuring, Step, View};
pub(crate) use system::{Matrix, System};

/// When which method serves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureOptions {
    /// For matrices over `svd_limit`.
    pub lanczos: LanczosOptions,
    /// Dense SVD for Jacobians with at most this many rows and columns. Chosen by measurement
    /// (docs/performance.md): below it the whole spectrum costs less than a frame.
    pub svd_limit: usize,
    /// Frobenius, l_inf and l_1 norms for Jacobians with at most this many rows and columns.
    pub dense_limit: usize,
    /// Whether equal tokens are gathered, where there are many and the Jacobian is over `svd_limit`.
    pub grouping: Grouping,
    /// How much is found out.
    pub detail: Detail,
    /// Whether the norm of every block is computed, for the bound over the largest token: n^2 small decompositions.
    pub block_norms: BlockNorms,
    /// What the measurement may hold at a time; one that would take more is refused before it is begun.
    pub memory: Memory,
}

/// Whether the norm of every block of the Jacobian is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockNorms {
    /// Yes, up to some thousands of blocks.
    Included,
    /// No.
    Skipped,
}

impl BlockNorms {
    /// Those that a norm is made of, or none.
    #[must_use]
    pub fn for_norm(norm: Norm) -> Self {
        if norm == Norm::MaxToken { BlockNorms::Included } else { BlockNorms::Skipped }
    }
}

/// Whether equal tokens are gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Where that is cheaper.
    Auto,
    /// Never: every token by itself.
    Never,
}

/// How much of a measurement is found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Detail {
    /// All norms and bounds.
    Full,
    /// All norms, no bounds.
    Norms,
    /// The spectral norm alone, for the points of a sweep.
    NormOnly,
}

impl Default for MeasureOptions {
    fn default() -> Self {
        MeasureOptions {
            lanczos: LanczosOptions::default(),
            svd_limit: 128,
            dense_limit: 1024,
            grouping: Grouping::Auto,
            detail: Detail::Full,
            block_norms: BlockNorms::Skipped,
            memory: Memory::default(),
        }
    }
}

impl MeasureOptions {
    /// For points of which one norm is wanted: as little as it takes.
    #[must_use]
    pub fn for_norm(norm: Norm) -> Self {
        if norm == Norm::Spectral {
            return MeasureOptions::for_sweep();
        }
        let MeasureOptions { dense_limit, .. } = MeasureOptions::default();
        MeasureOptions {
            dense_limit,
            detail: Detail::Norms,
            block_norms: BlockNorms::for_norm(norm),
            ..MeasureOptions::for_sweep()
        }
    }

    /// For the points of a sweep: one norm each, and Lanczos from where it is quicker than all singular values
    /// (docs/performance.md).
    #[must_use]
    pub fn for_sweep() -> Self {
        MeasureOptions { svd_limit: 48, dense_limit: 0, detail: Detail::NormOnly, ..MeasureOptions::default() }
    }
}

/// How a spectral norm was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// All singular values of the dense Jacobian: exact to rounding.
    DenseSvd,
    /// Golub-Kahan-Lanczos: a lower bound, as good as its residual says.
    Lanczos,
    /// Distinct positions with multiplicities: exact to rounding, or as good as its residual says.
    Clusters,
    /// Golub-Kahan-Lanczos on runs of equal tokens under the causal mask.
    CausalRuns,
}

/// What a result is worth a word about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Warning {
    /// The step limit came before the tolerance.
    Unconverged {
        /// The residual reached.
        relative_residual: f64,
        /// The residual asked for.
        tolerance: f64,
    },
}

/// The result of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// ||J||_2, the local Lipschitz constant.
    pub spectral: f64,
    /// `None` above the dense limit.
    pub dense: Option<DenseNormValues>,
    /// All singular values, largest first; `None` above the SVD limit.
    pub singular_values: Option<Vec<f64>>,
    /// How.
    pub method: Method,
    /// Lanczos steps; 0 for a dense SVD.
    pub iterations: usize,
    /// |J^T u - s v| / s; 0 for a dense SVD.
    pub relative_residual: f64,
    /// Number of tokens; may pass any integer for a token measure.
    pub n: f64,
    /// Dimension of a token.
    pub d: usize,
    /// R of the bounds: largest token norm, or sqrt d under a normaliser.
    pub radius: f64,
    /// The bounds that apply.
    pub bounds: Vec<Bound>,
    /// What stands behind their numbers.
    pub slacks: Vec<BoundSlack>,
    /// The two clusters behind the bound of that name.
    pub two_clusters: Option<TwoClusters>,
    /// max_j sum_i P_ij: the most attention that one token draws, over the heads; `None` where `local` is.
    pub largest_column_sum: Option<f64>,
    /// Where the norm goes as all tokens are scaled up together; `None` under a normaliser, and where the largest score
    /// is shared by tokens that differ.
    pub large_radius_limit: Option<f64>,
    /// For a token measure: the norm as n goes to infinity at fixed ratios.
    pub mean_field_limit: Option<f64>,
    /// What to know.
    pub warnings: Vec<Warning>,
}

/// The norms that need every entry of J.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DenseNormValues {
    /// Root of the sum of squares.
    pub frobenius: f64,
    /// Largest absolute row sum.
    pub linf: f64,
    /// Largest absolute column sum.
    pub l1: f64,
    /// Largest row sum of block spectral norms, an upper bound on the norm over the largest token; `None` for token
    /// measures, where the blocks are too many, and where they were not asked for.
    pub max_token: Option<f64>,
}

impl DenseNormValues {
    /// One of them; the spectral norm is not among them.
    #[must_use]
    pub fn get(&self, norm: Norm) -> Option<f64> {
        match norm {
            Norm::Spectral => None,
            Norm::Frobenius => Some(self.frobenius),
            Norm::Linf => Some(self.linf),
            Norm::L1 => Some(self.l1),
            Norm::MaxToken => self.max_token,
        }
    }
}

/// Measures an experiment with the default options.
///
/// # Errors
/// [`InputError`].
pub fn measure(experiment: &Experiment) -> Result<Measurement, InputError> {
    measure_with(experiment, MeasureOptions::default())
}

/// Measures an experiment.
///
/// # Errors
/// [`InputError`].
pub fn measure_with(experiment: &Experiment, options: MeasureOptions) -> Result<Measurement, InputError> {
    let mut measuring = Measuring::start(experiment, options)?;
    loop {
        if let Step::Done(measurement) = measuring.step()? {
            return Ok(*measurement);
        }
    }
}

impl Method {
    /// Its word in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Method::DenseSvd => "dense_svd",
            Method::Lanczos => "lanczos",
            Method::Clusters => "clusters",
            Method::CausalRuns => "causal_runs",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Unconverged { relative_residual, tolerance } => write!(
                f,
                "The iteration stopped at a relative residual of {relative_residual:.1e} before reaching \
                 {tolerance:.0e}: the norm is a lower bound."
            ),
        }
    }
}

impl Measurement {
    /// A norm of J; for [`Norm::MaxToken`] the bound on it. `None` where it was not computed.
    #[must_use]
    pub fn norm(&self, norm: Norm) -> Option<f64> {
        match norm {
            Norm::Spectral => Some(self.spectral),
            other => self.dense.and_then(|dense| dense.get(other)),
        }
    }

    /// The result as the experiment file's document describes it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let bounds: Vec<Value> = self
            .bounds
            .iter()
            .map(|bound| {
                json!({
                    "id": bound.id.id(), "side": bound.side.id(), "norm": bound.norm.id(),
                    "value": bound.value, "log10": bound.log10.is_finite().then_some(bound.log10),
                })
            })
            .collect();
        let warnings: Vec<String> = self.warnings.iter().map(ToString::to_string).collect();
        json!({
            "spectral": self.spectral,
            "frobenius": self.dense.map(|norms| norms.frobenius),
            "linf": self.dense.map(|norms| norms.linf),
            "l1": self.dense.map(|norms| norms.l1),
            "singular_values": self.singular_values,
            "method": self.method.id(),
            "iterations": self.iterations,
            "relative_residual": self.relative_residual,
            "n": whole_or_real(self.n),
            "d": self.d,
            "radius": self.radius,
            "bounds": bounds,
            "warnings": warnings,
        })
    }
}

/// A count as files have it: a whole number where it is one.
fn whole_or_real(n: f64) -> Value {
    if n.fract() == 0.0 && n < 9_007_199_254_740_992.0 { json!(n as u64) } else { json!(n) }
}
