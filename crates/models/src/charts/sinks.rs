//! Chart of the norm of each window against its attention sink (the largest column sum of P), tinted by n.

use crate::{Cell, Estimate, Group, Quantity};
use lipscope_plot::{AxisSpec, Dot, Scale, Scatter, ascending};

use super::words::ModelWords;

/// The windows that have ||J||_2, ordered by sink.
#[must_use]
pub fn by_sink(group: &Group) -> Vec<(Cell, Estimate)> {
    let with_norm = group.readings.iter().filter(|(_, estimate)| estimate.spectral.is_some());
    let mut readings: Vec<(Cell, Estimate)> = with_norm.copied().collect();
    ascending(&mut readings, |(_, estimate)| estimate.sink.mass);
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
        Some(Dot { x: estimate.sink.mass, y: Quantity::Spectral.of(estimate)?, tint: cell.n as f64 })
    };
    chart.dots = readings.iter().filter_map(dot).collect();
    chart
}
