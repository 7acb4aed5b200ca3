//! The plot of measured draws.

use crate::app::state::XAxis;
use crate::bounds::{BoundId, Norm};
use crate::fit::PowerLaw;
use crate::plot::{HoverValue, Number};

use super::bounds::{bound_label, side_kind};
use super::norms::norm_title;

pub const PLOT_HEADING: &str = "The norm of the Jacobian over the number of tokens";
pub const AXIS: &str = "n spaced by";
pub const MEASURED: &str = "measured";
pub const MEASURING: &str = "measuring …";
pub const READOUT_HINT: &str =
    "Point at the plot, or focus it and use ← →, to read values; click or Enter takes that n.";
pub const SLOPE_HINT: &str =
    "Least squares of log L on log n over all draws, with its 95% interval. Growth like √n has slope 0.5.";

pub fn axis_choice(axis: XAxis) -> &'static str {
    match axis {
        XAxis::SqrtN => "√n",
        XAxis::N => "n",
        XAxis::LogLog => "log n, log L",
    }
}

pub fn x_axis_title(axis: XAxis) -> &'static str {
    match axis {
        XAxis::SqrtN => "number of tokens n, spaced by √n",
        XAxis::N => "number of tokens n",
        XAxis::LogLog => "number of tokens n, logarithmic",
    }
}

/// The interval is of chance: it is there where tokens are drawn, and at more than two lengths.
pub fn slope(fit: Option<PowerLaw>, draws: usize, lengths: &[usize]) -> String {
    let ends = lengths.first().zip(lengths.last());
    match (fit, ends) {
        (Some(fit), Some((first, last))) if draws < 2 || lengths.len() < 3 => {
            format!("log–log slope {} over n = {first} to {last}", signed(fit.exponent))
        }
        (Some(fit), _) => format!("log–log slope {} ± {:.3} (95%)", signed(fit.exponent), fit.half_width),
        (None, _) => "log–log slope –".into(),
    }
}

pub fn mean_label(draws: usize) -> String {
    if draws > 1 { format!("measured, mean of {draws}") } else { MEASURED.into() }
}

pub fn n_equals(n: f64) -> String {
    format!("n = {}", count(n))
}

/// A number of tokens: all digits while people write them so.
pub fn count(n: f64) -> String {
    let is_round = n >= 1e6 && n % 1e4 == 0.0;
    if n < 1e7 && !is_round { n.to_string() } else { Number::short(n).to_string() }
}

pub fn readout(n: f64, values: &[HoverValue]) -> String {
    let mut parts = vec![n_equals(n)];
    let of = |id: &str| values.iter().find(|value| value.id == id);
    if let Some(draws) = of("draws").filter(|value| value.x == n) {
        let mean = Number::of(draws.y);
        parts.push(match draws.count {
            1 => format!("{MEASURED} {mean}"),
            count => format!(
                "{MEASURED} {mean} (least {}, greatest {}, {count} draws)",
                Number::of(draws.low),
                Number::of(draws.high)
            ),
        });
    } else if let Some(current) = of("current").filter(|value| value.x == n) {
        parts.push(format!("{MEASURED} {}", current.number));
    }
    for bound in BoundId::ALL {
        if let Some(value) = of(bound.id()) {
            parts.push(format!("{} {}", bound_label(bound), value.number.clone().kind(side_kind(bound.side()))));
        }
    }
    parts.join("  ·  ")
}

/// Three decimals, with a minus sign as wide as a digit.
fn signed(x: f64) -> String {
    format!("{x:.3}").replace('-', "\u{2212}")
}

pub fn plot_finding(norm: Norm, ends: Option<((f64, f64), (f64, f64))>, fit: Option<PowerLaw>) -> String {
    match (ends, fit) {
        (Some(((n, first), (m, last))), Some(fit)) => format!(
            "{} over the number of tokens: {} at n = {n}, {} at n = {m}; it grows like n to the {:.2} plus or minus {:.2}. Left and right arrows read values.",
            norm_title(norm),
            Number::of(first),
            Number::of(last),
            fit.exponent,
            fit.half_width
        ),
        _ => format!("{} over the number of tokens; being measured.", norm_title(norm)),
    }
}
