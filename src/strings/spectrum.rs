//! The singular values, and estimators of the largest one.

use crate::words::spectrum as words;
pub use crate::words::spectrum::*;

use crate::state::EstimatorQuantity;
use lipscope_core::estimators::{Estimator, EstimatorPoint, Preset, Stop};
use lipscope_core::extremum::{largest, minimum};
use lipscope_core::picture::BlockPicture;
use lipscope_core::spectrum::{Coverage, Level, Places, Spectrum, SpectrumMap, TopBlock, TopPair};
use lipscope_plot::{Kind, Number};

pub fn spectrum_columns() -> [&'static str; 5] {
    [
        spectrum_columns::index(),
        spectrum_columns::claim(),
        "σᵢ",
        spectrum_columns::how_often(),
        spectrum_columns::relative_residual(),
    ]
}
pub fn energy_columns() -> [&'static str; 3] {
    [energy_columns::place(), energy_columns::output(), energy_columns::input()]
}

pub const LANCZOS: &str = "Lanczos";
pub fn estimators_ends_columns() -> [&'static str; 5] {
    [
        estimators_ends_columns::estimator(),
        "‖J‖₂",
        estimators_ends_columns::relative_error(),
        estimators_ends_columns::products(),
        estimators_ends_columns::time(),
    ]
}
pub fn estimators_columns() -> [&'static str; 8] {
    [
        estimators_columns::estimator(),
        estimators_columns::iteration(),
        estimators_columns::products(),
        estimators_columns::claim(),
        "s",
        estimators_columns::relative_error(),
        estimators_columns::relative_residual(),
        estimators_columns::stops_here(),
    ]
}

/// The sign of a converged number or of a lower bound.
pub fn claim(is_converged: bool) -> &'static str {
    claimed_kind(is_converged).sign()
}

/// The kind of an iterated value: at most the exact value, and equal to it once converged.
pub fn claimed_kind(is_converged: bool) -> Kind {
    if is_converged { Kind::Exact } else { Kind::LowerBound }
}

/// An iterated value without its sign. Before it has converged it is a lower bound, and its digits are rounded down.
fn iterated(value: f64, is_converged: bool) -> Number {
    Number::digits(value, claimed_kind(is_converged))
}

pub fn spectrum_map_choice(map: SpectrumMap) -> String {
    match map {
        SpectrumMap::Attention => spectrum_map_name::attention(),
        SpectrumMap::AttentionResidual => spectrum_map_name::residual(),
    }
    .into()
}

pub fn spectrum_how(spectrum: Option<&Spectrum>) -> String {
    let Some(found) = spectrum else {
        return spectrum_how::waiting().into();
    };
    let size = Number::short(found.size);
    let how = super::method(found.method);
    let listed = match found.coverage {
        Coverage::All if found.iterations > 0 => spectrum_how::nonzero { how, size: &size }.text(),
        Coverage::All => spectrum_how::all { how, size: &size }.text(),
        Coverage::Leading => spectrum_how::leading {
            how,
            iterations: found.iterations,
            listed: Number::short(found.listed()),
            size: &size,
        }
        .text(),
    };
    let zeros = found.listed() - found.rank();
    if found.coverage == Coverage::All && zeros > 0.0 {
        let zeros = Number::short(zeros);
        return spectrum_how::zeros { listed: &listed, zeros: &zeros }.text();
    }
    listed
}

pub fn spectrum_finding(spectrum: Option<&Spectrum>) -> String {
    let first = spectrum.and_then(Spectrum::first);
    match (spectrum, first) {
        (Some(found), Some(first)) => {
            let last = found.levels.iter().rev().find(|level| level.value > found.zero_below).unwrap_or(&first);
            spectrum_finding::sentence {
                first: Number::digits(first.value, claimed_kind(first.is_converged())),
                how: spectrum_how(spectrum),
                last: Number::digits(last.value, Kind::Plain),
            }
            .text()
        }
        _ => spectrum_finding::waiting().into(),
    }
}

pub fn spectrum_readout(at: Option<(f64, Level)>) -> String {
    let Some((index, level)) = at else {
        return spectrum_readout::hint().into();
    };
    let sign = claim(level.is_converged());
    let times = match level.multiplicity {
        1.0 => String::new(),
        many => spectrum_readout::times(Number::short(many)),
    };
    let residual = match level.relative_residual {
        Some(0.0) => spectrum_readout::dense().into(),
        Some(residual) => spectrum_readout::residual(Number::rough(residual)),
        None => spectrum_readout::sought().into(),
    };
    format!(
        "i = {}  ·  σ {sign} {}{times}{residual}",
        Number::short(index),
        iterated(level.value, level.is_converged())
    )
}

fn place_name(places: Places) -> &'static str {
    match places {
        Places::Tokens => place_name::tokens(),
        Places::Clusters => place_name::clusters(),
    }
}

fn percent(share: f64) -> String {
    format!("{}%", Number::rough(100.0 * share))
}

pub fn top_block(spectrum: Option<&Spectrum>) -> String {
    let top = spectrum.and_then(|spectrum| spectrum.top.as_ref());
    let Some((top, block)) = top.and_then(|top| Some((top, top.block?))) else {
        return match top {
            Some(_) => top_block::too_many().into(),
            None => top_block::waiting().into(),
        };
    };
    let name = place_name(top.places);
    top_block::sentence {
        input: block.input + 1,
        name,
        norm: Number::of(block.norm),
        of_output: percent(block.of_output),
        output: block.output + 1,
        share: percent(block.share),
    }
    .text()
}

pub fn energy_finding(spectrum: Option<&Spectrum>) -> String {
    words::energy_finding(top_block(spectrum))
}

pub fn energy_readout(top: Option<&TopPair>, at: Option<f64>) -> String {
    let found = top.zip(at).and_then(|(top, at)| {
        let energy = top.energies.iter().find(|energy| 1.0 + energy.place as f64 == at)?;
        Some((place_name(top.places), *energy))
    });
    match found {
        Some((name, energy)) => energy_readout::sentence {
            input: percent(energy.input),
            name,
            output: percent(energy.output),
            place: energy.place + 1,
        }
        .text(),
        None => energy_readout::hint().into(),
    }
}

pub fn estimator(estimator: Estimator) -> &'static str {
    match estimator {
        Estimator::DenseSvd => dense(),
        Estimator::Lanczos => LANCZOS,
        Estimator::Power => power_text(),
    }
}

pub fn trial(preset: Option<Preset>) -> String {
    match preset {
        Some(Preset::SmallValues) => trial::small_values().into(),
        Some(Preset::SmallGap) => trial::small_gap().into(),
        Some(Preset::Easy) => trial::easy().into(),
        None => trial::own().into(),
    }
}

pub fn trial_about(preset: Option<Preset>) -> &'static str {
    match preset {
        Some(Preset::SmallValues) => trial_about::small_values(),
        Some(Preset::SmallGap) => trial_about::small_gap(),
        Some(Preset::Easy) => trial_about::easy(),
        None => trial_about::own(),
    }
}

pub fn estimators_shown(shown: EstimatorQuantity) -> &'static str {
    match shown {
        EstimatorQuantity::Error => estimators_shown::error(),
        EstimatorQuantity::Residual => estimators_shown::residual(),
        EstimatorQuantity::Value => estimators_shown::value(),
    }
}

pub fn stop_short(estimator: Estimator, stop: Stop) -> &'static str {
    match (estimator, stop) {
        (Estimator::Lanczos, Stop::StepLimit) => stop_short::lanczos_step_limit(),
        (Estimator::Lanczos, _) => "Lanczos",
        (_, Stop::AbsoluteChange) => stop_short::absolute_change(),
        (_, Stop::RelativeChange) => stop_short::relative_change(),
        (_, Stop::Residual) => stop_short::residual(),
        (_, Stop::StepLimit) => stop_short::step_limit(),
    }
}

pub fn stop_name(estimator: Estimator, stop: Option<Stop>) -> String {
    match (estimator, stop) {
        (Estimator::DenseSvd, _) | (_, None) => dense().into(),
        (Estimator::Lanczos, Some(stop)) => stop_short(Estimator::Lanczos, stop).into(),
        (Estimator::Power, Some(stop)) => {
            stop_name { name: power_text(), stop: stop_short(Estimator::Power, stop) }.text()
        }
    }
}

pub fn stop_id(estimator: Estimator, stop: Stop) -> &'static str {
    match (estimator, stop) {
        (Estimator::DenseSvd, _) => "dense",
        (Estimator::Lanczos, _) => "lanczos",
        (Estimator::Power, Stop::AbsoluteChange) => "absolute",
        (Estimator::Power, Stop::RelativeChange) => "relative",
        (Estimator::Power, Stop::Residual) => "residual",
        (Estimator::Power, Stop::StepLimit) => "limit",
    }
}

pub fn estimators_finding(ends: &[(&EstimatorPoint, Option<Stop>)]) -> String {
    if ends.is_empty() {
        return estimators_finding::waiting().into();
    }
    let one = |(point, stop): &(&EstimatorPoint, Option<Stop>)| {
        let name = stop_name(point.estimator, *stop);
        let sign = if point.is_converged() { "" } else { estimators_finding::at_least() };
        let value = Number::digits(point.value, claimed_kind(point.is_converged()));
        match stop {
            None => format!("{name}: {value}."),
            Some(_) => estimators_finding::ended {
                error: Number::rough(point.error),
                iteration: point.iteration,
                name: &name,
                sign,
                value,
            }
            .text(),
        }
    };
    let all: Vec<String> = ends.iter().map(one).collect();
    estimators_finding::sentence(all.join(estimators_finding::between()))
}

pub fn estimators_readout(points: &[EstimatorPoint], at: Option<f64>) -> String {
    let Some(at) = at else {
        return estimators_readout::hint().into();
    };
    let one = |which: Estimator| {
        let point = points.iter().find(|point| point.estimator == which && point.iteration as f64 == at)?;
        let sign = claim(point.is_converged());
        let (value, error) = (iterated(point.value, point.is_converged()), Number::rough(point.error));
        Some(estimators_readout::one { error: &error, estimator: estimator(which), sign, value: &value }.text())
    };
    let iteration = Some(estimators_readout::iteration(at));
    [iteration, one(Estimator::Lanczos), one(Estimator::Power)].into_iter().flatten().collect::<Vec<_>>().join("  ·  ")
}

/// The titles of rows and columns.
pub fn blocks_axes(places: Places) -> [&'static str; 2] {
    match places {
        Places::Tokens => [blocks_axes::outputs(), blocks_axes::inputs()],
        Places::Clusters => [blocks_axes::output_clusters(), blocks_axes::input_clusters()],
    }
}

pub fn blocks_columns() -> [&'static str; 3] {
    [blocks_columns::output(), blocks_columns::input(), BLOCK_NORM]
}

pub const BLOCK_NORM: &str = "‖Jᵢⱼ‖₂";

pub fn blocks_note(places: Places) -> &'static str {
    match places {
        Places::Tokens => blocks_note::tokens(),
        Places::Clusters => blocks_note::clusters(),
    }
}

/// The sentence about one block; `top` is the one that adds most to the first singular value.
pub fn blocks_readout(picture: &BlockPicture, place: (usize, usize), top: Option<&TopBlock>) -> String {
    let Some(norm) = picture.norm(place) else { return blocks_readout::hint().into() };
    let most = picture.largest().and_then(|place| picture.norm(place)).unwrap_or(0.0);
    let share = if most > 0.0 { norm / most } else { 0.0 };
    let is_top = top.is_some_and(|top| (top.output, top.input) == place);
    blocks_readout::sentence {
        input: place.1 + 1,
        name: place_name(picture.places),
        norm: Number::of(norm),
        output: place.0 + 1,
        share: percent(share),
        top: if is_top { blocks_readout::top() } else { "" },
    }
    .text()
}

pub fn blocks_hint() -> &'static str {
    blocks_readout::hint()
}

/// The picture in words; `read` is the sentence about the selected block.
pub fn blocks_finding(picture: Option<&BlockPicture>, read: &str) -> String {
    let Some(picture) = picture else { return blocks_finding::waiting().into() };
    let least = picture.norms.iter().copied().fold(f64::INFINITY, minimum);
    let most = largest(picture.norms.iter().copied());
    let [least, most] = [least, most].map(|norm| Number::digits(norm, Kind::Plain));
    if least == most {
        blocks_finding::same { norm: least, read }.text()
    } else {
        blocks_finding::sentence { least, most, read }.text()
    }
}
