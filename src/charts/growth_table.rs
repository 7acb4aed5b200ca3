//! The twins of the view over n: a table for reading, and every row for other programs.

use crate::live::{GrowthData, SearchFound};
use crate::plans::is_marked;
use crate::state::Trace;
use crate::strings;
use lipscope_core::bounds::{BoundId, Norm};
use lipscope_plot::{Kind, Number, Table};

use super::growth_chart::{bound_in, has_values};
use super::search_point::with_search;

/// A row for each half of a decade, and for the n that is read.
pub fn growth_table(data: &GrowthData, norm: Norm, read_at: f64, found: Option<&SearchFound>) -> Table {
    let traces = || Trace::ALL.into_iter().filter(|trace| *trace != Trace::Draws && has_values(data, *trace, norm));
    let header = [strings::REGIME_TABLE, strings::REGIME_RADIUS]
        .into_iter()
        .chain(traces().map(strings::trace_label))
        .chain([strings::gap_text()]);
    let rows = data.growth.iter().flat_map(|growth| &growth.rows).filter(|row| is_marked(row.n) || row.n == read_at);
    let cells = rows.map(|row| {
        let cell = |trace: Trace| match trace {
            Trace::Exact => data.exact(row.n).map_or_else(String::new, |n| Number::of(n).kind(Kind::Exact).to_string()),
            _ => bound_in(row, trace, norm).map_or_else(String::new, |bound| {
                let kind = if bound.id == BoundId::Skew { Kind::Exact } else { strings::side_kind(bound.side) };
                Number::from_log10(bound.log10).kind(kind).to_string()
            }),
        };
        let gap = row.gap_log10(norm).map_or_else(String::new, strings::gap);
        let first = [strings::count(row.n), Number::of(row.radius).to_string()];
        first.into_iter().chain(traces().map(cell)).chain([gap]).collect()
    });
    let table = Table { header: header.map(String::from).collect(), rows: cells.collect() };
    let written = |norm: f64| Number::of(norm).kind(Kind::LowerBound).to_string();
    with_search(table, found, strings::count, written)
}

/// Every row with every digit; bounds as logarithms to base ten, since some pass every number.
pub fn growth_csv(data: &GrowthData, found: Option<&SearchFound>) -> String {
    let header = ["n".to_owned(), "radius".to_owned()]
        .into_iter()
        .chain(BoundId::ALL.map(|id| format!("log10_{}", id.id())))
        .chain(["exact_adversarial".to_owned()]);
    let rows = data.growth.iter().flat_map(|growth| &growth.rows).map(|row| {
        let bounds = BoundId::ALL.map(|id| {
            let bound = row.bounds.iter().find(|bound| bound.id == id);
            bound.map_or_else(String::new, |bound| bound.log10.to_string())
        });
        let exact = data.exact(row.n).map_or_else(String::new, |norm| norm.to_string());
        [row.n.to_string(), row.radius.to_string()].into_iter().chain(bounds).chain([exact]).collect()
    });
    let table = Table { header: header.collect(), rows: rows.collect() };
    with_search(table, found, |n| n.to_string(), |norm| norm.to_string()).to_csv()
}
