//! What is asked about a first row or column, and the cells that the question shows.

use crate::experiment::error::shorten;
use crate::experiment::{InputError, Table, TableQuestion};

/// The question about a first column.
pub(super) fn index_question(table: Table, found: &str) -> InputError {
    InputError::TwoReadings { table, question: TableQuestion::Index, found: found.to_string() }
}

/// The start of a column that counts its rows from 0 or 1; `None` for a column that does not, or has one row only.
pub(super) fn run_of(mut numbers: impl Iterator<Item = Option<f64>>) -> Option<String> {
    let first = numbers.next()??;
    if first != 0.0 && first != 1.0 {
        return None;
    }
    let mut count = 1u32;
    for x in numbers {
        if x? != first + f64::from(count) {
            return None;
        }
        count += 1;
    }
    (count > 1).then(|| listed((0..count.min(4)).map(|at| (first + f64::from(at)).to_string())))
}

/// The first cells of a row or column.
pub(super) fn listed(cells: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut cells = cells;
    let shown: Vec<String> = cells.by_ref().take(3).map(|cell| shorten(cell.as_ref())).collect();
    let more = if cells.next().is_some() { ", .." } else { "" };
    shown.join(", ") + more
}
