//! The main plot's twins: a table for reading, and every point for other programs.

use crate::live::{SearchFound, SweepData};
use crate::strings;
use lipscope_core::bounds::{BoundId, Norm};
use lipscope_plot::{Kind, Number, Table};

use super::search_point::with_search;

/// A row for each n: the draws in short, and the bounds.
pub fn draws_table(sweep: &SweepData, norm: Norm, found: Option<&SearchFound>) -> Table {
    let about = || BoundId::ALL.into_iter().filter(move |id| id.is_about(norm));
    let header = strings::sweep_columns().into_iter().chain(about().map(strings::bound_label)).map(String::from);
    let values = sweep.values(norm);
    let row = |n: usize| {
        let draws: Vec<f64> = values.iter().filter(|value| value.0 == n as f64).map(|value| value.1).collect();
        if draws.is_empty() {
            return None;
        }
        let least = draws.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = draws.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let numbers = [least, mean, greatest].map(|value| Number::of(value).to_string());
        let bounds = about().map(|id| {
            let log10 = log10_of(sweep, n, id);
            log10.map_or_else(String::new, |log10| {
                Number::from_log10(log10).kind(strings::side_kind(id.side())).to_string()
            })
        });
        Some(std::iter::once(n.to_string()).chain(numbers).chain(bounds).collect())
    };
    let table = Table { header: header.collect(), rows: sweep.lengths.iter().filter_map(|n| row(*n)).collect() };
    let written = |norm: f64| Number::of(norm).kind(Kind::LowerBound).to_string();
    with_search(table, found, |n| n.to_string(), written)
}

/// A row for each draw, every digit kept; bounds as logarithms to base ten, since some pass every number.
pub fn draws_csv(sweep: &SweepData, norm: Norm) -> String {
    let columns = ["n", "draw", norm.id(), "radius", "method", "iterations", "relative_residual"];
    let bounds = BoundId::ALL.map(|id| format!("log10_{}", id.id()));
    let rows = sweep.points.iter().map(|point| {
        let of_bound = |id| log10_of(sweep, point.n, id).map_or_else(String::new, |log10| log10.to_string());
        let mut row = vec![
            point.n.to_string(),
            point.draw.to_string(),
            point.norm(norm).map_or_else(String::new, |value| value.to_string()),
            point.radius.to_string(),
            point.method.id().to_owned(),
            point.iterations.to_string(),
            point.relative_residual.to_string(),
        ];
        row.extend(BoundId::ALL.map(of_bound));
        row
    });
    Table { header: columns.map(String::from).into_iter().chain(bounds).collect(), rows: rows.collect() }.to_csv()
}

fn log10_of(sweep: &SweepData, n: usize, id: BoundId) -> Option<f64> {
    let (_, bounds) = sweep.curves.bounds.iter().find(|(at, _)| *at == n)?;
    bounds.iter().find(|bound| bound.id == id).map(|bound| bound.log10)
}
