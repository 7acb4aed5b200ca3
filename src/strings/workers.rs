//! The page's messages about its workers, and its texts for screen readers.

pub use crate::words::workers::*;

use crate::workers::EngineLane;
use lipscope_core::bounds::Norm;
use lipscope_core::measure::Measurement;
use lipscope_plot::Number;

use super::norms::{needs_dense, norm_symbol, norm_title};
use super::numbers::{NONE_YET, kind_of};

pub fn restarted(lane: EngineLane) -> &'static str {
    match lane {
        EngineLane::Measure => restarted::measure(),
        EngineLane::Sweep => restarted::sweep(),
        EngineLane::Read => restarted::read(),
        EngineLane::Growth => restarted::growth(),
        EngineLane::Ball | EngineLane::Bounds => restarted::ball(),
        EngineLane::Search | EngineLane::Lab => restarted::lab(),
    }
}

pub fn gave_up(lane: EngineLane) -> &'static str {
    match lane {
        EngineLane::Measure => gave_up::measure(),
        EngineLane::Read => gave_up::read(),
        EngineLane::Growth => gave_up::growth(),
        EngineLane::Ball | EngineLane::Bounds => gave_up::ball(),
        EngineLane::Search | EngineLane::Lab => gave_up::lab(),
        EngineLane::Sweep => gave_up::sweep(),
    }
}

pub fn announcement(measurement: &Measurement, norm: Norm) -> String {
    match measurement.norm(norm) {
        Some(value) => {
            announcement::measured { n: measurement.n, norm: norm_title(norm), value: stated(value, measurement, norm) }
                .text()
        }
        None => announcement::unknown { norm: norm_title(norm), reason: needs_dense() }.text(),
    }
}

pub fn sheet_value(measurement: &Measurement, norm: Norm) -> String {
    let value =
        measurement.norm(norm).map_or_else(|| NONE_YET.into(), |value| known(value, measurement, norm).to_string());
    format!("{} {} {value}", norm_symbol(norm), kind_of(measurement, norm).sign())
}

/// A norm for a sentence, rounded so that its sign would be true.
fn stated(value: f64, measurement: &Measurement, norm: Norm) -> Number {
    Number::digits(value, kind_of(measurement, norm))
}

/// A norm without its sign (=, ≤ or ≥), with its digits rounded so that the sign would be true.
fn known(value: f64, measurement: &Measurement, norm: Norm) -> Number {
    Number::digits(value, kind_of(measurement, norm))
}
