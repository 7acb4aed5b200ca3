//! Prints that are cut into blocks of columns (MATLAB's `Columns 1 through 8`, blocks of R and pandas with a header
//! each), and prints that number their rows in brackets (R's `[1,]` and `[1]`).

use csv::StringRecord;

use super::decimal::is_numeric;
use super::kind::number;
use super::surroundings::power_of_ten;
use crate::experiment::error::shorten;
use crate::experiment::{InputError, Phrase, Table};
use crate::phrase;

/// Whether the rows are numbered as in a matrix of R: `[1,]`.
pub(super) fn is_matrix_of_r(records: &[StringRecord]) -> bool {
    let is_numbered = |record: &StringRecord| {
        let inside = record.get(0).and_then(|cell| cell.strip_prefix('[')).and_then(|cell| cell.strip_suffix(",]"));
        inside.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    records.len() > 1 && records[1..].iter().all(is_numbered)
}

/// The numbers of a vector of R, whose lines begin with the index of their first number: `[1] 1.0 2.0`. `None` for any
/// other text.
pub(super) fn vector_of_r(text: &str) -> Option<Result<Vec<f64>, InputError>> {
    let mut numbers = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (place, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
        let place: usize = place.trim().parse().ok()?;
        if place != numbers.len() + 1 || !rest.starts_with(' ') {
            return None;
        }
        for cell in rest.split_whitespace() {
            let Some(x) = number(cell) else {
                let found = format!("\"{}\"", shorten(cell)).into();
                return Some(Err(InputError::NotANumber {
                    what: Table::Tokens.inside(),
                    row: numbers.len() + 1,
                    column: 1,
                    found,
                }));
            };
            numbers.push(x);
        }
    }
    (!numbers.is_empty()).then_some(Ok(numbers))
}

/// Removes the records of a factor, such as `1.0e+03 *`, from blocks of columns and returns its exponent; `None`
/// without a factor, or if the factors differ.
pub(super) fn take_factors(records: &mut Vec<StringRecord>) -> Option<i32> {
    let factor = |record: &StringRecord| match (record.len(), record.get(1)) {
        (2, Some("*")) => power_of_ten(&record[0]),
        _ => None,
    };
    let mut factors = records.iter().filter_map(factor);
    let first = factors.next()?;
    if factors.any(|other| other != first) {
        return None;
    }
    records.retain(|record| factor(record).is_none());
    Some(first)
}

/// The rows of all blocks side by side; `None` for a text without blocks.
pub(super) fn joined(records: &[StringRecord]) -> Option<Result<Vec<StringRecord>, Phrase>> {
    by_columns(records).or_else(|| by_headers(records))
}

fn uneven() -> Phrase {
    phrase!("blocks_do_not_fit", "its blocks of columns do not fit together")
}

/// Joins blocks that follow lines such as `Columns 1 through 8`, as MATLAB and Octave print a wide matrix.
fn by_columns(records: &[StringRecord]) -> Option<Result<Vec<StringRecord>, Phrase>> {
    records.first().and_then(columns_of)?;
    let mut rows: Vec<StringRecord> = Vec::new();
    let mut blocks: Vec<((usize, usize), Vec<&StringRecord>)> = Vec::new();
    for record in records {
        match (columns_of(record), blocks.last_mut()) {
            (Some(columns), _) => blocks.push((columns, Vec::new())),
            (None, Some((_, block))) => block.push(record),
            (None, None) => {}
        }
    }
    let mut next = 1;
    for (at, ((from, to), block)) in blocks.iter().enumerate() {
        let width = (to + 1).checked_sub(*from);
        let fits = *from == next && block.iter().all(|record| Some(record.len()) == width);
        if !fits || (at > 0 && block.len() != rows.len()) {
            return Some(Err(uneven()));
        }
        next = to + 1;
        if at == 0 {
            rows = block.iter().map(|record| (*record).clone()).collect();
        } else {
            rows.iter_mut().zip(block).for_each(|(row, more)| row.extend(more.iter()));
        }
    }
    Some(Ok(rows))
}

/// The first and last column of a line `Columns 1 through 8`, `Columns 9 and 10` or `Column 11`.
fn columns_of(record: &StringRecord) -> Option<(usize, usize)> {
    let cells: Vec<&str> =
        record.iter().map(|cell| cell.trim_end_matches(':')).filter(|cell| !cell.is_empty()).collect();
    match &cells[..] {
        ["Columns", from, "through" | "and" | "to", to] => Some((from.parse().ok()?, to.parse().ok()?)),
        ["Column", at] => at.parse().ok().map(|at| (at, at)),
        _ => None,
    }
}

/// Joins blocks that each have a header and repeat the names of the rows, as R and pandas print a wide table.
fn by_headers(records: &[StringRecord]) -> Option<Result<Vec<StringRecord>, Phrase>> {
    let is_cut = |record: &StringRecord| record.len() > 1 && record.get(record.len() - 1) == Some("\\");
    let is_header = |record: &StringRecord| is_cut(record) || !record.iter().any(is_numeric);
    let is_of_pandas = is_cut(records.first()?);
    if !is_header(&records[0]) {
        return None;
    }
    let second = match records.first().filter(|first| is_cut(first)) {
        // pandas: all headers but the last end with a backslash, and all blocks have the same length.
        Some(_) => records.iter().skip(1).position(is_cut).map_or(records.len() / 2, |at| at + 1),
        None => {
            let body = records.iter().position(|record| !is_header(record))?;
            body + records[body..].iter().position(is_header)?
        }
    };
    // The header of a block is one cell short, because the column of names has no header. Other texts are left to later
    // steps, which report a row of the wrong length.
    let is_short =
        records.get(1).is_some_and(|row| records[0].iter().filter(|cell| *cell != "\\").count() + 1 == row.len());
    if !is_short && !is_of_pandas {
        return None;
    }
    if second == 0 || !is_short || !records.len().is_multiple_of(second) {
        return Some(Err(uneven()));
    }
    let mut blocks = records.chunks(second);
    let first = blocks.next()?;
    let mut rows: Vec<StringRecord> =
        first.iter().map(|row| row.iter().filter(|cell| *cell != "\\").collect()).collect();
    for block in blocks {
        for (at, (row, more)) in rows.iter_mut().zip(block).enumerate() {
            // The header has no name for the first column.
            let skipped = usize::from(at > 0);
            if at > 0 && (more.get(0) != row.get(0) || more.len() < 2) {
                return Some(Err(uneven()));
            }
            row.extend(more.iter().skip(skipped).filter(|cell| *cell != "\\"));
        }
    }
    let is_even = rows[1..].iter().all(|row| row.len() == rows[0].len() + 1);
    Some(if is_even { Ok(rows) } else { Err(uneven()) })
}
