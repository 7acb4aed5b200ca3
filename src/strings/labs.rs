//! The experiments of the lab: bounds around the tokens, scaled tokens, tightness, the inverse.

use crate::words::labs as words;
pub use crate::words::labs::*;

use crate::answers::{Side, Which};
use crate::phase::Phase;
use crate::state::{DotWeights, LabTokens, PlotChoice};
use lipscope_core::bounds::{self, Absence, Bound, Norm};
use lipscope_core::certify::CertifiedRow;
use lipscope_core::experiment::WeightSource;
use lipscope_core::fit::PowerLaw;
use lipscope_core::gap::GapCell;
use lipscope_core::inverse::{ConstantKind, Outcome};
use lipscope_core::scaling::{ScaledTokens, ScalingPoint};
use lipscope_core::tightness::TightnessPoint;
use lipscope_plot::{Kind, Number, ascending, raised};

use super::bounds::{bound_label, reason, side_kind};
use super::norms::norm_title;
use super::numbers::is_one;
use super::plot::count;
use super::problems::message;

pub const L2: &str = "L2";
pub const L2_MHA: &str = "L2-MHA";

pub fn scaled_columns() -> [&'static str; 3] {
    ["R", words::scaled_columns(), "L2"]
}

pub fn tightness_columns() -> [&'static str; 5] {
    [
        "n",
        tightness_columns::found(),
        tightness_columns::bound(),
        tightness_columns::ratio(),
        tightness_columns::clusters(),
    ]
}

pub const CONSTANT: &str = "L";
pub fn inverse_columns() -> [&'static str; 6] {
    [
        "t",
        inverse_columns::l2_mha_error(),
        inverse_columns::l2_mha_residual(),
        inverse_columns::l2_mha_guaranteed(),
        inverse_columns::dot_product_error(),
        inverse_columns::dot_product_residual(),
    ]
}
pub const FRACTION: &str = "c";
pub fn plane_columns() -> [&'static str; 7] {
    [
        plane_columns::token(),
        plane_columns::x_1(),
        plane_columns::x_2(),
        plane_columns::y_1(),
        plane_columns::y_2(),
        plane_columns::iterate_1(),
        plane_columns::iterate_2(),
    ]
}

pub fn kim_note(heads: usize, d: usize) -> String {
    let steps = if heads > 1 { kim_note::steps(heads) } else { String::new() };
    kim_note::sentence { d_head: d / heads.max(1), steps: &steps }.text()
}

pub fn lab_progress(phase: &Phase, done: usize, total: usize) -> String {
    match phase {
        Phase::Waiting | Phase::Done => String::new(),
        Phase::Running if total > 0 => lab_progress::some { done, total }.text(),
        Phase::Running => lab_progress::running().into(),
        Phase::Paused | Phase::Stopped => lab_progress::paused().into(),
        Phase::Failed(problem) => message(problem),
    }
}

pub fn lab_note(phase: &Phase) -> String {
    match phase {
        Phase::Waiting | Phase::Running | Phase::Done => lab_note::waiting().into(),
        Phase::Paused | Phase::Stopped => lab_note::paused().into(),
        Phase::Failed(_) => lab_note::failed().into(),
    }
}

/// An exponent with two decimals and a real minus sign; no minus before zeros.
pub fn power(x: f64) -> String {
    let text = format!("{x:.2}");
    if text == "-0.00" { "0.00".into() } else { text.replace('-', "\u{2212}") }
}

pub fn scaled_choice(choice: ScaledTokens) -> String {
    match choice {
        ScaledTokens::OneAtZero => scaled_choice::one_at_zero().into(),
        ScaledTokens::AsTheyAre => scaled_choice::as_they_are().into(),
    }
}

pub fn scaled_finding(norm: Norm, last: Option<ScalingPoint>, fits: Option<(PowerLaw, PowerLaw)>) -> String {
    match (last, fits) {
        (Some(last), Some((dot, l2))) => scaled_finding::sentence {
            dot: Number::digits(last.dot, Kind::Plain),
            dot_exponent: power(dot.exponent),
            l2: Number::digits(last.l2, Kind::Plain),
            l2_exponent: power(l2.exponent),
            norm: norm_title(norm),
            radius: Number::short(last.radius),
        }
        .text(),
        _ => scaled_finding::waiting(norm_title(norm)),
    }
}

pub fn scaled_readout(point: Option<ScalingPoint>) -> String {
    match point {
        Some(point) => format!(
            "R = {}  ·  {} = {}  ·  {L2} = {}",
            Number::of(point.radius),
            dot_product(),
            Number::of(point.dot),
            Number::of(point.l2)
        ),
        None => words::scaled_readout().into(),
    }
}

pub fn tightness_finding(points: &[TightnessPoint]) -> String {
    match points.last() {
        Some(last) => {
            let bound = Number::digits(last.bound, Kind::UpperBound);
            tightness_finding::sentence { bound, found: Number::digits(last.found, Kind::LowerBound), n: last.n }.text()
        }
        None => tightness_finding::waiting().into(),
    }
}

pub fn clusters_of(point: &TightnessPoint) -> String {
    let part = |(place, size): &(f64, usize)| format!("{} × {size}", Number::of(*place));
    point.clusters.iter().map(part).collect::<Vec<_>>().join(", ")
}

pub fn tightness_readout(point: &TightnessPoint) -> String {
    tightness_readout { clusters: clusters_of(point), n: point.n }.text()
}

/// The name of a column of the map: powers of ten have one, and the first.
pub fn gap_column(n: f64) -> String {
    let power = n.log10().round();
    match n {
        2.0 => "2".into(),
        10.0 => "10".into(),
        _ if 10f64.powf(power) == n => format!("10{}", raised(&power.to_string())),
        _ => String::new(),
    }
}

pub fn gap_columns() -> [&'static str; 8] {
    [
        RADIUS,
        "n",
        gap_lower(),
        gap_columns::lower_name(),
        gap_upper(),
        gap_columns::upper_name(),
        gap_ratio(),
        gap_columns::absent(),
    ]
}

/// Which bound is missing, and why.
pub fn gap_missing(side: bounds::Side, why: Absence) -> String {
    match side {
        bounds::Side::Lower => gap_missing::lower(reason(why)),
        bounds::Side::Upper => gap_missing::upper(reason(why)),
    }
}

/// The largest ratio, the middle one, and why some cells have none.
pub fn gap_finding(cells: &[GapCell], widest: Option<&GapCell>) -> String {
    // The reason of most cells: a cell of few tokens may have one of its own.
    let reasons = || cells.iter().filter_map(|cell| cell.absent);
    let n_alike = |reason| reasons().filter(|other| *other == reason).count();
    let mut distinct: Vec<_> = reasons().collect();
    distinct.dedup();
    let Some((side, why)) = distinct.into_iter().max_by_key(|reason| n_alike(*reason)) else {
        return gap_widest(cells, widest);
    };
    let reason = gap_missing(side, why);
    let n_absent = cells.iter().filter(|cell| cell.ratio().is_none()).count();
    if widest.is_none() {
        return gap_finding::none(reason);
    }
    gap_finding::some { absent: n_absent, reason, sentence: gap_widest(cells, widest), total: cells.len() }.text()
}

fn gap_widest(cells: &[GapCell], widest: Option<&GapCell>) -> String {
    let Some((widest, ratio)) = widest.and_then(|widest| Some((widest, widest.ratio()?))) else {
        return gap_finding::waiting().into();
    };
    let mut ratios: Vec<f64> = cells.iter().filter_map(GapCell::ratio).collect();
    ascending(&mut ratios, |ratio| *ratio);
    let median = ratios[ratios.len() / 2];
    let [median, ratio] = [median, ratio].map(|times| Number::digits(times, Kind::UpperBound));
    if is_one(&ratio) {
        return gap_finding::equal().into();
    }
    gap_finding::sentence { median, n: count(widest.n), radius: Number::short(widest.radius), times: ratio }.text()
}

/// The bounds of a cell, or which is missing and why.
pub fn gap_readout(cell: &GapCell) -> String {
    let (n, radius) = (count(cell.n), Number::short(cell.radius));
    let of = |bound: &Bound| Number::claimed(bound.log10, side_kind(bound.side)).to_string();
    let named = |bound: &Bound| gap_readout::bound { name: bound_label(bound.id), value: of(bound) }.text();
    let both = [&cell.upper, &cell.lower].into_iter().flatten().map(named);
    let last = match (cell.ratio(), cell.absent) {
        (Some(ratio), _) => gap_readout::times(Number::of(ratio)),
        (None, Some((side, why))) => gap_missing(side, why),
        (None, None) => String::new(),
    };
    let place = gap_readout::place { n, radius }.text();
    std::iter::once(place).chain(both).chain([last]).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ·  ")
}

pub fn inverse_finding(l2: &Side, dot: &Side) -> String {
    let one = |name: &str, side: &Side| match side.steps.last() {
        Some(last) => {
            let (end, error) = (ended(side.outcome, side.steps.len()), Number::digits(last.error, Kind::Plain));
            inverse_finding::ended { at: last.iteration, end, error, name }.text()
        }
        None => inverse_finding::waiting(name),
    };
    inverse_finding::sentence { dot: one(dot_product(), dot), l2: one(L2_MHA, l2) }.text()
}

pub fn inverse_readout(iteration: usize, l2: &Side, dot: &Side) -> String {
    let one = |name: &str, side: &Side| {
        side.steps.get(iteration).map(|step| inverse_readout::error { error: Number::of(step.error), name }.text())
    };
    let guaranteed = l2.steps.get(iteration).and_then(|step| step.guaranteed);
    let guaranteed = guaranteed.map(|rate| inverse_readout::guaranteed(Number::digits(rate, Kind::UpperBound)));
    [Some(self::iteration(iteration)), one(L2_MHA, l2), guaranteed, one(dot_product(), dot)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("  ·  ")
}

/// The name of the last error of an inverse, with the iteration that it belongs to.
pub fn inverse_error_name(last: Option<usize>) -> String {
    last.map_or_else(|| error().to_owned(), error_at)
}

/// The name of its last residual, with that iteration.
pub fn inverse_residual_name(last: Option<usize>) -> String {
    last.map_or_else(|| step_residual().to_owned(), residual_at)
}

pub fn iteration(t: usize) -> String {
    format!("t = {t}")
}

pub fn ended(outcome: Option<Outcome>, iterations: usize) -> String {
    match outcome {
        Some(Outcome::Converged) => ended::converged(iterations),
        Some(Outcome::Diverged) => ended::diverged(iterations),
        Some(Outcome::Stalled) => ended::stalled(iterations),
        None if iterations > 0 => ended::none(iterations),
        None => ended::waiting().into(),
    }
}

pub fn constant_kind(kind: Option<ConstantKind>) -> &'static str {
    match kind {
        Some(ConstantKind::KimL2) => constant_kind::kim_l2(),
        Some(ConstantKind::KimColumn) => constant_kind::kim_column(),
        Some(ConstantKind::Local) => constant_kind::local(),
        None => "",
    }
}

pub fn lab_tokens(choice: LabTokens) -> String {
    match choice {
        LabTokens::Drawn => lab_tokens::drawn().into(),
        LabTokens::Grid => lab_tokens::grid().into(),
        LabTokens::Page => lab_tokens::page().into(),
    }
}

pub fn dot_weights(choice: DotWeights) -> String {
    match choice {
        DotWeights::IdentityPlus => "A = I, V = I".into(),
        DotWeights::IdentityMinus => "A = −I, V = I".into(),
        DotWeights::Same => words::dot_weights().into(),
    }
}

pub fn l2_weights(weights: &WeightSource) -> String {
    match weights {
        WeightSource::Kim { heads: 1, scale, seed } => l2_weights::one_head { scale, seed }.text(),
        WeightSource::Kim { heads, scale, seed } => l2_weights::heads { heads, scale, seed }.text(),
        _ => String::new(),
    }
}

pub fn plane_caption(times: f64, side: &Side) -> String {
    if side.tokens.is_empty() {
        return String::new();
    }
    match times {
        1.0 => plane_caption::as_is().into(),
        times => plane_caption::stretched(Number::short(times)),
    }
}

pub fn plane_words(which: Which, iteration: usize) -> String {
    let name = match which {
        Which::L2 => L2_MHA,
        Which::Dot => dot_product(),
    };
    plane_words { iteration, name }.text()
}

/// The radius of the ball.
pub const RADIUS: &str = "R";
pub const EPS: &str = "ε";
pub const EPS_OVER_R: &str = "ε/R";

/// How to bring back the controls of tokens and weights.
pub fn lab_without_controls(plot: PlotChoice) -> &'static str {
    match plot {
        PlotChoice::EstimatorComparison => lab_without_controls::estimators(),
        PlotChoice::Inverse => lab_without_controls::inverse(),
        _ => lab_without_controls::fixed(),
    }
}

/// A length in units of R.
pub fn times_radius(relative: f64) -> String {
    words::times_radius(Number::short(relative))
}

pub fn eps_equals(relative: f64) -> String {
    format!("{EPS} = {}", times_radius(relative))
}

pub fn certify_plane(relative: f64) -> String {
    words::certify_plane(times_radius(relative))
}

/// An upper bound, rounded up so that it stays one.
pub fn rounded_up(bound: f64) -> String {
    Number::digits(bound, Kind::UpperBound).to_string()
}

/// A lower bound, rounded down.
pub fn rounded_down(bound: f64) -> String {
    Number::digits(bound, Kind::LowerBound).to_string()
}

pub fn certify_finding(row: Option<&CertifiedRow>) -> String {
    let Some(row) = row else { return certify_finding::waiting().into() };
    let upper = Number::digits(row.certified.min(row.ball), Kind::UpperBound);
    let found = Number::digits(row.found, Kind::LowerBound);
    certify_finding::sentence { epsilon: Number::of(row.epsilon), found, times: times_radius(row.relative), upper }
        .text()
}

pub fn certify_readout(row: Option<&CertifiedRow>) -> String {
    let Some(CertifiedRow { relative, epsilon, certified, ball, found, .. }) = row else {
        return words::scaled_readout().into();
    };
    let (ball, certified, found) = (rounded_up(*ball), rounded_up(*certified), rounded_down(*found));
    certify_readout::sentence { ball, certified, epsilon: Number::of(*epsilon), found, times: times_radius(*relative) }
        .text()
}

pub fn certify_columns() -> [&'static str; 6] {
    [
        EPS_OVER_R,
        EPS,
        certify_columns::certified(),
        certify_columns::local(),
        certify_columns::ball(),
        certify_columns::found(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_error_of_an_inverse_names_its_step() {
        let step = |iteration, error| lipscope_core::inverse::InverseStep {
            iteration,
            error,
            residual: 1.0,
            guaranteed: None,
            positions: Default::default(),
        };
        let side = |steps| Side { steps, outcome: Some(Outcome::Diverged), ..Side::default() };
        let text = inverse_finding(&side(vec![step(0, 0.5)]), &side(vec![step(0, 0.5), step(1, 3.2e14)]));
        assert!(text.contains("error 0.5000 at t = 0.") && text.contains("error 3.200 × 10¹⁴ at t = 1."), "{text}");
        assert_eq!(inverse_error_name(Some(7)), "error at t = 7");
        assert_eq!(inverse_error_name(None), "error");
    }
}
