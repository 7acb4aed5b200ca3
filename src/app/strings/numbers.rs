//! The numbers of a configuration.

use crate::app::live::MeasureProgress;
use crate::bounds::Norm;
use crate::measure::{Measurement, Method, Warning};
use crate::plot::{Kind, Number};

use super::norms::NEEDS_DENSE;

pub const NUMBERS_HEADING: &str = "This configuration";
pub const RATIO: &str = "over √n";
pub const RATIO_HINT: &str = "The number above divided by √n";
pub const RADIUS: &str = "R of the bounds";
pub const RADIUS_HINT: &str = "The largest token norm, or √d under a normaliser";
pub const LARGEST_COLUMN_SUM: &str = "largest column sum";
pub const LARGEST_COLUMN_SUM_HINT: &str = "How much attention one token draws: n where all attend to it alone";
pub const LARGE_RADIUS: &str = "as R → ∞";
pub const LARGE_RADIUS_HINT: &str =
    "Where the norm goes as all tokens are scaled up together and softmax becomes a choice";
pub const MEAN_FIELD: &str = "as n → ∞";
pub const MEAN_FIELD_HINT: &str = "For clusters: the norm of the mean-field operator, at fixed shares";
pub const METHOD: &str = "method";
pub const ITERATIONS: &str = "steps";
pub const RESIDUAL: &str = "relative residual";
pub const RESIDUAL_HINT: &str = "|Jᵀu − s v| / s, of the singular vectors found";
pub const TIME: &str = "time in the worker";
pub const SMALL_N: &str = "n";
pub const SMALL_D: &str = "d";
pub const NONE_YET: &str = "–";
pub const STALE: &str = "These are the last good numbers.";

pub fn how(measurement: &Measurement, norm: Norm) -> String {
    match norm {
        Norm::Spectral => how_spectral(measurement),
        _ if measurement.norm(norm).is_none() => NEEDS_DENSE.into(),
        Norm::MaxToken => "an upper bound, from the norm of every block".into(),
        Norm::Linf | Norm::L1 | Norm::Frobenius => "exact, from every entry of J".into(),
    }
}

fn how_spectral(measurement: &Measurement) -> String {
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

/// Whether a norm is known, or bounded from below or above.
pub fn kind_of(measurement: &Measurement, norm: Norm) -> Kind {
    match norm {
        Norm::MaxToken => Kind::UpperBound,
        Norm::Spectral if !measurement.warnings.is_empty() => Kind::LowerBound,
        Norm::Spectral | Norm::Linf | Norm::L1 | Norm::Frobenius => Kind::Exact,
    }
}
