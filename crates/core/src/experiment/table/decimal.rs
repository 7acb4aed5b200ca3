//! How numbers with commas are written: decimal commas, or commas between thousands.

use super::kind::number;
use crate::experiment::{NumberComma, TableQuestion};

/// How the numbers of a table are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// 1234.5
    Point,
    /// 1234,5 or 1.234,5 or 1 234,5
    Comma,
    /// 1,234.5
    Thousands,
    /// 1.234 for a thousand
    Points,
}

impl Style {
    /// The number in a cell; `None` where it is not written in this way.
    pub(super) fn number(self, cell: &str) -> Option<f64> {
        match self {
            Style::Point => number(cell),
            Style::Comma => comma(cell),
            Style::Thousands => thousands(cell, ',').and_then(|plain| number(&plain)),
            Style::Points => thousands(cell, '.').and_then(|plain| number(&plain)),
        }
    }
}

/// Whether a cell is a number in the style `Point`, `Comma` or `Thousands`.
pub(super) fn is_numeric(cell: &str) -> bool {
    number(cell).is_some() || Style::Comma.number(cell).is_some() || Style::Thousands.number(cell).is_some()
}

/// The styles that are possible given the cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Styles {
    point: bool,
    comma: bool,
    thousands: bool,
    /// Whether every point may stand between thousands: `1.234`.
    points: bool,
    has_point: bool,
}

/// What separates the cells. Between semicolons a comma is the decimal mark: programs write such tables in languages
/// with decimal commas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    Semicolons,
    Others,
}

impl Styles {
    pub(super) const ALL: Styles = Styles { point: true, comma: true, thousands: true, points: true, has_point: false };

    /// Keeps only the styles in which the cell is a number.
    pub(super) fn allow(&mut self, cell: &str) {
        if cell.contains('.') {
            self.has_point = true;
            self.points &= thousands(cell, '.')
                .is_some_and(|plain| plain.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'));
        }
        // The common case: a plain number.
        if self.point && number(cell).is_some() {
            self.comma &= !cell.contains('.') || comma(cell).is_some();
            return;
        }
        self.point = false;
        self.comma &= comma(cell).is_some();
        self.thousands &= thousands(cell, ',').is_some_and(|plain| number(&plain).is_some());
    }

    /// Whether there is a style in which all cells are numbers.
    pub(super) fn is_some(self) -> bool {
        self.point || self.comma || self.thousands
    }

    /// Chooses the style from the cells and the answer.
    ///
    /// # Errors
    /// The question to the author where two styles fit.
    pub(super) fn choose(self, between: Between, answer: Option<NumberComma>) -> Result<Style, TableQuestion> {
        let may_group = between == Between::Semicolons && self.has_point && self.points;
        match (self.point, self.comma, self.thousands, answer) {
            (true, _, _, None) if may_group => Err(TableQuestion::Point),
            (true, _, _, Some(NumberComma::Decimal)) if may_group => Ok(Style::Points),
            (true, ..) => Ok(Style::Point),
            (_, true, true, Some(NumberComma::Decimal)) => Ok(Style::Comma),
            (_, true, true, Some(NumberComma::Thousands)) => Ok(Style::Thousands),
            (_, true, true, None) if between == Between::Semicolons => Ok(Style::Comma),
            (_, true, true, None) => Err(TableQuestion::Decimal),
            (_, true, false, _) => Ok(Style::Comma),
            (_, false, true, _) => Ok(Style::Thousands),
            // A cell that is no number is reported when it is read.
            (_, false, false, _) => Ok(Style::Point),
        }
    }
}

/// Reads a number with a decimal comma. Points in it separate thousands. A number with points alone is refused: it may
/// be meant either way.
fn comma(cell: &str) -> Option<f64> {
    match cell.split_once(',') {
        None if cell.contains('.') => None,
        None => number(&grouped(cell)?),
        Some((whole, rest)) => {
            if rest.contains([',', '.']) || !rest.starts_with(|c: char| c.is_ascii_digit()) {
                return None;
            }
            let whole = if whole.contains('.') { thousands(whole, '.')? } else { grouped(whole)? };
            number(&format!("{whole}.{rest}"))
        }
    }
}

/// The text of a number without the marks between its thousands; `None` where the groups are not groups of three.
fn thousands(cell: &str, mark: char) -> Option<String> {
    let (sign, digits) = match cell.strip_prefix(['-', '+', '\u{2212}', '\u{2013}']) {
        Some(digits) => (&cell[..cell.len() - digits.len()], digits),
        None => ("", cell),
    };
    let end = digits.find(|c: char| !(c.is_ascii_digit() || c == mark)).unwrap_or(digits.len());
    let (whole, rest) = digits.split_at(end);
    if rest.contains(mark) {
        return None;
    }
    let mut groups = whole.split(mark);
    let first = groups.next().unwrap_or_default();
    let others: Vec<&str> = groups.collect();
    let is_grouped = others.is_empty()
        || ((1..=3).contains(&first.len()) && !first.starts_with('0') && others.iter().all(|group| group.len() == 3));
    is_grouped.then(|| [sign, first, &others.concat(), rest].concat())
}

/// The text without the blanks and apostrophes that stand between thousands in France and Switzerland.
fn grouped(cell: &str) -> Option<String> {
    const MARKS: [char; 6] = [' ', '\u{a0}', '\u{202f}', '\u{2009}', '\'', '\u{2019}'];
    match cell.chars().find(|c| MARKS.contains(c)) {
        Some(mark) => thousands(cell, mark),
        None => Some(cell.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(cells: &[&str], between: Between) -> Result<Style, TableQuestion> {
        let mut styles = Styles::ALL;
        cells.iter().for_each(|cell| styles.allow(cell));
        styles.choose(between, None)
    }

    #[test]
    fn numbers_with_commas_are_read_in_the_style_of_the_whole_table() {
        for (text, value) in
            [("0,5", 0.5), ("-1,25e-3", -1.25e-3), ("1.234,5", 1234.5), ("1 234,5", 1234.5), ("7", 7.0), (",5", 0.5)]
        {
            assert_eq!(Style::Comma.number(text), Some(value), "{text}");
        }
        for (text, value) in [("1,000.5", 1000.5), ("-1,234,567", -1_234_567.0), ("0.5", 0.5), ("12", 12.0)] {
            assert_eq!(Style::Thousands.number(text), Some(value), "{text}");
        }
        for text in ["1,2,3", "1.234", "1,", "1,e5", "12.34,5", "1,2.5", "x", ""] {
            assert_eq!(Style::Comma.number(text), None, "{text}");
        }
        for text in ["0,234", "1,23", "1,2345", "1234,567", "1,000,0"] {
            assert_eq!(Style::Thousands.number(text), None, "{text}");
        }
    }

    #[test]
    fn the_style_is_that_of_all_cells_and_asked_where_two_fit() {
        use Between::{Others, Semicolons};
        assert_eq!(style(&["1.5", "2"], Others), Ok(Style::Point));
        assert_eq!(style(&["1,5", "2"], Others), Ok(Style::Comma));
        assert_eq!(style(&["1,500.0", "0.5"], Others), Ok(Style::Thousands));
        assert_eq!(style(&["1,500", "0.5"], Others), Ok(Style::Thousands));
        assert_eq!(style(&["1,500", "2"], Others), Err(TableQuestion::Decimal));
        assert_eq!(style(&["1,500", "2"], Semicolons), Ok(Style::Comma));
        assert_eq!(style(&["1,500", "0,250"], Others), Ok(Style::Comma));
        assert_eq!(style(&["0.5", "1,5"], Others), Ok(Style::Point));
        assert_eq!(style(&["1.234", "-2.500", "3"], Semicolons), Err(TableQuestion::Point));
        for cells in [["1.234", "0.500"], ["1.234", "2.5"], ["1.234", "2.500e3"]] {
            assert_eq!(style(&cells, Semicolons), Ok(Style::Point));
        }
    }
}
