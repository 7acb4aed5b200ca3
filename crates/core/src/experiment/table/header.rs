//! Rows at the beginning of a table that name or number its columns.

use csv::StringRecord;

use super::decimal::is_numeric;
use super::kind::{looks_like_a_number, number};
use crate::experiment::error::shorten;
use crate::experiment::{FirstRow, InputError, Table, TableAnswers, TableQuestion};

/// How many records at the beginning name or number the columns.
///
/// # Errors
/// [`InputError::TwoReadings`] where the first row of numbers may be either.
pub(super) fn header_rows(table: Table, records: &[StringRecord], answers: TableAnswers) -> Result<usize, InputError> {
    let named = records.iter().take_while(|record| is_names(record)).count();
    // If no row has numbers, report the first row.
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

/// The rows that hold one name alone: pandas writes the name of the index so, below the names of the columns.
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
    /// What pandas, R, SQL and people call it.
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

/// Whether the first of the records, below rows of names, numbers the columns.
fn numbered(names: &[StringRecord], records: &[StringRecord]) -> Numbered {
    let [first, body @ ..] = records else { return Numbered::No };
    let body = &body[names_of_index(body)..];
    let Some(second) = body.first() else { return Numbered::No };
    let cells: Vec<&str> = first.iter().collect();
    let is_unlike = || {
        let cells = || body.iter().flatten().filter(|cell| is_numeric(cell));
        cells().next().is_some() && cells().all(|cell| cell.contains(['.', ',', 'e', 'E']))
    };
    let number_columns = |cells: &[&str]| {
        let numbers: Vec<&str> = cells.iter().copied().filter(|cell| !is_name(cell)).collect();
        are_rising(&numbers) || (!names.is_empty() && are_whole(&numbers))
    };
    // Numbers of columns, without a number before them: behind an empty corner, or one cell short.
    if let ["", others @ ..] = &cells[..]
        && !others.is_empty()
    {
        return if number_columns(others) { Numbered::Yes } else { Numbered::No };
    }
    if cells.len() + 1 == second.len() && number_columns(&cells) {
        return Numbered::Yes;
    }
    if cells.len() != second.len() {
        return Numbered::No;
    }
    if let [corner, others @ ..] = &cells[..]
        && is_name(corner)
        && !others.is_empty()
        && are_rising(others)
    {
        let names_rows = is_name_of_rows(corner);
        let is_count = counts_from(others, 0) || counts_from(others, 1);
        let first_are_numbers = body.iter().all(|record| record.get(0).is_some_and(|cell| number(cell).is_some()));
        return match (names_rows, is_count) {
            (true, true) => Numbered::Yes,
            (true, false) | (false, true) if first_are_numbers => Numbered::Yes,
            (true, false) => Numbered::Perhaps,
            (false, true) if others.len() > 1 && is_unlike() => Numbered::Perhaps,
            _ => Numbered::No,
        };
    }
    if let ["0"] = &cells[..] {
        // A 0 alone is a number of the table, unless it is written unlike all other cells, or they are other whole numbers.
        let mut others = body.iter().flatten();
        let are_other_numbers = others.all(|cell| cell != "0" && !cell.contains(['.', ',', 'e', 'E']));
        let is_run = body.iter().enumerate().all(|(at, record)| record.get(0) == Some((at + 1).to_string().as_str()));
        return if is_unlike() || (are_other_numbers && !is_run) { Numbered::Perhaps } else { Numbered::No };
    }
    // Two levels of names, as pandas writes them, repeat a name of the first level.
    let mut sorted: Vec<&str> = names.iter().flatten().filter(|name| !name.is_empty()).collect();
    sorted.sort_unstable();
    let is_repeated = sorted.windows(2).any(|pair| pair[0] == pair[1]);
    let may_be_level = are_whole(&cells) && is_repeated && is_unlike();
    if cells.len() > 1 && (may_be_level || (counts_from(&cells, 0) && (names.is_empty() || is_repeated))) {
        return Numbered::Perhaps;
    }
    // A line of the number of rows and columns.
    if body.len() > 1 && cells.len() == 2 && cells[0] == body.len().to_string() && cells[1] == "2" {
        return Numbered::Perhaps;
    }
    let is_consecutive =
        cells.len() > 1 && cells[0].parse::<u32>().is_ok_and(|first| first > 0 && counts_from(&cells, first));
    if is_consecutive && names.is_empty() && is_unlike() { Numbered::Perhaps } else { Numbered::No }
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

/// The first cells of a row or column.
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
