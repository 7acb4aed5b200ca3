//! Charts of a table of model measurements, for the page and the command line.
//!
//! Nothing here knows weights or runs. Data come from `results` and `config`, figures from [`lipscope_plot`], texts
//! from the caller ([`ModelWords`]).
//!
//! `words` has the names of axes and curves, and fitted curves as text.

mod words;

use crate::{
    AtLength, Cell, Estimate, Group, HeadMap, ModelConfig, NormGrid, PictureSizes, Published, Quantity, Spread,
};
use lipscope_core::extremum::maximum;
use lipscope_core::fit::{PowerLaw, fit_factor};
use lipscope_plot::{AxisSpec, Dot, Number, Role, Scale, Scatter, Series, SeriesKind, Table, Tiles, ascending, raised};

pub use words::{ModelWords, power_law_text, sqrt_law_text};

/// Whether the released-script estimator is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Released {
    /// Only ||J||_2 is drawn.
    #[default]
    Hidden,
    /// Both estimators are drawn.
    Shown,
}

/// The chart of some layers and heads, with a dot for each window that has ||J||_2, group by group.
#[must_use]
pub fn norms_chart(groups: &[&Group], released: Released, published: &[Published], words: &ModelWords) -> Scatter {
    let y = if released == Released::Shown { &words.both } else { &words.norm };
    let mut chart =
        Scatter::new(AxisSpec::new(words.length.clone(), Scale::Log).whole(), AxisSpec::new(y.clone(), Scale::Log));
    chart.tint = Some(words.token_norm.clone());
    chart.note.clone_from(&words.note);
    let mut curves = Vec::new();
    for group in groups {
        let cell = if groups.len() == 1 { String::new() } else { format!("{}: ", words.cell(group)) };
        chart.dots.extend(group.readings.iter().filter_map(|(cell, estimate)| {
            let y = Quantity::Spectral.of(estimate)?;
            Some(Dot { x: cell.n as f64, y, tint: estimate.radius })
        }));
        if released == Released::Shown {
            let name = format!("{cell}{}", words.released);
            let rings = group.points(Quantity::Released);
            chart.series.push(Series::new(name, "", Role::ReleasedScript, SeriesKind::Hollow, rings));
        }
        let bounds: Vec<(f64, f64)> = group
            .readings
            .iter()
            .filter_map(|(cell, estimate)| Some((cell.n as f64, estimate.bounds?.best()?)))
            .collect();
        if !bounds.is_empty() {
            let name = format!("{cell}{}", words.bound);
            chart.series.push(Series::new(&name, &name, Role::Local, SeriesKind::Hollow, bounds));
        }
        let Some((first, last)) = group.ends() else { continue };
        let ends = [first as f64, last as f64];
        for (quantity, name, role) in [
            (Quantity::Spectral, &words.norm, Role::Measured),
            (Quantity::Released, &words.released, Role::ReleasedScript),
        ] {
            if let Some(fit) = group.fit(quantity).filter(|_| role == Role::Measured || released == Released::Shown) {
                let label = format!("{cell}{name}: {}", power_law_text(&fit));
                let points = ends.map(|n| (n, fit.at(n))).to_vec();
                curves.push(
                    Series::new(&label, &label, role, SeriesKind::Line, points).short_label(power_law_text(&fit)),
                );
            }
        }
    }
    chart.series.extend(curves);
    let longest = groups.iter().filter_map(|group| group.ends()).map(|(_, last)| last as f64).fold(2.0, maximum);
    chart.series.extend(published.iter().map(|curve| published_curve(curve, longest, words)));
    chart
}

/// Fits C sqrt(n) to one estimator; `None` if fewer than two windows have a value.
#[must_use]
pub fn sqrt_law(group: &Group, quantity: Quantity) -> Option<PowerLaw> {
    fit_factor(&group.points(quantity), 0.5)
}

/// The chart of one head, with a dot for each length that has ||J||_2.
#[must_use]
pub fn adversarial_chart(group: &Group, published: &[Published], words: &ModelWords) -> Scatter {
    let axis = |name: &str| AxisSpec::new(name, Scale::Log);
    let mut chart = Scatter::new(axis(&words.length).whole(), axis(&words.both));
    chart.note.clone_from(&words.note);
    chart.dots = group.points(Quantity::Spectral).into_iter().map(|(x, y)| Dot { x, y, tint: y }).collect();
    let rings = group.points(Quantity::Released);
    chart.series.push(Series::new(words.released.clone(), "", Role::ReleasedScript, SeriesKind::Hollow, rings));
    let Some((first, last)) = group.ends() else { return chart };
    for (quantity, name, role) in
        [(Quantity::Spectral, &words.norm, Role::Measured), (Quantity::Released, &words.released, Role::ReleasedScript)]
    {
        if let Some(fit) = sqrt_law(group, quantity) {
            let label = format!("{name}: {}", sqrt_law_text(&fit));
            let points = [first, last].map(|n| (n as f64, fit.at(n as f64))).to_vec();
            chart
                .series
                .push(Series::new(&label, &label, role, SeriesKind::Line, points).short_label(sqrt_law_text(&fit)));
        }
    }
    chart.series.extend(published.iter().map(|curve| published_curve(curve, last as f64, words)));
    chart
}

/// The windows that have ||J||_2 and a sink, ordered by sink; none for a map without attention.
#[must_use]
pub fn by_sink(group: &Group) -> Vec<(Cell, Estimate)> {
    let has_both = |(_, estimate): &&(Cell, Estimate)| estimate.spectral.is_some() && estimate.sink.is_some();
    let mut readings: Vec<(Cell, Estimate)> = group.readings.iter().filter(has_both).copied().collect();
    ascending(&mut readings, |(_, estimate)| estimate.sink.map_or(0.0, |sink| sink.mass));
    readings
}

/// The chart of the windows of one layer and head in the order of [`by_sink`].
#[must_use]
pub fn sinks_chart(readings: &[(Cell, Estimate)], words: &ModelWords) -> Scatter {
    let axis = |name: &str| AxisSpec::new(name, Scale::Log);
    let mut chart = Scatter::new(axis(&words.sink), axis(&words.norm));
    chart.tint = Some(words.length.clone());
    chart.note.clone_from(&words.note);
    let dot = |(cell, estimate): &(Cell, Estimate)| {
        Some(Dot { x: estimate.sink?.mass, y: Quantity::Spectral.of(estimate)?, tint: cell.n as f64 })
    };
    chart.dots = readings.iter().filter_map(dot).collect();
    chart
}

/// The heat map of layers by lengths.
#[must_use]
pub fn layer_tiles(grid: &NormGrid, words: &ModelWords) -> Tiles {
    tiles(grid, &words.layer, words)
}

/// The heat map of heads by lengths.
#[must_use]
pub fn head_tiles(grid: &NormGrid, words: &ModelWords) -> Tiles {
    tiles(grid, &words.head, words)
}

/// The tiles of layers by heads; a gap stands between heads that do not share keys and values.
#[must_use]
pub fn head_map_tiles(map: &HeadMap, config: Option<&ModelConfig>, words: &ModelWords) -> Tiles {
    let names = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect();
    let groups: Vec<Option<usize>> = map.heads.iter().map(|head| key_head(config, *head)).collect();
    Tiles {
        rows: names(&map.layers),
        cols: names(&map.heads),
        values: map.means.clone(),
        breaks: (1..groups.len()).filter(|col| groups[*col] != groups[*col - 1]).collect(),
        row_label: words.layer.clone(),
        col_label: words.head.clone(),
        value_label: words.mean_norm.clone(),
        ..Tiles::default()
    }
}

/// The same means, one row per layer and head, with numbers as `written`.
#[must_use]
pub fn head_map_table(
    map: &HeadMap,
    config: Option<&ModelConfig>,
    words: &ModelWords,
    written: fn(f64) -> String,
) -> Table {
    let ModelWords { layer, head, key_head: of_group, length, mean_norm, windows, .. } = words;
    let header = [layer, head, of_group, length, mean_norm, windows].map(String::clone).to_vec();
    let cells = (0..map.layers.len()).flat_map(|row| (0..map.heads.len()).map(move |column| (row, column)));
    let row = |(row, column): (usize, usize)| {
        let (mean, windows) = map.at(row, column)?;
        let (layer, head) = (map.layers[row], map.heads[column]);
        let group = key_head(config, head).map_or_else(String::new, |group| group.to_string());
        Some(vec![layer.to_string(), head.to_string(), group, map.n.to_string(), written(mean), windows.to_string()])
    };
    Table { header, rows: cells.filter_map(row).collect() }
}

/// How much of a change each patch of a picture bears, laid out as in the picture; `None` if the change is not one of the
/// picture's tokens.
#[must_use]
pub fn patch_tiles(change: &[f64], picture: PictureSizes, words: &ModelWords) -> Option<Tiles> {
    let in_row = picture.patches_in_row();
    let values = change.get(picture.first..).filter(|_| change.len() == picture.tokens())?.to_vec();
    let names: Vec<String> = (1..=in_row).map(|at| at.to_string()).collect();
    Some(Tiles {
        rows: names.clone(),
        cols: names,
        values,
        row_label: words.patch_row.clone(),
        col_label: words.patch_column.clone(),
        value_label: words.patch_share.clone(),
        ..Tiles::default()
    })
}

/// The same numbers, one row per token, with numbers as `written`.
#[must_use]
pub fn patch_table(change: &[f64], picture: PictureSizes, words: &ModelWords, written: fn(f64) -> String) -> Table {
    let header = [&words.token, &words.patch_row, &words.patch_column, &words.patch_share].map(String::clone).to_vec();
    let in_row = picture.patches_in_row().max(1);
    let row = |(token, share): (usize, &f64)| {
        let patch = token.checked_sub(picture.first);
        let place =
            |of: fn(usize, usize) -> usize| patch.map_or_else(String::new, |at| (of(at, in_row) + 1).to_string());
        vec![(token + 1).to_string(), place(|at, width| at / width), place(|at, width| at % width), written(*share)]
    };
    Table { header, rows: change.iter().enumerate().map(row).collect() }
}

/// The key-value head of a head, in a model where several heads have the same.
#[must_use]
pub fn key_head(config: Option<&ModelConfig>, head: usize) -> Option<usize> {
    let config = config.filter(|config| config.key_heads < config.heads && head < config.heads)?;
    Some(config.head_sizes().group(head))
}

/// The table of one layer and head, one row per length.
#[must_use]
pub fn lengths_table(group: &Group, words: &ModelWords) -> Table {
    let ModelWords { length, windows, norm, released, token_norm, sink, residual, .. } = words;
    let header = [length, windows, norm, residual, released, token_norm, sink].map(String::clone).to_vec();
    let row = |at: &AtLength| {
        let spread = |spread: Option<Spread>| spread.map_or_else(String::new, |spread| written(spread, at.windows));
        let worst = at.spectral.map_or_else(String::new, |_| Number::rough(at.worst_residual).to_string());
        vec![
            at.n.to_string(),
            at.windows.to_string(),
            spread(at.spectral),
            worst,
            spread(at.released),
            spread(at.radius),
            spread(at.sink),
        ]
    };
    Table { header, rows: group.by_length().iter().map(row).collect() }
}

/// A published curve from n = 2 to the longest window.
fn published_curve(curve: &Published, longest: f64, words: &ModelWords) -> Series {
    let short = match curve.exponent {
        0.5 => format!("{} √n", curve.factor),
        exponent => format!("{} n{}", curve.factor, raised(&exponent.to_string())),
    };
    let label = format!("{}: {short}", words.published);
    let points = [2.0, longest].map(|n| (n, curve.at(n))).to_vec();
    let id = format!("published {}", curve.id);
    Series::new(id, label, Role::PublishedGeneral, SeriesKind::Line, points).short_label(short)
}

fn tiles(grid: &NormGrid, row_label: &str, words: &ModelWords) -> Tiles {
    Tiles {
        rows: grid.rows.iter().map(usize::to_string).collect(),
        cols: grid.lengths.iter().map(usize::to_string).collect(),
        values: grid.means.clone(),
        row_label: row_label.to_owned(),
        col_label: words.length.clone(),
        value_label: words.mean_norm.clone(),
        ..Tiles::default()
    }
}

fn written(Spread { low, mean, high }: Spread, windows: usize) -> String {
    let [low, mean, high] = [low, mean, high].map(|x| Number::of(x).to_string());
    if windows == 1 { mean } else { format!("{low} … {mean} … {high}") }
}
