//! The singular values over their index, and the energies of the first pair over the tokens.

use crate::strings;
use lipscope_core::spectrum::{Energy, Level, Places, Spectrum};
use lipscope_plot::{AxisSpec, Extent, Kind, LineChart, Role, Scale, Series, SeriesKind, Table};

use super::plot::Written;

/// Up to this many indices the axis is linear.
const EVENLY: f64 = 2000.0;

/// The chart of the singular values that are above rounding.
pub fn values_chart(spectrum: Option<&Spectrum>) -> LineChart {
    let (mut exact, mut lower, mut runs) = (Vec::new(), Vec::new(), Vec::new());
    let mut last = 1.0f64;
    for (first, level) in spectrum.map_or_else(Vec::new, indexed) {
        let end = first + level.multiplicity - 1.0;
        last = last.max(end);
        let points = if level.is_converged() { &mut exact } else { &mut lower };
        points.push((first, level.value));
        if end > first {
            points.push((end, level.value));
            runs.extend([(first, level.value), (end, level.value), (f64::NAN, f64::NAN)]);
        }
    }
    let series = vec![
        Series::new("repeated", "", Role::Measured, SeriesKind::Line, runs),
        Series::new("values", "", Role::Measured, SeriesKind::Points, exact),
        Series::new("at-least", strings::at_least(), Role::LowerBound, SeriesKind::Hollow, lower),
    ];
    let scale = if last > EVENLY { Scale::Log } else { Scale::Linear };
    let title = if scale == Scale::Log { strings::spectrum_x_log() } else { strings::spectrum_x() };
    let x = AxisSpec::new(title, scale).whole().range(Extent::new(1.0, last.max(8.0)));
    LineChart::new(x, AxisSpec::new(strings::spectrum_y(), Scale::Log), series)
}

/// The levels above rounding, each with the index of its first singular value. A level is a value with its
/// multiplicity.
fn indexed(spectrum: &Spectrum) -> Vec<(f64, Level)> {
    let mut next = 1.0;
    let levels = spectrum.levels.iter().filter(|level| level.value > spectrum.zero_below);
    levels
        .map(|level| {
            let first = next;
            next += level.multiplicity;
            (first, *level)
        })
        .collect()
}

/// The level at an index, with the index of its first singular value.
pub fn level_at(spectrum: &Spectrum, index: f64) -> Option<(f64, Level)> {
    indexed(spectrum).into_iter().rev().find(|(first, _)| *first <= index)
}

/// The share of each token in the first pair: outputs as dots, inputs as rings.
pub fn energy_chart(spectrum: Option<&Spectrum>) -> LineChart {
    let top = spectrum.and_then(|spectrum| spectrum.top.as_ref());
    let energies = top.map_or(&[][..], |top| &top.energies);
    let of = |read: fn(&Energy) -> f64| -> Vec<(f64, f64)> {
        energies.iter().map(|energy| (1.0 + energy.place as f64, read(energy))).collect()
    };
    let stems = energies.iter().flat_map(|energy| {
        let x = 1.0 + energy.place as f64;
        [(x, 0.0), (x, energy.input.max(energy.output)), (f64::NAN, f64::NAN)]
    });
    let mut stems = Series::new("stems", "", Role::Measured, SeriesKind::Line, stems.collect());
    stems.opacity = 0.35;
    let series = vec![
        stems,
        Series::new(
            "outputs",
            strings::output_shares(),
            Role::Measured,
            SeriesKind::Points,
            of(|energy| energy.output),
        ),
        Series::new("inputs", strings::input_shares(), Role::Measured, SeriesKind::Hollow, of(|energy| energy.input)),
    ];
    let (first, last) = (energies.first().map_or(1, |e| e.place + 1), energies.last().map_or(2, |e| e.place + 1));
    let margin = 0.02 * (last - first).max(1) as f64;
    let title = match top.map(|top| top.places) {
        Some(Places::Clusters) => strings::energy_x_clusters(),
        _ => strings::energy_x(),
    };
    let x = AxisSpec::new(title, Scale::Linear).whole().range(Extent::new(first as f64 - margin, last as f64 + margin));
    let most = energies.iter().map(|energy| energy.input.max(energy.output)).fold(0.0, f64::max);
    let y =
        AxisSpec::new(strings::energy_y(), Scale::Linear).range(Extent::new(0.0, if most > 0.0 { most } else { 1.0 }));
    let mut chart = LineChart::new(x, y, series);
    chart.y.range = chart.y.range.map(|range| range.nice(Scale::Linear));
    chart
}

/// A row for each value.
pub fn values_table(spectrum: Option<&Spectrum>, written: Written<'_>) -> Table {
    let row = |(index, level): (f64, Level)| {
        let residual = level.relative_residual.map_or_else(String::new, |x| written(x, Kind::Plain));
        let claim = strings::claim(level.is_converged()).to_owned();
        let value = written(level.value, strings::claimed_kind(level.is_converged()));
        vec![index.to_string(), claim, value, level.multiplicity.to_string(), residual]
    };
    let rows = spectrum.map_or_else(Vec::new, indexed).into_iter().map(row).collect();
    Table { header: strings::spectrum_columns().map(String::from).to_vec(), rows }
}

/// A row for each token.
pub fn energy_table(spectrum: Option<&Spectrum>, written: Written<'_>) -> Table {
    let energies = spectrum.and_then(|spectrum| spectrum.top.as_ref()).map_or(&[][..], |top| &top.energies);
    let row = |energy: &Energy| {
        vec![(energy.place + 1).to_string(), written(energy.output, Kind::Plain), written(energy.input, Kind::Plain)]
    };
    Table { header: strings::energy_columns().map(String::from).to_vec(), rows: energies.iter().map(row).collect() }
}
