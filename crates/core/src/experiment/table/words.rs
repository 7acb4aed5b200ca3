//! Cells that a split at blanks took apart: names of several words, and numbers with a blank in their exponent.

use csv::StringRecord;

use super::decimal::is_numeric;
use super::header::is_names;
use super::kind::number;

/// Joins the parts of each number into one cell: R's tibble aligns exponents as in `4   e+10` and `1.23e- 5`.
pub(super) fn with_whole_numbers(records: &mut [StringRecord]) {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_exponent = |cell: &str| {
        cell.strip_prefix("e+")
            .or_else(|| cell.strip_prefix("e-"))
            .is_some_and(|digits| digits.is_empty() || is_digits(digits))
    };
    let ends_in_exponent = |cell: &str| {
        cell.strip_suffix("e+").or_else(|| cell.strip_suffix("e-")).is_some_and(|before| number(before).is_some())
    };
    for record in
        records.iter_mut().filter(|record| record.iter().any(|cell| is_exponent(cell) || ends_in_exponent(cell)))
    {
        let mut joined: Vec<String> = Vec::with_capacity(record.len());
        for cell in record.iter() {
            match joined.last_mut() {
                Some(last)
                    if (is_exponent(cell) && number(last).is_some()) || (ends_in_exponent(last) && is_digits(cell)) =>
                {
                    last.push_str(cell);
                }
                _ => joined.push(cell.to_string()),
            }
        }
        *record = joined.iter().collect();
    }
}

/// Joins the words of each row's name into one cell, where names have several words. Below a header of k names, the
/// last k cells of each row must be numbers; the cells before them are the name.
pub(super) fn with_whole_names(records: &mut [StringRecord]) {
    let n_header = records.iter().take_while(|record| is_names(record)).count();
    let (header, body) = records.split_at_mut(n_header);
    let Some(k) = header.iter().map(StringRecord::len).max() else { return };
    let is_row = |record: &StringRecord| {
        let begins_with_word = record.get(0).is_some_and(|cell| !is_numeric(cell));
        record.len() > k && begins_with_word && record.iter().skip(record.len() - k).all(is_numeric)
    };
    let is_needed = body.iter().any(|record| record.len() > k + 1);
    if !is_needed || !body.iter().all(is_row) {
        return;
    }
    for record in body {
        let name: Vec<&str> = record.iter().take(record.len() - k).collect();
        let name = name.join(" ");
        *record = std::iter::once(name.as_str()).chain(record.iter().skip(record.len() - k)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Vec<StringRecord> {
        text.lines().map(|line| line.split_whitespace().collect()).collect()
    }

    #[test]
    fn numbers_and_names_are_put_together() {
        let mut cells = records("1.23e- 5 1\n4 e+10 2\n3 4");
        with_whole_numbers(&mut cells);
        assert_eq!(cells, records("1.23e-5 1\n4e+10 2\n3 4"));
        let mut cells = records("mpg cyl\nMazda RX4 Wag 21.0 6\nDatsun 710 22.8 4\nValiant 18.1 6");
        with_whole_names(&mut cells);
        let names: Vec<&str> = cells[1..].iter().filter_map(|record| record.get(0)).collect();
        assert_eq!(names, ["Mazda RX4 Wag", "Datsun 710", "Valiant"]);
        assert!(cells[1..].iter().all(|record| record.len() == 3));
    }

    #[test]
    fn other_records_are_left_as_they_are() {
        for text in [
            "x y\n1 2\n3 4",
            "x y\na 1 2\nb 3 4",
            "1 2 3\n4 5 6",
            "x y\n0 0 1 2\n0 1 3 4",
            "gear\ncyl 3 4\n4 1 8",
            "x y\ntoken\na 1 2\nb 3 4",
            "x y\na b 1 c\nd e 2 3",
        ] {
            let mut cells = records(text);
            with_whole_numbers(&mut cells);
            with_whole_names(&mut cells);
            assert_eq!(cells, records(text), "{text}");
        }
    }
}
