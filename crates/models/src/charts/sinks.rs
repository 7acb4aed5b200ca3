//! Chart of the norm of each window against its attention sink (the largest column sum of P), tinted by n.

use crate::{Cell, Estimate, Group, Quantity};
use lipscope_plot::{AxisSpec, Dot, Scale, Scatter, ascending};

use super::words::ModelWords;

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
