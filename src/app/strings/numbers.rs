//! The numbers of a configuration.

use crate::app::live::MeasureProgress;
use crate::measure::{Measurement, Method, Warning};
use crate::plot::{Kind, Number};

pub const NUMBERS_HEADING: &str = "This configuration";
pub const SPECTRAL: &str = "Local Lipschitz constant";
pub const SPECTRAL_HINT: &str =
    "‖J‖₂, the largest singular value of the Jacobian: how much a small change of all tokens can grow";
pub const RATIO: &str = "over √n";
pub const RATIO_HINT: &str = "The local Lipschitz constant divided by √n";
pub const RADIUS: &str = "R of the bounds";
pub const RADIUS_HINT: &str = "The largest token norm, or √d under a normaliser";
pub const LARGEST_COLUMN_SUM: &str = "largest column sum";
pub const LARGEST_COLUMN_SUM_HINT: &str = "How much attention one token draws: n where all attend to it alone";
pub const LARGE_RADIUS: &str = "as R → ∞";
pub const LARGE_RADIUS_HINT: &str =
    "Where the norm goes as all tokens are scaled up together and softmax becomes a choice";
pub const MEAN_FIELD: &str = "as n → ∞";
pub const MEAN_FIELD_HINT: &str = "For clusters: the norm of the mean-field operator, at fixed shares";
pub const FROBENIUS: &str = "Frobenius norm";
pub const FROBENIUS_HINT: &str = "Root of the sum of all squared entries of J";
pub const LINF: &str = "ℓ∞ norm";
pub const LINF_HINT: &str = "Largest absolute row sum of J";
pub const L1: &str = "ℓ1 norm";
pub const L1_HINT: &str = "Largest absolute column sum of J";
pub const NEEDS_DENSE: &str = "Needs every entry of J, which is too large here";
pub const METHOD: &str = "method";
pub const ITERATIONS: &str = "steps";
pub const RESIDUAL: &str = "relative residual";
pub const RESIDUAL_HINT: &str = "|Jᵀu − s v| / s, of the singular vectors found";
pub const TIME: &str = "time in the worker";
pub const SMALL_N: &str = "n";
pub const SMALL_D: &str = "d";
pub const NONE_YET: &str = "–";
pub const STALE: &str = "These are the last good numbers.";

pub fn how(measurement: &Measurement) -> String {
    let unconverged =
        measurement.warnings.first().map(|Warning::Unconverged { relative_residual, .. }| *relative_residual);
    match (measurement.method, unconverged) {
        (Method::DenseSvd, _) => "exact, by dense SVD".into(),
        (Method::Clusters, None) if measurement.iterations == 0 => "exact, by distinct tokens".into(),
        (Method::CausalRuns, None) => format!("to 1e-10 (Lanczos on runs, {} steps)", measurement.iterations),
        (_, None) => format!("to 1e-10 (Lanczos, {} steps)", measurement.iterations),
        (_, Some(residual)) => format!("a lower bound: Lanczos stopped at residual {residual:.0e}"),
    }
}

pub fn method(method: Method) -> &'static str {
    match method {
        Method::DenseSvd => "dense SVD",
        Method::Lanczos => "Lanczos",
        Method::Clusters => "distinct tokens",
        Method::CausalRuns => "Lanczos on runs",
    }
}

pub fn measuring(progress: MeasureProgress) -> String {
    match progress.relative_residual {
        Some(residual) => format!("measuring: step {}, residual {residual:.0e}", progress.iterations),
        None => format!("measuring: step {}", progress.iterations),
    }
}

pub fn milliseconds(ms: f64) -> Number {
    if ms < 1000.0 { Number::rough(ms).unit("ms") } else { Number::rough(ms / 1000.0).unit("s") }
}

/// Whether the norm is known or bounded from below.
pub fn kind_of(measurement: &Measurement) -> Kind {
    if measurement.warnings.is_empty() { Kind::Exact } else { Kind::LowerBound }
}
