//! Tables and files, the attention matrix, the token plane.

use crate::measure::Measurement;
use crate::picture::{AttentionPicture, TokenPicture, Unit};
use crate::plot::Number;

use super::plot::count;

// Tables and files.
pub const TABLE: &str = "Table";
pub const COPY_CSV: &str = "Copy CSV";
pub const DOWNLOAD_CSV: &str = "Save CSV";
pub const COPIED: &str = "Copied.";
pub const NOT_COPIED: &str = "The browser does not allow copying here; save the file instead.";
pub const TOKEN: &str = "token";
pub const COLUMN_SUM: &str = "column sum";
pub const SWEEP_COLUMNS: [&str; 4] = ["n", "least", "mean", "greatest"];
pub const FROM_TO: &str = "from \\ to";

// The attention matrix.
pub const ATTENTION_HEADING: &str = "Attention matrix";
pub const HEAD: &str = "Head";
pub const COLUMN_SUMS: &str = "column sums,";

pub fn head(head: usize) -> String {
    (head + 1).to_string()
}

/// What one row or column of the attention matrix stands for.
pub fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Token => TOKEN,
        Unit::Cluster => "cluster",
        Unit::Run => "run",
    }
}

pub fn unit_axes(unit: Unit) -> (&'static str, &'static str) {
    match unit {
        Unit::Token => ("from token", "to token"),
        Unit::Cluster => ("from cluster", "to cluster"),
        Unit::Run => ("from run", "to run"),
    }
}

pub fn attention_finding(picture: &AttentionPicture, measurement: &Measurement) -> String {
    let sums = || picture.column_sums.iter().copied();
    let largest = sums().fold(0.0, f64::max);
    let at = sums().position(|sum| sum == largest).map_or(0, |place| place + 1);
    let to = match picture.unit {
        Unit::Token => format!("token {at}"),
        Unit::Cluster => format!("each token of cluster {at}"),
        Unit::Run => format!("the first token of run {at}"),
    };
    let averaged = if picture.side < picture.n { " Cells are averages." } else { "" };
    format!(
        "Most attention goes to {to}: its column sums to c = {} of n = {}. With c near n, an attention sink, L is of the size of √n = {}; here √c = {}.{averaged}",
        Number::of(largest),
        count(measurement.n),
        Number::of(measurement.n.sqrt()),
        Number::of(largest.sqrt())
    )
}

// The token plane.
pub const TOKENS_HEADING: &str = "Tokens";

/// The titles of the axes while a token is moved: principal axes hold still, and have no shares of their own.
pub fn held_plane_axes(picture: &TokenPicture) -> (String, String) {
    match picture.variance_shares {
        Some(_) => ("1st axis, held still".into(), "2nd axis, held still".into()),
        None => plane_axes(picture),
    }
}

/// The titles of the axes.
pub fn plane_axes(picture: &TokenPicture) -> (String, String) {
    let share = |share: f64| format!("{:.0}% of the variance", 100.0 * share);
    match (picture.variance_shares, picture.d) {
        (Some((first, second)), _) => (format!("1st axis, {}", share(first)), format!("2nd axis, {}", share(second))),
        (None, 1) => ("token".into(), String::new()),
        (None, _) => ("1st number".into(), "2nd number".into()),
    }
}

pub fn tokens_finding(picture: &TokenPicture) -> String {
    let n = picture.positions.len();
    let largest = Number::of(picture.largest_norm);
    if picture.ln_sizes.is_some() {
        return format!(
            "{n} positions, each standing for many tokens: the larger, the more. The largest norm is {largest}."
        );
    }
    match (picture.d, picture.variance_shares) {
        (1, _) => format!("{n} tokens of one number; those that coincide are stacked. The largest norm is {largest}."),
        (_, None) => format!("{n} tokens of two numbers, as they are. The largest norm is {largest}."),
        (d, Some((first, second))) => format!(
            "{n} tokens of {d} numbers on their first two principal axes, which hold {:.0}% of the variance. The largest norm is {largest}.",
            100.0 * (first + second)
        ),
    }
}

pub fn ball(radius: f64) -> String {
    format!("R = {}", Number::short(radius))
}

pub fn drawn_of(drawn: usize, n: usize) -> String {
    format!("The first {drawn} of {n} are drawn.")
}

/// The name of a picture: what it is of, and what it shows once there is something.
pub fn label(heading: &str, finding: &str) -> String {
    if finding.is_empty() { heading.to_owned() } else { format!("{heading}. {finding}") }
}
