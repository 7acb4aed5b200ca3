//! The result of a measurement.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Upper;
use crate::bounds::{Absence, Bound, BoundId, BoundSlack, Norm, Witnesses};
use crate::experiment::Attention;
use crate::spectral::ProbableUpper;

/// How a spectral norm was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Method {
    /// All singular values of the dense Jacobian: exact to rounding.
    DenseSvd,
    /// Golub-Kahan-Lanczos: a lower bound, with its residual.
    Lanczos,
    /// A token measure: exact to rounding, or iterated with a residual.
    Clusters,
    /// Golub-Kahan-Lanczos on runs of equal tokens under the causal mask.
    CausalRuns,
}

/// A doubt about a result, to be shown beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Warning {
    /// The step limit was reached before the tolerance.
    Unconverged {
        /// The residual reached.
        relative_residual: f64,
        /// The residual asked for.
        tolerance: f64,
    },
    /// Rounding, of the numbers of the input to 16 digits or of the computation, may have changed the norm by more than
    /// [`Warning::LEAST_ROUNDING`], relative to itself.
    Rounding {
        /// The most by which the norm may have changed, relative to itself; the largest f64 where nothing is known.
        relative: f64,
    },
    /// The divisor of normalised queries and keys may be so small that the bound on the ball is over a thousand times the
    /// one at these tokens ([`Warning::MOST_LOG10_RATIO`]).
    SmallEps {
        /// The kernel: cosine scores have an eps of their own.
        attention: Attention,
        /// eps.
        eps: f64,
        /// Decimal logarithm of `general` over `local`.
        log10_ratio: f64,
    },
}

impl Warning {
    /// The smallest relative error that is reported.
    #[doc(hidden)]
    pub const LEAST_ROUNDING: f64 = 1e-9;
    /// The largest decimal logarithm of `general` over `local` that needs no word about eps.
    #[doc(hidden)]
    pub const MOST_LOG10_RATIO: f64 = 3.0;
}

/// The result of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// ||J||_2, the local Lipschitz constant.
    pub spectral: f64,
    /// The norms that need all entries of J; `None` above the dense limit, for causal runs, and if not asked for.
    pub dense: Option<DenseNormValues>,
    /// The smallest upper bound on ||J||_2 at these tokens; `None` if it was not asked for, and where there is none.
    pub upper: Option<Upper>,
    /// The upper bounds of the iteration, each with its failure probability, the smallest probability first. Empty for an
    /// exact norm, and if they were not requested.
    pub probable: Vec<ProbableUpper>,
    /// All singular values, largest first; `None` above the SVD limit, and where equal tokens are grouped.
    pub singular_values: Option<Vec<f64>>,
    /// How the spectral norm was computed.
    pub method: Method,
    /// Lanczos steps; 0 for a dense SVD.
    pub iterations: usize,
    /// |J^T u - s v| / s; 0 for a dense SVD.
    pub relative_residual: f64,
    /// Number of tokens; for a token measure it may exceed every integer type.
    pub n: f64,
    /// Dimension of a token.
    pub d: usize,
    /// R of the bounds: the radius that the tokens' source states, or the largest norm of listed tokens; sqrt d under a
    /// normaliser.
    pub radius: f64,
    /// The bounds that apply.
    pub bounds: Vec<Bound>,
    /// The formula of each bound with its numbers, and where the upper bounds lose (slack).
    pub slacks: Vec<BoundSlack>,
    /// Why the bounds that are not among `bounds` have no value, with an entry for each reason; empty where no bounds were
    /// asked for.
    pub absent: Vec<(BoundId, Absence)>,
    /// The tokens behind the lower bounds, where the order of tokens does not count.
    pub witnesses: Witnesses,
    /// max_j sum_i P_ij, the most attention that one token receives in any head. `None` if `local` was not computed.
    pub largest_column_sum: Option<f64>,
    /// The limit of the norm as all tokens are scaled up; `None` under a normaliser, if distinct tokens share the
    /// largest score, and where it was not computed.
    pub large_radius_limit: Option<f64>,
    /// For a token measure: the norm as n goes to infinity at fixed ratios.
    pub mean_field_limit: Option<f64>,
    /// Doubts about the result.
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
    /// Largest row sum of block spectral norms, an upper bound on the max-token norm; `None` for token measures, for
    /// too many blocks, and if it was not requested.
    pub max_token: Option<f64>,
}

impl DenseNormValues {
    /// The value of one norm; `None` for the spectral norm, which is not among them.
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

/// One norm of J, picked from its spectral norm and from the norms that need all entries of J (`dense`). `None` if it
/// was not computed.
pub(crate) fn norm_of(norm: Norm, spectral: f64, dense: Option<DenseNormValues>) -> Option<f64> {
    match norm {
        Norm::Spectral => Some(spectral),
        other => dense.and_then(|dense| dense.get(other)),
    }
}

impl Method {
    /// Its name in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
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
            Warning::Rounding { relative } if *relative < 1.0 => write!(
                f,
                "Within rounding: relative error up to {relative:.1e}, as numbers have 16 digits and these tokens lie close \
                 together for their size."
            ),
            Warning::Rounding { .. } => write!(
                f,
                "Within rounding: no digit is certain, as numbers have 16 digits and these tokens lie too close \
                 together for their size, or too near to some without a derivative."
            ),
            Warning::SmallEps { attention, eps, log10_ratio } => {
                let field = match attention {
                    Attention::Cosine => "score.cosine_eps",
                    Attention::Dot | Attention::L2 | Attention::Linear => "score.qk_norm.eps",
                };
                write!(
                    f,
                    "`general` is 10^{log10_ratio:.1} times `local`: it grows like 1/sqrt(eps), `{field}` is {eps:e}, and only \
                     tokens with a query or key near zero come close to it. A larger eps lowers it."
                )
            }
        }
    }
}

impl Measurement {
    /// Whether the spectral norm is known to the requested tolerance; otherwise it is a lower bound.
    #[must_use]
    pub fn is_converged(&self) -> bool {
        !self.warnings.iter().any(|warning| matches!(warning, Warning::Unconverged { .. }))
    }

    /// The relative amount by which rounding of the input's numbers may change the norm, where that is large enough to
    /// report.
    #[must_use]
    pub fn rounding(&self) -> Option<f64> {
        self.warnings.iter().find_map(|warning| match warning {
            Warning::Rounding { relative } => Some(*relative),
            Warning::Unconverged { .. } | Warning::SmallEps { .. } => None,
        })
    }

    /// Decimal logarithm of `general` over `local`, where eps makes it large.
    #[must_use]
    pub fn log10_ratio_by_eps(&self) -> Option<f64> {
        self.warnings.iter().find_map(|warning| match warning {
            Warning::SmallEps { log10_ratio, .. } => Some(*log10_ratio),
            Warning::Unconverged { .. } | Warning::Rounding { .. } => None,
        })
    }

    /// A norm of J; for [`Norm::MaxToken`] its upper bound. `None` if the norm was not computed.
    #[must_use]
    pub fn norm(&self, norm: Norm) -> Option<f64> {
        norm_of(norm, self.spectral, self.dense)
    }

    /// The result as JSON, in the documented format.
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
        let probable = |upper: &ProbableUpper| json!({"upper": upper.value, "failure": upper.failure});
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
            "upper": self.upper.map(|upper| upper.value),
            "failure": self.upper.map(|upper| upper.failure),
            "upper_by": self.upper.map(|upper| upper.by.id()),
            "probable": self.probable.iter().map(probable).collect::<Vec<Value>>(),
            "bounds": bounds,
            "warnings": warnings,
        })
    }
}

/// A count as JSON: an integer if it is one.
fn whole_or_real(n: f64) -> Value {
    if n.fract() == 0.0 && n < 9_007_199_254_740_992.0 { json!(n as u64) } else { json!(n) }
}
