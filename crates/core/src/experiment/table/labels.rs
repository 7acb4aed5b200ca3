//! Columns that hold no numbers of the table: names or numbers of its rows, and texts.

use csv::StringRecord;

use super::abridged::is_label_of_data_table;
use super::decimal::is_numeric;
use super::header::{is_name, is_name_of_rows, listed};
use super::kind::number;
use super::reading::Notes;
use crate::experiment::error::shorten;
use crate::experiment::{FirstColumn, InputError, Table, TableAnswers, TableQuestion};
use crate::phrase;

/// The kind of the first cells, from how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Labels {
    /// Their spelling tells nothing.
    Unknown,
    /// Only the first cells are in quotes, as R writes row names; or they are in brackets, as R prints the rows of a
    /// matrix.
    Marked,
    /// They are the index that pandas prints beside a single column.
    Index,
}

/// The cells of a table, cut into header and body.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) table: Table,
    /// The kind of the first cells.
    pub(super) labels: Labels,
    /// The rows above the numbers.
    pub(super) header: &'a [StringRecord],
    /// All other rows.
    pub(super) body: &'a [StringRecord],
    pub(super) answers: TableAnswers,
}

impl<'a> Parts<'a> {
    /// For each column of the body, whether it holds numbers of the table.
    ///
    /// # Errors
    /// [`InputError::TwoReadings`] where the first column may be numbers of the table or of its rows.
    pub(super) fn columns_of_numbers(self, notes: &mut Notes) -> Result<Vec<bool>, InputError> {
        let width = self.width();
        let mut kept = vec![true; width];
        if width < 2 {
            return Ok(kept);
        }
        let note_if_named = |name: Option<&str>, notes: &mut Notes| {
            if let Some(name) = name.filter(|name| is_name_of_rows(name)) {
                notes.guess(phrase!("named_like_labels", "the column {name} as numbers", name = shorten(name)));
            }
        };
        kept[0] = !self.first_is_label(notes)?;
        if kept[0] {
            note_if_named(self.corners().find(|name| is_name_of_rows(name)), notes);
        }
        let mut texts = Vec::new();
        for column in 1..width {
            let names = self.header.iter().rev().filter_map(|header| {
                let missing = width.checked_sub(header.len()).filter(|missing| *missing < 2)?;
                header.get(column - missing).filter(|name| !name.is_empty())
            });
            // The types that R prints below the names.
            let is_category =
                names.clone().any(|name| matches!(name, "<fct>" | "<fctr>" | "<ord>" | "<chr>" | "<char>"));
            let name = names.clone().find(|name| !name.starts_with('<') && !name.starts_with('_'));
            if is_category || is_text(self.body, column) {
                kept[column] = false;
                texts.push(name.map_or_else(|| (column + 1).to_string(), String::from));
            } else {
                note_if_named(name, notes);
            }
        }
        // If no column holds numbers, keeps all but the first, so that the first cell that is no number is reported.
        if !kept.contains(&true) {
            kept[1..].fill(true);
            return Ok(kept);
        }
        if !texts.is_empty() {
            notes.columns_of_text = texts.len();
            notes.drop(phrase!("columns_of_text", "columns of text ({names})", names = shorten(&texts.join(", "))));
        }
        Ok(kept)
    }

    /// Whether the first column holds names or numbers of the rows.
    fn first_is_label(self, notes: &mut Notes) -> Result<bool, InputError> {
        let Parts { table, labels, header, .. } = self;
        match self.answers.index {
            Some(FirstColumn::Numbers) => return Ok(false),
            Some(FirstColumn::Index) => {
                notes.drop(phrase!("index_column", "index column"));
                return Ok(true);
            }
            None => {}
        }
        let first = || self.first_column();
        let width = self.width();
        let is_short = header.iter().any(|header| header.len() + 1 == width);
        let run = run_of(first().map(number));
        // Among names, some may look like numbers: a vocabulary holds "," and "1990", too.
        let are_names = first().all(is_name) || is_text(self.body, 0);
        if self.has_underscores() && !are_names {
            return Err(InputError::File {
                file: table.name(),
                problem: phrase!("matlab_columns", "a variable of this table of MATLAB has several columns"),
                fix: phrase!("write_with_writetable", "Write it with `writetable(T, \"x.csv\")` and choose the file."),
            });
        }
        if are_names || labels == Labels::Marked || first().all(is_label_of_data_table) {
            notes.drop(phrase!("row_names", "row names"));
            return Ok(true);
        }
        // pandas prints the name of the index in a row of its own.
        let has_name_of_index = is_short && header.len() > 1 && header.last().is_some_and(|last| last.len() == 1);
        let has_corner = self.corners().any(str::is_empty);
        if has_corner || has_name_of_index || labels == Labels::Index || (is_short && run.is_some()) {
            notes.drop(phrase!("index_column", "index column"));
            return Ok(true);
        }
        if let Some(found) = run {
            return Err(index_question(table, &found));
        }
        let is_whole = first().all(|cell| number(cell).is_some_and(|x| x.fract() == 0.0));
        let is_named = is_whole && self.corners().any(is_name_of_rows);
        // One title above two columns is one cell short, too.
        let is_title = width == 2 && !is_whole;
        if is_named || self.first_are_ids() || (is_short && !is_title) {
            return Err(index_question(table, &listed(first())));
        }
        Ok(false)
    }

    fn width(self) -> usize {
        self.body.first().map_or(0, StringRecord::len)
    }

    fn first_column(self) -> impl Iterator<Item = &'a str> {
        self.body.iter().map(|record| record.get(0).unwrap_or_default())
    }

    /// The cells of the header above the first column.
    fn corners(self) -> impl Iterator<Item = &'a str> {
        let width = self.width();
        self.header.iter().filter(move |header| header.len() == width).filter_map(|header| header.get(0))
    }

    /// Whether MATLAB printed the table, with a line of underscores below the names, and the table has fewer names than
    /// columns.
    fn has_underscores(self) -> bool {
        let is_line = |record: &StringRecord| record.iter().all(|cell| cell.bytes().all(|byte| byte == b'_'));
        self.header.iter().any(is_line) && self.header.iter().all(|header| header.len() < self.width())
    }

    /// Whether the first column may be ids: whole numbers before columns of fractions, without a header.
    fn first_are_ids(self) -> bool {
        if !self.header.is_empty() || self.width() < 3 || self.body.len() < 3 {
            return false;
        }
        let is_written_whole = |cell: &str| cell.bytes().all(|byte| byte.is_ascii_digit());
        let has_fractions = |record: &StringRecord| record.iter().skip(1).all(|cell| cell.contains(['.', 'e', 'E']));
        let numbers: Vec<f64> = self.first_column().filter_map(number).collect();
        let mut sorted = numbers.clone();
        sorted.sort_by(f64::total_cmp);
        let is_distinct = sorted.windows(2).all(|pair| pair[0] < pair[1]);
        self.first_column().all(is_written_whole)
            && self.body.iter().all(has_fractions)
            && (is_distinct || sorted == numbers)
    }
}

/// Whether a column holds texts: it has more words than numbers. Among words, some cells may look like numbers or be
/// punctuation, as in a vocabulary. Numbers with units are no texts: leaving them out would lose numbers of the table.
fn is_text(body: &[StringRecord], column: usize) -> bool {
    let cells = || body.iter().filter_map(|record| record.get(column));
    if column > 0 && cells().all(has_unit) {
        return false;
    }
    let words = cells().filter(|cell| is_name(cell) && cell.contains(char::is_alphabetic)).count();
    words > cells().filter(|cell| is_numeric(cell)).count()
}

/// Whether a cell is a number with a unit behind it, such as `2 cm` or `2cm`.
fn has_unit(cell: &str) -> bool {
    let unit = cell.trim_start_matches(|mark: char| mark.is_ascii_digit() || "+-.,eE ".contains(mark));
    let amount = cell[..cell.len() - unit.len()].trim_end();
    is_numeric(amount) && unit.starts_with(char::is_alphabetic)
}

/// The error that asks whether a first column numbers the rows.
pub(super) fn index_question(table: Table, found: &str) -> InputError {
    InputError::TwoReadings { table, question: TableQuestion::Index, found: found.to_string() }
}

/// The first numbers of a column that counts the rows from 0 or 1, as a text. `None` for a column that does not count,
/// or has one row only.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Vec<StringRecord> {
        text.lines().map(|line| line.split(',').collect()).collect()
    }

    fn read(header: &str, body: &str) -> Result<Vec<bool>, InputError> {
        let (header, body) = (records(header), records(body));
        let (table, labels, answers) = (Table::Tokens, Labels::Unknown, TableAnswers::default());
        Parts { table, labels, header: &header, body: &body, answers }.columns_of_numbers(&mut Notes::default())
    }

    #[test]
    fn columns_of_names_and_texts_are_found() {
        for (header, body, expected) in [
            ("", "1,2\n3,4", &[true, true][..]),
            ("", "a,2\nb,4", &[false, true]),
            ("", "the,2\nof,4\n;,1\n1990,2\nnan,3\nin,4\nto,1", &[false, true]),
            ("", "0.5,setosa,4\n0.25,virginica,3", &[true, false, true]),
            (",word,x", "0,a,1\n1,b,2", &[false, false, true]),
            ("", "1,#,2\n5,#,4", &[true, true, true]),
            ("", "1,x\n5,4\n3,5", &[true, true]),
            ("", "1,2 cm\n5,4.5 cm", &[true, true]),
            ("", "1,2nd\n5,of\n3,to", &[true, false]),
        ] {
            assert_eq!(read(header, body).as_deref(), Ok(expected), "{body}");
        }
    }

    #[test]
    fn a_column_that_is_called_an_index_is_asked_about() {
        for header in ["id,x", "token,x", "Unnamed: 0,x", "pos,x"] {
            let problem = read(header, "100,1.5\n200,2.5");
            assert_eq!(problem, Err(index_question(Table::Tokens, "100, 200")), "{header}");
        }
    }
}
