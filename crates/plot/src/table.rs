//! The content of a plot as a table, for reading and as CSV.

/// Characters that a spreadsheet reads as the beginning of a formula.
pub const FORMULA_MARKS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

/// The labels and numbers of a plot, row by row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// The name of each column.
    pub header: Vec<String>,
    /// The cells of each row, one per column.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table as CSV (RFC 4180): fields with commas, quotes or line breaks are quoted. A text that a spreadsheet
    /// would read as a formula gets an apostrophe in front; numbers stay as they are.
    pub fn to_csv(&self) -> String {
        std::iter::once(&self.header)
            .chain(&self.rows)
            .map(|row| row.iter().map(|cell| field(cell)).collect::<Vec<_>>().join(",") + "\r\n")
            .collect()
    }
}

fn field(cell: &str) -> String {
    // A single character, such as the sign of an exact number, is not a formula.
    let is_formula = cell.starts_with(FORMULA_MARKS) && cell.len() > 1 && cell.parse::<f64>().is_err();
    let cell = &if is_formula { format!("'{cell}") } else { cell.to_owned() };
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

/// A number with all its digits: the text parses back to the same number.
pub(super) fn exact(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && value.is_finite() && !(1e-5..1e16).contains(&magnitude) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_special_characters_are_quoted() {
        let table = Table { header: vec!["a,b".into(), "c".into()], rows: vec![vec!["say \"x\"".into(), "1".into()]] };
        assert_eq!(table.to_csv(), "\"a,b\",c\r\n\"say \"\"x\"\"\",1\r\n");
    }

    #[test]
    fn no_text_is_a_formula_and_numbers_stay_numbers() {
        for text in ["=1+1", "+cmd", "-x", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "--1", "-1;2"] {
            let csv = Table { header: vec![text.into()], rows: Vec::new() }.to_csv();
            assert!(csv.trim_start_matches('"').starts_with(&format!("'{}", &text[..1])), "{csv:?}");
        }
        for number in ["-1", "+0.5", "-3.486e-9", "-inf", "1", "a=b", "x-y", "="] {
            assert_eq!(Table { header: vec![number.into()], rows: Vec::new() }.to_csv(), format!("{number}\r\n"));
        }
    }

    #[test]
    fn exact_numbers_parse_back_to_themselves() {
        for value in [0.1, 1e300, -3.486e-9, 4096.0, 0.0, 1.0 / 3.0, f64::MIN_POSITIVE, f64::INFINITY] {
            assert_eq!(exact(value).parse::<f64>(), Ok(value));
        }
    }
}
