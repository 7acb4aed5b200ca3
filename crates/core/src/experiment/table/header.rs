//! Rows at the beginning of a table that name or number its columns.

use csv::StringRecord;

use super::decimal::is_numeric;
use super::kind::{looks_like_a_number, number};
use crate::experiment::error::shorten;
use crate::experiment::{FirstRow, InputError, Table, TableAnswers, TableQuestion};

/// Characters of numbers that are not written as whole numbers.
const FRACTION: [char; 4] = ['.', ',', 'e', 'E'];

/// How many records at the beginning name or number the columns.
///
/// # Errors
/// [`InputError::TwoReadings`] where the first row of numbers may be either.
pub(super) fn header_rows(table: Table, records: &[StringRecord], answers: TableAnswers) -> Result<usize, InputError> {
    let named = records.iter().take_while(|record| is_names(record)).count();
    // If no row has numbers, no row counts as a header, so that the first row is reported.
    if named == records.len() {
        return Ok(0);
    }
    let numbered = match numbered(&records[..named], &records[named..]) {
        Numbered::No => false,
        Numbered::Yes => true,
        Numbered::Perhaps => match answers.header {
            Some(FirstRow::Header) => true,
            Some(FirstRow::Numbers) => return Ok(named),
            None => {
                let found = listed(records[named].iter());
                return Err(InputError::TwoReadings { table, question: TableQuestion::Header, found });
            }
        },
    };
    match answers.header {
        Some(FirstRow::Numbers) => return Ok(0),
        Some(FirstRow::Header) if named == 0 && !numbered => return Ok(usize::from(records.len() > 1)),
        _ => {}
    }
    if !numbered {
        return Ok(named);
    }
    Ok(named + 1 + names_of_index(&records[named + 1..]))
}

/// The number of leading rows that hold a single name: pandas writes the name of the index in a row below the names of
/// the columns.
fn names_of_index(records: &[StringRecord]) -> usize {
    let is_one_name =
        |record: &&StringRecord| is_names(record) && record.iter().filter(|cell| !cell.is_empty()).count() == 1;
    records.iter().take_while(is_one_name).count()
}

/// Whether a cell is a name: no number, and nothing that looks like a faulty one.
pub(super) fn is_name(cell: &str) -> bool {
    !cell.is_empty() && !is_numeric(cell) && !looks_like_a_number(cell)
}

/// Whether a column with this name names or numbers the rows.
pub(super) fn is_name_of_rows(cell: &str) -> bool {
    /// What pandas, R, SQL and people call a column that names or numbers the rows.
    const NAMES: &str = "id,ids,idx,index,row,rows,rowid,rowname,rownames,row_id,row_name,row_names,no,no.,nr,nr.,num,\
        number,#,key,pos,position,token,tokens,tokenid,token_id,token_ids,word,words,text,term,label,labels,name,names,\
        piece,vocab,...1";
    let lower = cell.to_lowercase();
    NAMES.split(',').any(|name| name == lower) || lower.starts_with("unnamed:")
}

/// Whether a record holds names and no numbers.
pub(super) fn is_names(record: &StringRecord) -> bool {
    record.iter().any(|cell| !cell.is_empty())
        && record.iter().all(|cell| !is_numeric(cell) && !looks_like_a_number(cell))
}

/// Whether a row of numbers is a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbered {
    No,
    Perhaps,
    Yes,
}

/// Whether the first record numbers the columns. `names` are the rows of names above it.
fn numbered(names: &[StringRecord], records: &[StringRecord]) -> Numbered {
    let [first, body @ ..] = records else { return Numbered::No };
    let body = &body[names_of_index(body)..];
    let Some(second) = body.first() else { return Numbered::No };
    let cells: Vec<&str> = first.iter().collect();
    let first = FirstNumbers { names, cells: &cells, body };
    match &cells[..] {
        // An empty corner, or a row one cell short: the first column names the rows, so these cells may number the
        // other columns.
        ["", others @ ..] if !others.is_empty() && first.may_number_columns(others) => Numbered::Yes,
        ["", _, ..] => Numbered::No,
        _ if cells.len() + 1 == second.len() && first.may_number_columns(&cells) => Numbered::Yes,
        _ if cells.len() != second.len() => Numbered::No,
        [corner, others @ ..] if is_name(corner) && !others.is_empty() && are_rising(others) => {
            first.below_corner(corner, others)
        }
        ["0"] if first.zero_may_be_a_name() => Numbered::Perhaps,
        ["0"] => Numbered::No,
        _ if first.may_be_level() || first.may_be_sizes() || first.may_count_columns() => Numbered::Perhaps,
        _ => Numbered::No,
    }
}

/// The first row of numbers, between the rows of names and the other rows.
struct FirstNumbers<'a> {
    names: &'a [StringRecord],
    cells: &'a [&'a str],
    body: &'a [StringRecord],
}

impl FirstNumbers<'_> {
    /// Whether these cells of the row may be the numbers of columns.
    fn may_number_columns(&self, cells: &[&str]) -> bool {
        let numbers: Vec<&str> = cells.iter().copied().filter(|cell| !is_name(cell)).collect();
        are_rising(&numbers) || (!self.names.is_empty() && are_whole(&numbers))
    }

    /// Decides about rising numbers behind a name in the first cell.
    fn below_corner(&self, corner: &str, others: &[&str]) -> Numbered {
        let names_rows = is_name_of_rows(corner);
        let is_count = counts_from(others, 0) || counts_from(others, 1);
        let is_number = |record: &StringRecord| record.get(0).is_some_and(|cell| number(cell).is_some());
        match (names_rows, is_count) {
            (true, true) => Numbered::Yes,
            (true, false) | (false, true) if self.body.iter().all(is_number) => Numbered::Yes,
            (true, false) => Numbered::Perhaps,
            (false, true) if others.len() > 1 && self.is_unlike_body() => Numbered::Perhaps,
            _ => Numbered::No,
        }
    }

    /// Whether a first row that is only 0 may name the column: all other numbers have fractions, or they are whole
    /// numbers other than 0 that do not count on from it.
    fn zero_may_be_a_name(&self) -> bool {
        let mut others = self.body.iter().flatten();
        let are_other_numbers = others.all(|cell| cell != "0" && !cell.contains(FRACTION));
        let mut rows = self.body.iter().enumerate();
        let is_run = rows.all(|(at, record)| record.get(0) == Some((at + 1).to_string().as_str()));
        self.is_unlike_body() || (are_other_numbers && !is_run)
    }

    /// Whether the row may be a level of column names: it counts from 0, or it stands below a level in which pandas
    /// repeats a name.
    fn may_be_level(&self) -> bool {
        let mut sorted: Vec<&str> = self.names.iter().flatten().filter(|name| !name.is_empty()).collect();
        sorted.sort_unstable();
        let is_repeated = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        let is_level = are_whole(self.cells) && is_repeated && self.is_unlike_body();
        let is_count = counts_from(self.cells, 0) && (self.names.is_empty() || is_repeated);
        self.cells.len() > 1 && (is_level || is_count)
    }

    /// Whether the row may state the numbers of rows and columns.
    fn may_be_sizes(&self) -> bool {
        let rows = self.body.len();
        rows > 1 && self.cells.len() == 2 && self.cells[0] == rows.to_string() && self.cells[1] == "2"
    }

    /// Whether the row may count the columns from another number than 0.
    fn may_count_columns(&self) -> bool {
        let starts = |first: u32| first > 0 && counts_from(self.cells, first);
        let is_count = self.cells.len() > 1 && self.cells[0].parse().is_ok_and(starts);
        is_count && self.names.is_empty() && self.is_unlike_body()
    }

    /// Whether all numbers of the other rows are written with fractions.
    fn is_unlike_body(&self) -> bool {
        let cells = || self.body.iter().flatten().filter(|cell| is_numeric(cell));
        cells().next().is_some() && cells().all(|cell| cell.contains(FRACTION))
    }
}

/// Whether the cells are rising whole numbers without a sign.
fn are_rising(cells: &[&str]) -> bool {
    let numbers: Vec<u32> = cells.iter().map_while(|cell| cell.parse().ok()).collect();
    are_whole(cells) && numbers.len() == cells.len() && numbers.windows(2).all(|pair| pair[0] < pair[1])
}

/// Whether the cells are whole numbers without a sign.
fn are_whole(cells: &[&str]) -> bool {
    cells.iter().all(|cell| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether the cells count up from a number, in steps of one.
fn counts_from(cells: &[&str], first: u32) -> bool {
    (first..).zip(cells).all(|(at, cell)| *cell == at.to_string())
}

/// The first three cells of a row or column, as a text.
pub(super) fn listed(cells: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut cells = cells;
    let shown: Vec<String> = cells.by_ref().take(3).map(|cell| shorten(cell.as_ref())).collect();
    let more = if cells.next().is_some() { ", .." } else { "" };
    shown.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Vec<StringRecord> {
        text.lines().map(|line| line.split(',').collect()).collect()
    }

    #[test]
    fn rows_that_number_the_columns_are_found() {
        for (text, expected) in [
            ("x,y\n1,2\n3,4", 1),
            (",0,1\n0,1.5,2\n1,3,4", 1),
            (",1,2\na,1.5,2\nb,3,4", 1),
            (",2020,2021\na,1.5,2\nb,3,4", 1),
            (",token,0,1\n0,the,0.5,1.5\n1,cat,2.5,1", 1),
            ("a,a,b\n,0,1,0\n0,3,1,2\n1,1,4,1", 2),
            ("a,b\n0,1,0\n0,3,1,2\n1,1,4,1", 2),
            ("token,0,1\na,1.25,2\nb,3,4", 1),
            ("token,0,1,2\n7,1.25,2,3\n8,3,4,5", 1),
            ("word,1,2\na,1,2\nb,3,4", 1),
            ("index,0,1\n0,1,2\n1,3,4", 1),
            ("index,2019,2020\n0,1,2\n1,3,4", 1),
            ("q,q\n,0,1\n0,1.25,2", 2),
            ("k,q,q\nl,0,1\n0,1.25,2\n1,3,4", 2),
            ("k,q,q\nl,0,1\ni\n0,1.25,2\n1,3,4", 3),
            ("q\n0,1\n0,1.25,2\n1,3,4", 2),
            ("0,1\n0,1.25,2\n1,3,4", 1),
            ("a,2,3\nb,1.5,2.5", 0),
            ("a,0,1\nb,1,0", 0),
            ("1,2\n3,4", 0),
            ("x,y\n0,1\n1.5,2.5", 1),
            ("0\n1\n2", 0),
            ("0\n0\n2", 0),
        ] {
            assert_eq!(header_rows(Table::Tokens, &records(text), TableAnswers::default()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_row_that_may_number_the_columns_is_asked_about_and_each_answer_holds() {
        for (text, header, numbers) in [
            ("0,1\n1.5,2\n3,4", 1, 0),
            ("2019,2020\n1.5,2.5\n3.5,4.5", 1, 0),
            ("token,2019,2020\na,1.5,2\nb,3,4", 1, 0),
            ("a,0,1\nb,1.5,2.5\nc,3.5,4.5", 1, 0),
            ("q,q\n0,1\n1.25,2\n3,4", 2, 1),
            ("0\n5\n7\n9", 1, 0),
            ("a,a,b\n0,1,0\n0.5,1.5,2.5\n1.5,1.5,4.5", 2, 1),
            ("3,2\n1.5,2\n4,6\n7,8", 1, 0),
            ("0\n1.5\n2.5", 1, 0),
        ] {
            let rows =
                |header| header_rows(Table::Tokens, &records(text), TableAnswers { header, ..TableAnswers::default() });
            assert!(
                matches!(rows(None), Err(InputError::TwoReadings { question: TableQuestion::Header, .. })),
                "{text}"
            );
            assert_eq!(rows(Some(FirstRow::Header)), Ok(header), "{text}");
            assert_eq!(rows(Some(FirstRow::Numbers)), Ok(numbers), "{text}");
        }
    }
}
