//! One row a line, its numbers separated by tabs, commas, semicolons or blanks.

use super::kind::{Table, number};
use crate::experiment::error::shorten;
use crate::experiment::{InputError, Rows, library_words};
use crate::phrase;

/// Reads the rows. A first line without any number is skipped as a header, and given back; lines starting with # are
/// comments.
///
/// # Errors
/// [`InputError`] that names row and column.
pub(super) fn rows(table: Table, text: &str) -> Result<(Rows, Option<String>), InputError> {
    let first_line = text.lines().find(|line| !line.trim_start().starts_with('#')).unwrap_or_default();
    let delimiter = [b'\t', b',', b';'].into_iter().find(|d| first_line.as_bytes().contains(d));
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        // Without a delimiter in the first line, entries are separated by blanks and each line is read as one field
        // here.
        .delimiter(delimiter.unwrap_or(b'\x1f'))
        .from_reader(text.as_bytes());
    let mut entries = Vec::new();
    let mut header = None;
    let mut n_columns = 0;
    let mut n_rows = 0;
    let mut line_idx = 0;
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| InputError::File {
        file: table.name(),
        problem: library_words(e.to_string()),
        fix: phrase!("give_one_row_per", "Give one row per line, numbers separated by commas."),
    })? {
        line_idx += 1;
        let cells: Vec<&str> = match delimiter {
            Some(_) => record.iter().collect(),
            None => record.iter().flat_map(str::split_whitespace).collect(),
        };
        let is_header =
            line_idx == 1 && cells.iter().all(|cell| !cell.is_empty() && number(cell).is_none() && !is_infinite(cell));
        if is_header && text.lines().nth(1).is_some() && !looks_like_numbers(&cells) {
            header = Some(shorten(&cells.join(", ")));
            continue;
        }
        n_rows += 1;
        // A trailing comma does not add a column.
        let cells = match cells.split_last() {
            Some((last, rest)) if last.is_empty() && !rest.is_empty() => rest,
            _ => &cells[..],
        };
        if n_rows == 1 {
            n_columns = cells.len();
        }
        for (column_idx, cell) in cells.iter().enumerate() {
            match number(cell) {
                Some(x) => entries.push(x),
                None => {
                    return Err(InputError::NotANumber {
                        what: table.inside(),
                        row: n_rows,
                        column: column_idx + 1,
                        found: if cell.is_empty() {
                            phrase!("empty_cell", "empty")
                        } else {
                            format!("\"{}\"", shorten(cell)).into()
                        },
                    });
                }
            }
        }
        if cells.len() != n_columns {
            return Err(InputError::RaggedRow {
                what: table.inside(),
                row: n_rows,
                found: cells.len(),
                expected: n_columns,
            });
        }
        table.check_entries(entries.len())?;
    }
    Ok((Rows::new(table.name(), n_columns, entries)?, header))
}

/// A first line that contains "nan" or begins like a number (such as 1.O) is faulty data, not a header.
fn looks_like_numbers(cells: &[&str]) -> bool {
    cells.iter().any(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '\u{2212}' | '+' | '.')))
        || cells.iter().any(|cell| is_infinite(cell))
}

/// Whether a cell is "nan", "inf" or the like.
fn is_infinite(cell: &str) -> bool {
    cell.parse::<f64>().is_ok_and(|x| !x.is_finite())
}
