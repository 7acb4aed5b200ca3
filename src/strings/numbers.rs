//! The numbers of a configuration.

pub use crate::words::numbers::*;

use lipscope_core::bounds::Norm;
use lipscope_core::measure::{Measurement, Method, Warning};
use lipscope_plot::{Kind, Number};
use lipscope_protocol::envelope::Progress;

use super::norms::needs_dense;

/// Whether a number is 1 to the digits that are written.
pub(super) fn is_one(number: &Number) -> bool {
    number.exponent.is_none() && number.mantissa.parse() == Ok(1.0)
}

/// Why there is no upper number.
pub fn missing_upper(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => missing::upper(),
        Norm::Linf | Norm::L1 | Norm::Frobenius | Norm::MaxToken => missing::upper_norm(),
    }
}

/// Why there is no norm over the root of n.
pub fn missing_ratio(n: f64) -> &'static str {
    if n == 1.0 { missing::ratio() } else { needs_dense() }
}

pub const SMALL_N: &str = "n";
pub const SMALL_D: &str = "d";
pub const NONE_YET: &str = "–";

pub fn how(measurement: &Measurement, norm: Norm) -> String {
    match norm {
        Norm::Spectral => with_rounding(how_spectral(measurement), measurement),
        _ if measurement.norm(norm).is_none() => needs_dense().into(),
        Norm::MaxToken => how::max_token().into(),
        Norm::Linf | Norm::L1 | Norm::Frobenius => how::dense().into(),
    }
}

fn how_spectral(measurement: &Measurement) -> String {
    let unconverged = measurement.warnings.iter().find_map(|warning| match warning {
        Warning::Unconverged { relative_residual, .. } => Some(*relative_residual),
        Warning::Rounding { .. } | Warning::SmallEps { .. } => None,
    });
    match (measurement.method, unconverged) {
        (Method::DenseSvd, _) => how_spectral::dense_svd().into(),
        (Method::Clusters, None) if measurement.iterations == 0 => how_spectral::clusters().into(),
        (Method::CausalRuns, None) => how_spectral::causal_runs(measurement.iterations),
        (_, None) => how_spectral::lanczos(measurement.iterations),
        (_, Some(residual)) => how_spectral::unconverged(Number::rough(residual)),
    }
}

/// How a norm was computed, and the effect of rounding in its inputs, where that is worth mentioning.
fn with_rounding(how: String, measurement: &Measurement) -> String {
    match measurement.rounding() {
        None => how,
        Some(relative) if relative < 1.0 => {
            how_spectral::rounded { how, relative: Number::rough_claimed(relative.log10(), Kind::UpperBound) }.text()
        }
        Some(_) => how_spectral::uncertain(how),
    }
}

/// What rounding in the inputs leaves of the four digits of a spectral norm, where it changes one of them.
pub fn doubt(measurement: &Measurement) -> Option<String> {
    /// Half a unit of the last of four digits, at most.
    const HIDDEN: f64 = 5e-5;
    match measurement.rounding()? {
        relative if relative < HIDDEN => None,
        relative if relative < 1.0 => Some(doubt::relative(Number::rough_claimed(relative.log10(), Kind::UpperBound))),
        _ => Some(doubt::no_digit().into()),
    }
}

pub fn method(method: Method) -> &'static str {
    match method {
        Method::DenseSvd => method::dense_svd(),
        Method::Lanczos => "Lanczos",
        Method::Clusters => method::clusters(),
        Method::CausalRuns => method::causal_runs(),
    }
}

pub fn measuring(progress: Progress) -> String {
    match progress.relative_residual {
        Some(residual) => {
            measuring::with_residual { iterations: progress.done as usize, residual: Number::rough(residual) }.text()
        }
        None => measuring::first(progress.done as usize),
    }
}

pub fn milliseconds(ms: f64) -> Number {
    if ms < 1000.0 { Number::rough(ms).unit("ms") } else { Number::rough(ms / 1000.0).unit("s") }
}

/// Whether a norm is known, or bounded from below or above.
pub fn kind_of(measurement: &Measurement, norm: Norm) -> Kind {
    match norm {
        Norm::MaxToken => Kind::UpperBound,
        Norm::Spectral if !measurement.is_converged() => Kind::LowerBound,
        Norm::Spectral | Norm::Linf | Norm::L1 | Norm::Frobenius => Kind::Exact,
    }
}
