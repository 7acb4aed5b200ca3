//! The plot of measured draws.

use crate::words::plot as words;
pub use crate::words::plot::*;

use crate::state::XAxis;
use lipscope_core::bounds::BoundId;
use lipscope_core::fit::PowerLaw;
use lipscope_plot::{HoverValue, Number, ValueForm};

use super::bounds::{bound_label, side_kind};

pub fn axis_choice(axis: XAxis) -> &'static str {
    match axis {
        XAxis::SqrtN => "√n",
        XAxis::N => "n",
        XAxis::LogLog => words::axis_choice(),
    }
}

pub fn x_axis_title(axis: XAxis) -> &'static str {
    match axis {
        XAxis::SqrtN => x_axis_title::sqrt_n(),
        XAxis::N => x_axis_title::n(),
        XAxis::LogLog => x_axis_title::log_log(),
    }
}

/// The interval is of chance: it is there where tokens are drawn, and at more than two lengths.
pub fn slope(fit: Option<PowerLaw>, draws: usize, lengths: &[usize]) -> String {
    let ends = lengths.first().zip(lengths.last());
    match (fit, ends) {
        (Some(fit), Some((first, last))) if draws < 2 || lengths.len() < 3 => {
            slope::between(signed(fit.exponent), first, last)
        }
        (Some(fit), _) => slope::with_interval(signed(fit.exponent), format_args!("{:.3}", fit.half_width)),
        (None, _) => slope::none().into(),
    }
}

pub fn mean_label(draws: usize) -> String {
    if draws > 1 { words::mean_label(draws) } else { measured().into() }
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
    let measured = measured();
    let mut parts = vec![n_equals(n)];
    let of = |id: &str| values.iter().find(|value| value.id == id);
    if let Some(draws) = of("draws").filter(|value| value.x == n) {
        let mean = Number::of(draws.y);
        parts.push(match draws.count {
            1 => format!("{measured} {mean}"),
            count => words::readout(count, Number::of(draws.high), Number::of(draws.low), &mean, measured),
        });
    } else if let Some(current) = of("current").filter(|value| value.x == n) {
        parts.push(format!("{measured} {}", current.number));
    }
    for bound in BoundId::ALL {
        if let Some(value) = of(bound.id()) {
            let log10 = if value.given == ValueForm::Log10 { value.y } else { value.y.log10() };
            parts.push(format!("{} {}", bound_label(bound), Number::claimed(log10, side_kind(bound.side()))));
        }
    }
    parts.join("  ·  ")
}

/// Three decimals, with a minus sign as wide as a digit.
fn signed(x: f64) -> String {
    format!("{x:.3}").replace('-', "\u{2212}")
}
