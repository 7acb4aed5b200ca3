//! What a search has found, in the plots over n.

use crate::live::{GrowthData, SearchFound, SweepData};
use crate::state::PageState;
use crate::strings;
use lipscope_plot::{Role, Series, SeriesKind, Table};

/// What was found, if it is about the ball of the curves over n.
pub fn found_in_growth<'a>(
    found: Option<&'a SearchFound>,
    data: &GrowthData,
    state: &PageState,
) -> Option<&'a SearchFound> {
    let found = found?;
    let rows = &data.growth.as_ref()?.rows;
    // R may grow with n: that of the row beside it.
    let distance = |n: f64| (n / found.n).ln().abs();
    let row = rows.iter().min_by(|a, b| distance(a.n).total_cmp(&distance(b.n)))?;
    found.is_about(state, row.radius).then_some(found)
}

/// What was found, if it is about the ball of the draws.
pub fn found_in_draws<'a>(
    found: Option<&'a SearchFound>,
    sweep: &SweepData,
    state: &PageState,
) -> Option<&'a SearchFound> {
    found.filter(|found| found.is_about(state, sweep.curves.radius))
}

/// A ring at its n.
pub fn search_series(found: &SearchFound) -> Series {
    let data = vec![(found.n, found.norm)];
    Series::new("hunt", strings::search_point(), Role::LowerBound, SeriesKind::Hollow, data)
}

/// A table over n with a column for it; a row of its own where the table has none at its n. `named` writes n, and `written`
/// the norm, as the table does.
pub fn with_search(
    mut table: Table,
    found: Option<&SearchFound>,
    named: impl Fn(f64) -> String,
    written: impl Fn(f64) -> String,
) -> Table {
    let Some(found) = found else { return table };
    let name = named(found.n);
    table.header.push(strings::search_point_column().into());
    if !table.rows.iter().any(|row| row.first() == Some(&name)) {
        let mut row = vec![String::new(); table.header.len() - 1];
        if let Some(first) = row.first_mut() {
            first.clone_from(&name);
        }
        table.rows.push(row);
    }
    for row in &mut table.rows {
        row.push(if row.first() == Some(&name) { written(found.norm) } else { String::new() });
    }
    table
}
