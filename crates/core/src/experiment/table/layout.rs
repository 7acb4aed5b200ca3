//! From the cells of a table to its rows: leaves out the names of columns and rows, and reads the numbers.

use csv::StringRecord;

use super::decimal::{Between, Style, Styles};
use super::header::header_rows;
use super::labels::{Labels, Parts};
use super::one_column::OneColumn;
use super::reading::Notes;
use crate::experiment::error::shorten;
use crate::experiment::{InputError, Phrase, Rows, Table, TableAnswers, TableQuestion};
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
    /// Whether each line may be one number with a decimal comma, although the comma separates cells here.
    pub(super) one_column: OneColumn,
}

/// The rows of numbers in the cells.
///
/// # Errors
/// [`InputError::TwoReadings`] where the first row or column may be names or numbers; otherwise errors that name row
/// and column.
pub(super) fn rows(table: Table, cells: &Cells, answers: TableAnswers, notes: &mut Notes) -> Result<Rows, InputError> {
    let ask = |question, found: &str| InputError::TwoReadings { table, question, found: shorten(found) };
    if let OneColumn::Likely(found) = &cells.one_column
        && answers.decimal.is_none()
    {
        return Err(ask(TableQuestion::Columns, found));
    }
    if cells.one_column == OneColumn::Possible && answers.decimal.is_none() {
        notes.guess(phrase!("commas_separate", "commas between columns, not decimal commas"));
    }
    let records = &cells.records;
    let (header, body) = records.split_at(header_rows(table, records, answers)?);
    if let Some(last) = header.iter().rev().find(|header| header.len() > 1).or(header.last()) {
        let names: Vec<&str> = last.iter().map(str::trim).filter(|name| !name.is_empty()).collect();
        notes.drop(phrase!("header_dropped", "header ({names})", names = shorten(&names.join(", "))));
    }
    let parts = Parts { table, labels: cells.labels, header, body, answers };
    let kept = match parts.columns_of_numbers(notes) {
        // Lines of one number with a decimal comma may look like an index beside whole numbers.
        Err(InputError::TwoReadings { .. }) if cells.one_column == OneColumn::Possible && answers.decimal.is_none() => {
            return Err(ask(TableQuestion::Columns, &body[0].iter().collect::<Vec<_>>().join(",")));
        }
        kept => kept?,
    };
    let style = match style(cells.between, body, &kept, answers) {
        Ok(style) => style,
        Err((question, found)) => return Err(ask(question, &found)),
    };
    match style {
        Style::Point => {}
        Style::Comma => notes.guess(phrase!("decimal_commas", "decimal commas")),
        Style::Thousands => notes.guess(phrase!("thousands_commas", "commas between thousands")),
        Style::Points => notes.guess(phrase!("thousands_points", "points between thousands")),
    }
    if let Some(exponent) = cells.exponent {
        notes.guess(phrase!(
            "common_factor",
            "the factor 1e{exponent} before the rows, so with the few digits that were printed (`format long g` prints all)",
            exponent = exponent.to_string()
        ));
    }
    numbers(table, cells, body, &kept, style)
}

/// The format of the numbers, or the question about it and the number that raises it.
fn style(
    between: Between,
    body: &[StringRecord],
    kept: &[bool],
    answers: TableAnswers,
) -> Result<Style, (TableQuestion, String)> {
    let numbers =
        || body.iter().flat_map(|record| record.iter().zip(kept)).filter(|(_, kept)| **kept).map(|(cell, _)| cell);
    let mut styles = Styles::ALL;
    for cell in numbers() {
        styles.allow(cell);
        if !styles.is_some() {
            break;
        }
    }
    styles.choose(between, answers.decimal).map_err(|question| {
        let mark = if question == TableQuestion::Point { '.' } else { ',' };
        (question, numbers().find(|cell| cell.contains(mark)).unwrap_or_default().to_string())
    })
}

fn numbers(
    table: Table,
    cells: &Cells,
    body: &[StringRecord],
    kept: &[bool],
    style: Style,
) -> Result<Rows, InputError> {
    let width = kept.iter().filter(|kept| **kept).count();
    let mut entries = Vec::new();
    for (row, record) in body.iter().enumerate() {
        let is_kept = |column: usize| kept.get(column).copied().unwrap_or(true);
        for (column, cell) in record.iter().enumerate().filter(|(column, _)| is_kept(*column)) {
            let scaled;
            let cell = match cells.exponent {
                Some(exponent) => {
                    scaled = scaled_by(cell, exponent);
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
        if record.len() != kept.len() {
            return Err(InputError::RaggedRow {
                what: table.inside(),
                row: row + 1,
                found: (0..record.len()).filter(|column| is_kept(*column)).count(),
                expected: width,
            });
        }
    }
    table.check_entries(entries.len())?;
    Rows::new(table.name(), width, entries)
}

/// A number times a power of ten.
fn scaled_by(cell: &str, exponent: i32) -> String {
    match cell.split_once(['e', 'E']) {
        Some((digits, own)) => match own.parse::<i32>() {
            Ok(own) => format!("{digits}e{}", own.saturating_add(exponent)),
            Err(_) => cell.to_string(),
        },
        None => format!("{cell}e{exponent}"),
    }
}

/// What the error quotes for a cell that is not a number.
fn found_there(cell: &str) -> Phrase {
    if cell.is_empty() {
        phrase!("empty_cell", "empty")
    } else if cell.ends_with('%') {
        phrase!("a_percentage", "\"{text}\", a percentage", text = shorten(cell))
    } else {
        format!("\"{}\"", shorten(cell)).into()
    }
}
