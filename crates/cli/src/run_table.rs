//! The rows of a monitored run as a table.

use std::collections::BTreeSet;
use std::io;

use lipscope_run::{Row, Run};

use super::sheet::{Cell, Form, Sheet};

/// The columns that every row has.
const PLACE: [&str; 5] = ["step", "layer", "item", "call", "map"];

/// Writes a line for each row. Numbers of single heads are left out.
///
/// # Errors
/// Those of standard output.
pub(super) fn write(run: &Run, form: Form) -> io::Result<()> {
    let further: BTreeSet<&String> = run.rows().iter().flat_map(|row| row.further.keys()).collect();
    let numbers: Vec<&str> = Row::COLUMNS.into_iter().chain(further.into_iter().map(String::as_str)).collect();
    let columns = PLACE.into_iter().chain(["kind", "steps"]).chain(numbers.iter().copied()).chain(["problem"]);
    let mut sheet = Sheet::on_stdout(form, columns)?;
    run.rows().iter().try_for_each(|row| sheet.row(&cells(row, &numbers)))?;
    sheet.end()
}

fn cells<'a>(row: &'a Row, numbers: &[&str]) -> Vec<Cell<'a>> {
    let count = |count: Option<u64>| Cell::from(count.map(|count| count as usize));
    let place = [count(Some(row.step)), row.layer.as_str().into(), count(row.item), count(row.call)];
    let named = [row.map.as_str().into(), row.kind.id().into(), count(row.steps)];
    let numbers = numbers.iter().map(|column| row.number(column).into());
    place.into_iter().chain(named).chain(numbers).chain([row.problem.as_deref().into()]).collect()
}
