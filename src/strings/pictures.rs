//! Tables and files, the attention matrix, the token plane.

use crate::words::pictures as words;
pub use crate::words::pictures::*;

use lipscope_core::bounds::Norm;
use lipscope_core::measure::Measurement;
use lipscope_core::picture::{AttentionPicture, TokenPicture, Unit};
use lipscope_plot::{Kind, Number};

use super::numbers::kind_of;
use super::plot::count;

// The attention matrix.

pub fn head(head: usize) -> String {
    (head + 1).to_string()
}

/// The unit of a row or column of the attention matrix.
pub fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Token => token(),
        Unit::Cluster => unit::cluster(),
        Unit::Run => unit::run(),
    }
}

pub fn unit_axes(unit: Unit) -> (&'static str, &'static str) {
    match unit {
        Unit::Token => (unit_axes::from_token(), unit_axes::token()),
        Unit::Cluster => (unit_axes::from_cluster(), unit_axes::cluster()),
        Unit::Run => (unit_axes::from_run(), unit_axes::run()),
    }
}

pub fn attention_finding(picture: &AttentionPicture, measurement: &Measurement) -> String {
    let sums = || picture.column_sums.iter().copied();
    let largest = sums().fold(0.0, f64::max);
    let at = sums().position(|sum| sum == largest).map_or(0, |place| place + 1);
    let to = match picture.unit {
        Unit::Token => attention_finding::token(at),
        Unit::Cluster => attention_finding::cluster(at),
        Unit::Run => attention_finding::run(at),
    };
    let averaged = if picture.side < picture.n { attention_finding::averaged() } else { "" };
    // The root of one is no measure of a single token.
    let is_several = measurement.n > 1.0;
    let compared = if is_several { root_and_norm(largest.sqrt(), measurement) } else { String::new() };
    attention_finding::sentence {
        averaged,
        compared: &compared,
        n: count(measurement.n),
        sum: Number::of(largest),
        to: &to,
    }
    .text()
}

/// The root of the largest column sum beside L. They are called about equal only if they differ by a tenth at most.
fn root_and_norm(root: f64, measurement: &Measurement) -> String {
    const ABOUT: std::ops::RangeInclusive<f64> = 0.9..=1.1;
    let (norm, kind) = (measurement.spectral, kind_of(measurement, Norm::Spectral));
    let (value, root_text, times) = (Number::digits(norm, kind), Number::of(root), norm / root);
    match kind {
        Kind::LowerBound => attention_finding::at_least { root: root_text, value }.text(),
        _ if ABOUT.contains(&times) => attention_finding::about { root: root_text, value }.text(),
        _ => attention_finding::separate { root: root_text, times: Number::digits(times, Kind::Plain), value }.text(),
    }
}

// The token plane.

/// The titles of the axes while a token is moved: principal axes are frozen, and have no shares of variance.
pub fn held_plane_axes(picture: &TokenPicture) -> (String, String) {
    match picture.variance_shares {
        Some(_) => (held_plane_axes::first().into(), held_plane_axes::second().into()),
        None => plane_axes(picture),
    }
}

/// The titles of the axes.
pub fn plane_axes(picture: &TokenPicture) -> (String, String) {
    let share = |share: f64| plane_axes::share(format_args!("{:.0}", 100.0 * share));
    match (picture.variance_shares, picture.d) {
        (Some((first, second)), _) => (plane_axes::first_axis(share(first)), plane_axes::second_axis(share(second))),
        (None, 1) => (plane_axes::token().into(), String::new()),
        (None, _) => (plane_axes::first_number().into(), plane_axes::second_number().into()),
    }
}

pub fn tokens_finding(picture: &TokenPicture) -> String {
    let n = picture.positions.len();
    let largest = Number::of(picture.largest_norm);
    if picture.ln_sizes.is_some() {
        return tokens_finding::clusters { largest: &largest, n }.text();
    }
    match (picture.d, picture.variance_shares) {
        (d, _) if n == 1 => tokens_finding::one { d, largest: &largest }.text(),
        (1, _) => tokens_finding::one_dimension { largest: &largest, n }.text(),
        (_, None) => tokens_finding::two_dimensions { largest: &largest, n }.text(),
        (d, Some((first, second))) => tokens_finding::principal_axes {
            d,
            largest: &largest,
            n,
            share: format_args!("{:.0}", 100.0 * (first + second)),
        }
        .text(),
    }
}

pub fn ball(radius: f64) -> String {
    format!("R = {}", Number::short(radius))
}

/// The ball's label where tokens may leave the ball: R follows the farthest token.
pub fn ball_of_farthest(radius: f64) -> String {
    words::ball_of_farthest(ball(radius))
}

/// The name of a picture: its heading, and its content once there is some.
pub fn label(heading: &str, finding: &str) -> String {
    if finding.is_empty() { heading.to_owned() } else { label { finding, heading }.text() }
}
