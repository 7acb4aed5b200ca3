//! Cells that hold a whole token: `[1.25, -2.5]`, as databases and pandas write a column of embeddings.

use csv::StringRecord;

use super::decimal::is_numeric;
use super::reading::Notes;
use crate::experiment::error::shorten;
use crate::phrase;

/// Where exactly one column holds lists of numbers, replaces each record by the numbers of its list, so that the other
/// columns are dropped.
pub(super) fn spread(records: &mut Vec<StringRecord>, notes: &mut Notes) {
    let Some(last) = records.last() else { return };
    let columns: Vec<usize> = (0..last.len()).filter(|column| last.get(*column).and_then(list).is_some()).collect();
    let &[column] = &columns[..] else { return };
    let has_list = |record: &StringRecord| record.get(column).and_then(list).is_some();
    let has_header = records.first().is_some_and(|first| !has_list(first));
    if !records.iter().skip(usize::from(has_header)).all(has_list) {
        return;
    }
    let width = records.iter().map(StringRecord::len).max().unwrap_or_default();
    if width > 1 {
        let header = records.first().filter(|_| has_header);
        let name = |column: usize| match header.and_then(|header| header.get(column)) {
            Some(name) if !name.is_empty() => name.to_string(),
            _ => (column + 1).to_string(),
        };
        let names: Vec<String> = (0..width).filter(|other| *other != column).map(name).collect();
        let names = shorten(&names.join(", "));
        notes.drop(phrase!("columns_beside_vectors", "columns beside the vectors ({names})", names = names));
    }
    if has_header {
        records.remove(0);
    }
    for record in records.iter_mut() {
        let numbers: Option<StringRecord> =
            record.get(column).and_then(list).map(|numbers| numbers.into_iter().collect());
        if let Some(numbers) = numbers {
            *record = numbers;
        }
    }
}

/// The numbers in a list; `None` for any other cell, such as the row label `[1,]` of a matrix of R.
pub(super) fn list(cell: &str) -> Option<Vec<&str>> {
    let inside = cell.strip_prefix('[')?.strip_suffix(']')?;
    let numbers: Vec<&str> = inside.split([',', ' ']).map(str::trim).filter(|number| !number.is_empty()).collect();
    let is_list = numbers.iter().all(|number| is_numeric(number)) && numbers.len() > 1;
    is_list.then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_in_one_column_take_the_place_of_their_records() {
        let mut notes = Notes::default();
        let mut records: Vec<StringRecord> =
            [["id", "vector"], ["7", "[1.5, -2]"], ["9", "[3 4]"]].iter().map(|row| row.iter().collect()).collect();
        spread(&mut records, &mut notes);
        assert_eq!(records, [StringRecord::from(vec!["1.5", "-2"]), StringRecord::from(vec!["3", "4"])]);
        assert_eq!(notes.dropped[0].to_string(), "columns beside the vectors (id)");
    }

    #[test]
    fn other_cells_are_left_as_they_are() {
        for rows in
            [[["a", "[1,]"], ["b", "2"]], [["[1, 2]", "[3, 4]"], ["[1, 2]", "[3, 4]"]], [["1", "[a]"], ["2", "[b]"]]]
        {
            let mut records: Vec<StringRecord> = rows.iter().map(|row| row.iter().collect()).collect();
            let before = records.clone();
            spread(&mut records, &mut Notes::default());
            assert_eq!(records, before);
        }
    }
}
