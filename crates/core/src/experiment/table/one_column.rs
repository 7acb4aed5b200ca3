//! Lines that each hold one number with a decimal comma. They look like two columns separated by a comma.

use super::decimal::{Style, is_numeric};

/// Whether each line may be one number with a decimal comma.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OneColumn {
    /// The lines are no such numbers.
    No,
    /// They may be, but nothing speaks for it: `1,2`.
    Possible,
    /// Something speaks for it, such as a header with one name, or a number with several decimals; holds one of the
    /// numbers, for the question to the author.
    Likely(String),
    /// Two columns are impossible, because the header and some lines have no comma.
    Certain,
}

impl OneColumn {
    /// From the lines of a table.
    pub(super) fn of(lines: &[&str]) -> Self {
        let has_header = lines.first().is_some_and(|line| !line.contains(',') && !is_numeric(line));
        let lines = &lines[usize::from(has_header)..];
        // A comma at the beginning is an empty corner before the name of a column.
        if lines.first().is_some_and(|line| line.starts_with(',')) {
            return OneColumn::No;
        }
        let is_one = |line: &&str| !line.contains(char::is_whitespace) && Style::Comma.number(line).is_some();
        if lines.len() < 2 || !lines.iter().all(is_one) {
            return OneColumn::No;
        }
        let with_comma = lines.iter().filter(|line| line.contains(','));
        match with_comma.clone().count() {
            0 => return OneColumn::No,
            count if count < lines.len() && has_header => return OneColumn::Certain,
            _ => {}
        }
        let is_mixed = lines.len() > 2 && with_comma.clone().count() < lines.len();
        let speaks_for_it = |line: &&&str| {
            let decimals = line.split(',').nth(1).unwrap_or_default();
            line.starts_with("-0,") || decimals.len() > 1
        };
        let found = match with_comma.clone().find(speaks_for_it) {
            Some(found) => Some(found),
            None => with_comma.clone().next().filter(|_| has_header || is_mixed),
        };
        found.map_or(OneColumn::Possible, |found| OneColumn::Likely((*found).to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_speaks_for_one_column_is_found() {
        let of = |text: &str| OneColumn::of(&text.lines().collect::<Vec<_>>());
        for text in ["1.5,2\n3,4", "1,2", "1,2,3\n4,5,6", "1,-2\n3,4", "a,1\nb,2", "1 2,5\n3 4,5", "1\n2"] {
            assert_eq!(of(text), OneColumn::No, "{text}");
        }
        assert_eq!(of("1,2\n3,4"), OneColumn::Possible);
        assert_eq!(of("1,2\n3"), OneColumn::Possible);
        assert_eq!(of("3\n1,5\n2"), OneColumn::Likely("1,5".into()));
        for (text, found) in
            [("x\n1,5\n2,5", "1,5"), ("1,5\n-2,25\n0,7", "-2,25"), ("-0,5\n1,5", "-0,5"), ("1,5E-03\n2,1", "1,5E-03")]
        {
            assert_eq!(of(text), OneColumn::Likely(found.into()), "{text}");
        }
        assert_eq!(of("x\n1,5\n3\n-2,5"), OneColumn::Certain);
    }
}
