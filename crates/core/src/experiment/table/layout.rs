//! From the cells of a table to its rows: separates the names and numbers of columns and rows from the numbers of the
//! table.

use csv::StringRecord;

use super::decimal::{Between, Style, Styles};
use super::kind::{looks_like_a_number, number};
use super::reading::Notes;
use crate::experiment::error::shorten;
use crate::experiment::{FirstColumn, FirstRow, InputError, Phrase, Rows, Table, TableAnswers, TableQuestion};
use crate::phrase;

/// The cells of a table, a record for each row.
#[derive(Debug)]
pub(super) struct Cells {
    pub(super) records: Vec<StringRecord>,
    /// The kind of the rows' first cells, from how they are written.
    pub(super) labels: Labels,
    pub(super) between: Between,
    /// The power of ten that stands before the numbers.
    pub(super) exponent: Option<i32>,
    /// A number, where all lines may be one number with a decimal comma or two numbers.
    pub(super) one_column: Option<String>,
}

/// The kind of the first cells, from how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Labels {
    /// Their spelling tells nothing.
    Unknown,
    /// Only they are in quotes, as R writes row names, or in the brackets of a matrix of R.
    Marked,
    /// They are the index of a column of pandas.
    Index,
}

/// Whether a cell is a number in any style.
pub(super) fn is_numeric(cell: &str) -> bool {
    number(cell).is_some() || Style::Comma.number(cell).is_some() || Style::Thousands.number(cell).is_some()
}

/// The rows of numbers in the cells.
///
/// # Errors
/// [`InputError::TwoReadings`] where the first row or column may be names or numbers; otherwise errors that name row and column.
pub(super) fn rows(table: Table, cells: &Cells, answers: TableAnswers, notes: &mut Notes) -> Result<Rows, InputError> {
    let records = &cells.records;
    let n_header = header_rows(table, records, answers)?;
    let (header, body) = records.split_at(n_header);
    if let Some(last) = header.last() {
        let names: Vec<&str> = last.iter().map(str::trim).filter(|name| !name.is_empty()).collect();
        notes.drop(phrase!("header_dropped", "header ({names})", names = shorten(&names.join(", "))));
    }
    let first = usize::from(labels_are_first_column(table, cells, header, body, answers, notes)?);
    if let Some(found) = cells.one_column.as_ref().filter(|_| answers.decimal.is_none() && first == 0) {
        return Err(InputError::TwoReadings { table, question: TableQuestion::Decimal, found: found.clone() });
    }
    let style = style(table, cells, body, first, answers)?;
    match style {
        Style::Point => {}
        Style::Comma => notes.guess(phrase!("decimal_commas", "decimal commas")),
        Style::Thousands => notes.guess(phrase!("thousands_commas", "commas between thousands")),
    }
    if let Some(exponent) = cells.exponent {
        notes.guess(phrase!(
            "common_factor",
            "the factor 1e{exponent} before the rows, so with the few digits that were printed (`format long g` prints all)",
            exponent = exponent.to_string()
        ));
    }
    numbers(table, cells, body, first, style)
}

/// How many records at the beginning hold the names of columns.
fn header_rows(table: Table, records: &[StringRecord], answers: TableAnswers) -> Result<usize, InputError> {
    match answers.header {
        Some(FirstRow::Numbers) => return Ok(0),
        Some(FirstRow::Header) => return Ok(usize::from(records.len() > 1)),
        None => {}
    }
    let is_names = |record: &StringRecord| {
        record.iter().any(|cell| !cell.is_empty())
            && record.iter().all(|cell| !is_numeric(cell) && !looks_like_a_number(cell))
    };
    let named = records.iter().take_while(|record| is_names(record)).count();
    // If no row has numbers, report the first row.
    if named == records.len() {
        return Ok(0);
    }
    if named > 0 {
        return Ok(named);
    }
    let [first, second, ..] = records else { return Ok(0) };
    let has_corner = first.len() > 1 && first.get(0) == Some("");
    if has_corner
        && (counts_columns(first.iter().skip(1))
            || first.iter().skip(1).all(|cell| !is_numeric(cell) && !cell.is_empty()))
    {
        return Ok(1);
    }
    if !counts_columns(first.iter()) {
        return Ok(0);
    }
    // One cell short: pandas and R print column numbers so.
    if first.len() + 1 == second.len() {
        return Ok(1);
    }
    // A single 0 is a number of the table, unless it is written unlike all other cells.
    let is_unlike = || records.iter().skip(1).flatten().all(|cell| cell.contains(['.', ',', 'e', 'E']));
    if first.len() == second.len() && (first.len() > 1 || is_unlike()) {
        return Err(InputError::TwoReadings { table, question: TableQuestion::Header, found: listed(first.iter()) });
    }
    Ok(0)
}

/// Whether the cells are 0, 1, 2 and so on.
fn counts_columns<'a>(cells: impl Iterator<Item = &'a str>) -> bool {
    cells.enumerate().all(|(at, cell)| cell == at.to_string())
}

/// Whether the first column holds names or numbers of the rows.
fn labels_are_first_column(
    table: Table,
    cells: &Cells,
    header: &[StringRecord],
    body: &[StringRecord],
    answers: TableAnswers,
    notes: &mut Notes,
) -> Result<bool, InputError> {
    let Some(width) = body.first().map(StringRecord::len).filter(|width| *width > 1) else { return Ok(false) };
    match answers.index {
        Some(FirstColumn::Numbers) => return Ok(false),
        Some(FirstColumn::Index) => {
            notes.drop(phrase!("index_column", "index column"));
            return Ok(true);
        }
        None => {}
    }
    let first = || body.iter().map(|record| record.get(0).unwrap_or_default());
    let has_corner = header.iter().any(|header| header.len() == width && header.get(0) == Some(""));
    let is_short = header.iter().any(|header| header.len() + 1 == width);
    let are_names = first().all(|cell| !cell.is_empty() && !is_numeric(cell) && !looks_like_a_number(cell));
    let run = run_of(first().map(number));
    if are_names || cells.labels == Labels::Marked {
        notes.drop(phrase!("row_names", "row names"));
        return Ok(true);
    }
    if has_corner || cells.labels == Labels::Index || (is_short && run.is_some()) {
        notes.drop(phrase!("index_column", "index column"));
        return Ok(true);
    }
    let question = |found: String| index_question(table, &found);
    if let Some(found) = run {
        return Err(question(found));
    }
    // A title over two columns is shorter than they are, too.
    let is_title = width == 2 && !first().all(|cell| number(cell).is_some_and(|x| x.fract() == 0.0));
    if is_short && !is_title {
        return Err(question(listed(first())));
    }
    Ok(false)
}

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
fn listed(cells: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut cells = cells;
    let shown: Vec<String> = cells.by_ref().take(3).map(|cell| shorten(cell.as_ref())).collect();
    let more = if cells.next().is_some() { ", .." } else { "" };
    shown.join(", ") + more
}

/// The format of the numbers.
fn style(
    table: Table,
    cells: &Cells,
    body: &[StringRecord],
    first: usize,
    answers: TableAnswers,
) -> Result<Style, InputError> {
    let mut styles = Styles::ALL;
    let mut with_comma = None;
    for cell in body.iter().flat_map(|record| record.iter().skip(first)) {
        styles.allow(cell);
        if with_comma.is_none() && cell.contains(',') {
            with_comma = Some(cell);
        }
        if !styles.is_some() {
            break;
        }
    }
    styles.choose(cells.between, answers.decimal).ok_or_else(|| InputError::TwoReadings {
        table,
        question: TableQuestion::Decimal,
        found: shorten(with_comma.unwrap_or_default()),
    })
}

fn numbers(table: Table, cells: &Cells, body: &[StringRecord], first: usize, style: Style) -> Result<Rows, InputError> {
    let width = body.first().map_or(0, StringRecord::len);
    let mut entries = Vec::new();
    for (row, record) in body.iter().enumerate() {
        for (column, cell) in record.iter().enumerate().skip(first) {
            let scaled;
            let cell = match cells.exponent {
                Some(exponent) if !cell.contains(['e', 'E']) => {
                    scaled = format!("{cell}e{exponent}");
                    &scaled
                }
                _ => cell,
            };
            let Some(x) = style.number(cell) else {
                return Err(InputError::NotANumber {
                    what: table.inside(),
                    row: row + 1,
                    column: column + 1,
                    found: found_there(cell),
                });
            };
            entries.push(x);
        }
        if record.len() != width {
            return Err(InputError::RaggedRow {
                what: table.inside(),
                row: row + 1,
                found: record.len() - first.min(record.len()),
                expected: width - first,
            });
        }
    }
    table.check_entries(entries.len())?;
    Rows::new(table.name(), width.saturating_sub(first), entries)
}

/// The error for a cell that is not a number.
fn found_there(cell: &str) -> Phrase {
    if cell.is_empty() {
        phrase!("empty_cell", "empty")
    } else if cell.ends_with('%') {
        phrase!("a_percentage", "\"{text}\", a percentage", text = shorten(cell))
    } else {
        format!("\"{}\"", shorten(cell)).into()
    }
}
