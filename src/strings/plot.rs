//! The plot of measured draws.

use crate::words::plot as words;
pub use crate::words::plot::*;

use crate::state::XAxis;
use lipscope_core::fit::PowerLaw;
use lipscope_plot::{HoverValue, Kind, Number, Role, ValueForm};

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

/// The fitted slope. It has an interval only for random tokens, and at more than two lengths.
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

/// A number of tokens: with all digits if people would write it so.
pub fn count(n: f64) -> String {
    let is_round = n >= 1e6 && n % 1e4 == 0.0;
    if n < 1e7 && !is_round { n.to_string() } else { Number::short(n).to_string() }
}

/// The value of each named curve at n, with its name and sign. The mean has the range of its samples.
pub fn readout(n: f64, values: &[HoverValue]) -> String {
    let samples = values.iter().find(|value| value.id == "draws" && value.x == n && value.count > 1);
    let of = |value: &HoverValue| {
        let log10 = if value.given == ValueForm::Log10 { value.y } else { value.y.log10() };
        let number = Number::claimed(log10, kind_of_role(value.role)).to_string();
        match samples.filter(|_| value.role == Role::Measured) {
            Some(samples) => words::readout(Number::of(samples.high), Number::of(samples.low), number),
            None => number,
        }
    };
    let named = values.iter().filter(|value| !value.label.is_empty());
    let parts = named.map(|value| format!("{} {}", value.label, of(value)));
    std::iter::once(n_equals(n)).chain(parts).collect::<Vec<_>>().join("  ·  ")
}

/// The kind of a curve's numbers.
fn kind_of_role(role: Role) -> Kind {
    match role {
        Role::Sharp | Role::Unified | Role::Local | Role::PublishedGeneral | Role::PublishedMeanField => {
            Kind::UpperBound
        }
        Role::LowerBound | Role::LowerSink | Role::LowerFork => Kind::LowerBound,
        // The family and its envelope are norms of known tokens, and the others are no bounds.
        Role::LowerFamily
        | Role::Envelope
        | Role::Skew
        | Role::Measured
        | Role::Selected
        | Role::ReleasedScript
        | Role::Reference => Kind::Plain,
    }
}

/// Three decimals, with a minus sign as wide as a digit.
fn signed(x: f64) -> String {
    format!("{x:.3}").replace('-', "\u{2212}")
}
