//! One row a line, with cells separated by tabs, semicolons, vertical bars, ampersands, commas or blanks: CSV, Markdown
//! and LaTeX tables, and prints of MATLAB, Julia, R and pandas.

use csv::StringRecord;

use super::blocks;
use super::decimal::{Between, is_numeric};
use super::header::is_names;
use super::labels::Labels;
use super::layout::{self, Cells};
use super::lines::Lines;
use super::one_column::OneColumn;
use super::reading::{Notes, TableReading};
use super::surroundings::Surroundings;
use super::vectors;
use super::words;
use crate::experiment::{
    FirstColumn, FirstRow, InputError, NumberComma, Rows, Table, TableAnswers, library_words, limits,
};
use crate::phrase;

/// What separates the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Byte(u8),
    Blanks,
}

/// The order in which separators are tried: a comma may be the decimal mark where something else separates.
const SEPARATORS: [Separator; 6] = [
    Separator::Byte(b'\t'),
    Separator::Byte(b';'),
    Separator::Byte(b'|'),
    Separator::Byte(b'&'),
    Separator::Byte(b','),
    Separator::Blanks,
];

/// Reads the rows of a text.
///
/// # Errors
/// [`InputError`] that names row and column, or asks which of two readings is meant.
pub(super) fn read(
    table: Table,
    around: &Surroundings<'_>,
    answers: TableAnswers,
    mut notes: Notes,
) -> Result<TableReading, InputError> {
    if let Some(numbers) = blocks::vector_of_r(around.text) {
        let numbers = numbers?;
        let rows: Vec<Vec<f64>> = match table {
            Table::Tokens => numbers.into_iter().map(|x| vec![x]).collect(),
            _ => vec![numbers],
        };
        return Ok(notes.with(Rows::from_lists(table.inside(), &rows)?));
    }
    let of_latex = latex(around.text);
    let lines = Lines::of(&around.comments, of_latex.as_deref().unwrap_or(around.text), &mut notes);
    let plain = lines.plain();
    let one_column = OneColumn::of(&plain);
    let separator = match around.delimiter {
        Some(delimiter) => Separator::Byte(delimiter),
        // One number a line, with a decimal comma: certain from the lines, or confirmed by the author's answer.
        None if one_column == OneColumn::Certain => Separator::Blanks,
        None if answers.decimal == Some(NumberComma::Decimal) && one_column != OneColumn::No => Separator::Blanks,
        None => chosen(table, &plain, around, answers),
    };
    let sample = records(table, &plain[plain.len().saturating_sub(SAMPLE)..], separator)?;
    let lines = lines.rows(|line| is_row(table, line, separator, &sample), &mut notes);
    let cells = cells(table, &lines, separator, around, &mut notes)?;
    let rows = rows(table, &cells, around, answers, &mut notes)?;
    around.check(table, &rows, notes.columns_of_text)?;
    Ok(notes.with(rows))
}

/// The rows of the cells. The author is not asked where the print claims a shape and all answers about header and index
/// that give this shape give the same rows.
fn rows(
    table: Table,
    cells: &Cells,
    around: &Surroundings<'_>,
    answers: TableAnswers,
    notes: &mut Notes,
) -> Result<Rows, InputError> {
    let mut read = Notes::default();
    let first = layout::rows(table, cells, answers, &mut read);
    let is_settled = match &first {
        Ok(rows) => !around.has_claim() || around.has_claimed(rows, read.columns_of_text),
        Err(problem) => !around.has_claim() || !matches!(problem, InputError::TwoReadings { .. }),
    };
    if !is_settled && let Some((rows, read)) = as_claimed(table, cells, around, answers) {
        notes.append(read);
        return Ok(rows);
    }
    notes.append(read);
    first
}

/// The one reading of the cells that has the claimed shape.
fn as_claimed(table: Table, cells: &Cells, around: &Surroundings<'_>, answers: TableAnswers) -> Option<(Rows, Notes)> {
    let mut fitting: Vec<(Rows, Notes)> = Vec::new();
    for header in [FirstRow::Header, FirstRow::Numbers] {
        for index in [FirstColumn::Index, FirstColumn::Numbers] {
            let header = answers.header.unwrap_or(header);
            let index = answers.index.unwrap_or(index);
            let answers = TableAnswers { header: Some(header), index: Some(index), ..answers };
            let mut read = Notes::default();
            if let Ok(rows) = layout::rows(table, cells, answers, &mut read)
                && around.has_claimed(&rows, read.columns_of_text)
                && fitting.iter().all(|(other, _)| *other != rows)
            {
                fitting.push((rows, read));
            }
        }
    }
    let last = fitting.pop();
    last.filter(|_| fitting.is_empty())
}

/// Whether a line that begins with the mark of a comment is a row: it has as many cells as the other rows, and all
/// cells but the first are numbers. If the first cell is a number behind the mark, such as `#1`, it is a name only
/// where other rows have names.
fn is_row(table: Table, line: &str, separator: Separator, rows: &[StringRecord]) -> bool {
    let Ok(records) = records(table, &[line], separator) else { return false };
    let [record] = &records[..] else { return false };
    let has_numbers =
        |record: &StringRecord| record.iter().skip(1).all(|cell| is_numeric(cell) || vectors::list(cell).is_some());
    let has_name = |record: &StringRecord| record.get(0).is_some_and(|cell| !is_numeric(cell));
    let may_be_name = |cell: &str| {
        !is_numeric(cell.trim_start_matches(['#', '%', '/']).trim())
            || rows.iter().any(|row| has_name(row) && has_numbers(row))
    };
    let width = rows.last().map_or(0, StringRecord::len);
    record.len() == width && width > 1 && record.get(0).is_some_and(may_be_name) && has_numbers(record)
}

/// How many lines are tried to recognise the format.
const SAMPLE: usize = 64;

/// The separator with which the first lines form a table; otherwise the first separator that the first line contains.
fn chosen(table: Table, lines: &[&str], around: &Surroundings<'_>, answers: TableAnswers) -> Separator {
    let sample = &lines[..lines.len().min(SAMPLE)];
    let is_there = |separator: Separator| match separator {
        Separator::Byte(byte) => sample.iter().any(|line| line.as_bytes().contains(&byte)),
        Separator::Blanks => true,
    };
    let candidates = || SEPARATORS.into_iter().filter(move |separator| is_there(*separator));
    let is_read = |separator: &Separator| {
        let cells = cells(table, sample, *separator, around, &mut Notes::default());
        // A comma beside semicolons separates no cells.
        let has_semicolons = |cells: &Cells| {
            *separator == Separator::Byte(b',') && cells.records.iter().flatten().any(|cell| cell.contains(';'))
        };
        // A comma in a line without blanks may separate cells. Then blanks are not chosen, so that an error is about
        // the cells between the commas.
        let is_doubtful = |cells: &Cells| {
            *separator == Separator::Blanks
                && cells.records.iter().any(|record| {
                    record.len() == 1 && record.iter().any(|cell| cell.contains(',') && !cell.starts_with('['))
                        || record.iter().any(is_unit_and_number)
                })
        };
        if cells.as_ref().is_ok_and(|cells| is_doubtful(cells) || has_semicolons(cells)) {
            return false;
        }
        let rows = cells.and_then(|cells| layout::rows(table, &cells, answers, &mut Notes::default()));
        matches!(rows, Ok(_) | Err(InputError::TwoReadings { .. }))
    };
    let of_first = |line: &&str| {
        candidates().find(|separator| matches!(separator, Separator::Byte(byte) if line.as_bytes().contains(byte)))
    };
    candidates().find(is_read).or_else(|| lines.first().and_then(of_first)).unwrap_or(Separator::Blanks)
}

/// Whether a cell between blanks is a unit and the next number, as in `1 cm,2 cm`.
fn is_unit_and_number(cell: &str) -> bool {
    cell.split_once(',').is_some_and(|(unit, number)| unit.starts_with(char::is_alphabetic) && is_numeric(number))
}

fn cells(
    table: Table,
    lines: &[&str],
    separator: Separator,
    around: &Surroundings<'_>,
    notes: &mut Notes,
) -> Result<Cells, InputError> {
    let mut records = records(table, lines, separator)?;
    let exponent = blocks::take_factors(&mut records).or(around.exponent);
    // R repeats the header below a long table.
    if records.len() > 2 && records.first() == records.last() && is_names(&records[0]) {
        records.pop();
    }
    if separator == Separator::Blanks {
        words::with_whole_numbers(&mut records);
        words::with_whole_names(&mut records);
    }
    if separator == Separator::Blanks
        && let Some(joined) = blocks::joined(&records)
    {
        records = joined.map_err(|problem| InputError::File {
            file: table.name(),
            problem,
            fix: phrase!("export_not_print", "Export the table as CSV instead of printing it."),
        })?;
        notes.guess(phrase!("blocks_joined", "blocks of columns, joined"));
    }
    let labels = if around.is_series {
        Labels::Index
    } else if blocks::is_matrix_of_r(&records) || only_first_is_quoted(lines) {
        Labels::Marked
    } else {
        Labels::Unknown
    };
    let between = if separator == Separator::Byte(b';') { Between::Semicolons } else { Between::Others };
    let one_column = if separator == Separator::Byte(b',') { OneColumn::of(lines) } else { OneColumn::No };
    without_empty(&mut records);
    vectors::spread(&mut records, notes);
    Ok(Cells { records, labels, between, exponent, one_column })
}

/// The cells of each line.
fn records(table: Table, lines: &[&str], separator: Separator) -> Result<Vec<StringRecord>, InputError> {
    match separator {
        Separator::Byte(byte) => delimited(table, lines, byte),
        Separator::Blanks => blank_separated(table, lines),
    }
}

/// Leaves out empty rows, and empty columns at the edges, which spreadsheets write around a table.
fn without_empty(records: &mut Vec<StringRecord>) {
    records.retain(|record| record.iter().any(|cell| !cell.is_empty()));
    let is_empty = |records: &[StringRecord], edge: fn(&StringRecord) -> usize| {
        let is_empty = |record: &StringRecord| record.len() > 1 && record.get(edge(record)) == Some("");
        !records.is_empty() && records.iter().all(is_empty)
    };
    while is_empty(records, |_| 0) {
        records.iter_mut().for_each(|record| *record = record.iter().skip(1).collect());
    }
    while is_empty(records, |record| record.len() - 1) {
        records.iter_mut().for_each(|record| *record = record.iter().take(record.len() - 1).collect());
    }
}

fn delimited(table: Table, lines: &[&str], delimiter: u8) -> Result<Vec<StringRecord>, InputError> {
    let mut text = String::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for line in lines {
        let line = match delimiter {
            b'|' => line.strip_prefix('|').unwrap_or(line),
            _ => line,
        };
        text.push_str(line);
        text.push('\n');
    }
    let records = delimited_with(table, &text, delimiter, Quotes::Around)?;
    // A quotation mark may be a token. If it opened a quoted text, that text would swallow the rows after it.
    if records.iter().flatten().any(|cell| cell.contains('\n')) {
        return delimited_with(table, &text, delimiter, Quotes::InCells);
    }
    Ok(records)
}

/// What a quotation mark at the beginning of a cell means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quotes {
    /// It stands around the cell.
    Around,
    /// It belongs to the cell.
    InCells,
}

fn delimited_with(table: Table, text: &str, delimiter: u8, quotes: Quotes) -> Result<Vec<StringRecord>, InputError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .quoting(quotes == Quotes::Around)
        .flexible(true)
        .trim(csv::Trim::All)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let mut records = Vec::new();
    let mut count = 0;
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| InputError::File {
        file: table.name(),
        problem: library_words(e.to_string()),
        fix: phrase!("give_one_row_per", "Give one row per line, numbers separated by commas."),
    })? {
        // A trailing separator does not add a column.
        let is_trailing = record.len() > 1 && record.get(record.len() - 1) == Some("");
        let record: StringRecord =
            if is_trailing { record.iter().take(record.len() - 1).collect() } else { record.clone() };
        count += record.len();
        check(table, records.len(), count)?;
        records.push(record);
    }
    Ok(records)
}

/// Cuts the lines at blanks, but not inside of quotes, and not at no-break or thin blanks between the thousands of a
/// number.
fn blank_separated(table: Table, lines: &[&str]) -> Result<Vec<StringRecord>, InputError> {
    let mut records = Vec::with_capacity(lines.len());
    let mut count = 0;
    for line in lines {
        let mut record = StringRecord::new();
        let mut rest = line.trim_start();
        while !rest.is_empty() {
            let (cell, after) = match rest.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
                Some(quoted) => quoted,
                None => rest.split_at(word_end(rest)),
            };
            record.push_field(cell);
            rest = after.trim_start();
        }
        count += record.len();
        check(table, records.len(), count)?;
        records.push(record);
    }
    Ok(records)
}

/// Where the first word of a text ends: at a blank, but not at a no-break or thin blank between the thousands of a
/// number.
fn word_end(text: &str) -> usize {
    let is_of_thousands = |at: usize, blank: char| {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        matches!(blank, '\u{a0}' | '\u{202f}' | '\u{2009}')
            && text[..at].ends_with(|c: char| c.is_ascii_digit())
            && digits(&text[at + blank.len_utf8()..]) == 3
    };
    let mut blanks = text.char_indices().filter(|(_, c)| c.is_whitespace());
    blanks.find(|(at, blank)| !is_of_thousands(*at, *blank)).map_or(text.len(), |(at, _)| at)
}

/// Checks how many rows and cells have been read so far. Row names may double the number of cells, so half of the cells
/// are compared with the limit; the entries of the table are counted later. Rows are limited too, because a record
/// takes more memory than its numbers.
fn check(table: Table, rows: usize, cells: usize) -> Result<(), InputError> {
    /// Leaves room for a header and other rows beside the tokens.
    const MOST_ROWS: usize = limits::MAX_TOKENS + 64;
    match table {
        _ if rows <= MOST_ROWS => table.check_entries(cells / 2),
        Table::Tokens => limits::check_tokens(rows, 1),
        _ => table.check_entries(usize::MAX),
    }
}

/// Whether every line after the first begins with a quoted name and has no other quotes: R writes row names beside
/// numbers like this.
fn only_first_is_quoted(lines: &[&str]) -> bool {
    let is_marked = |line: &&str| {
        line.strip_prefix('"').and_then(|rest| rest.split_once('"')).is_some_and(|(name, rest)| {
            let is_number = name.contains(',') && is_numeric(name);
            !name.is_empty() && !is_number && !rest.is_empty() && !rest.contains('"')
        })
    };
    lines.len() > 2 && lines.iter().skip(1).all(is_marked)
}

/// The rows of a table of LaTeX, one a line; `None` for any other text.
fn latex(text: &str) -> Option<String> {
    if !(text.contains("\\\\") || text.contains("\\begin")) {
        return None;
    }
    const MARKS: [&str; 15] = [
        "\\hline",
        "\\toprule",
        "\\midrule",
        "\\bottomrule",
        "\\left[",
        "\\right]",
        "\\left(",
        "\\right)",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "\\left\\{",
        "\\right\\}",
        "\\,",
    ];
    let mut text = text.replace('\n', " ").replace("\\\\", "\n");
    for mark in MARKS {
        text = text.replace(mark, " ");
    }
    // Dollar signs around formulas are removed, unless the text has an amount of money, written `\$1`.
    if !text.contains("\\$") {
        text = text.replace('$', " ");
    }
    // \begin{array}{cc} and \end{array}.
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("\\begin{").into_iter().chain(rest.find("\\end{")).min() {
        plain.push_str(&rest[..at]);
        rest = rest[at..].split_once('}').map_or("", |(_, after)| after);
        if let Some(columns) = rest.trim_start().strip_prefix('{') {
            rest = columns.split_once('}').map_or("", |(_, after)| after);
        }
    }
    Some(plain + rest)
}
