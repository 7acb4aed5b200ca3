//! The kinds of tables, the questions about how to read one, and the answers.

use serde::{Deserialize, Serialize};

use super::Phrase;
use crate::phrase;

/// The kind of a table: it decides its name in errors and its possible shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Table {
    /// Tokens, one a row; a flat list is tokens of dimension 1.
    Tokens,
    /// Q, k x d; a flat list is one row, as for every matrix.
    Query,
    /// K, k x d.
    Key,
    /// V, d_v x d.
    Value,
    /// The output matrix, d_out x d_v.
    Output,
}

impl Table {
    /// Its name at the beginning of a sentence.
    #[must_use]
    pub fn name(self) -> Phrase {
        match self {
            Table::Tokens => phrase!("token_list", "The token list"),
            Table::Query => "Q".into(),
            Table::Key => "K".into(),
            Table::Value => "V".into(),
            Table::Output => phrase!("the_output_matrix", "The output matrix"),
        }
    }

    /// Its name inside of a sentence.
    pub(super) fn inside(self) -> Phrase {
        match self {
            Table::Tokens => phrase!("tokens_inside", "the tokens"),
            Table::Output => phrase!("output_matrix", "the output matrix"),
            _ => self.name(),
        }
    }
}

/// A question that a table alone does not answer, because two readings of it are plausible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableQuestion {
    /// Whether the first row, such as 0, 1, 2, numbers the columns or is a row of the table.
    Header,
    /// Whether the first column, such as 0, 1, 2, numbers the rows or is a column of the table.
    Index,
    /// Whether the comma in numbers such as 1,234 is the decimal mark or separates thousands.
    Decimal,
    /// Whether the comma in lines such as 1,25 is the decimal mark or separates two columns.
    Columns,
    /// Whether the point in numbers such as 1.234 separates thousands or is the decimal mark.
    Point,
}

/// Answers to the questions about a table. `None` is no answer yet: the code decides from the table, or asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableAnswers {
    /// The answer about the first row.
    pub header: Option<FirstRow>,
    /// The answer about the first column.
    pub index: Option<FirstColumn>,
    /// The answer about commas and points in numbers.
    pub decimal: Option<NumberComma>,
}

/// Whether the first row of a table is a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FirstRow {
    /// Names or numbers of the columns; this row is dropped.
    Header,
    /// A row of the table.
    Numbers,
}

/// Whether the first column of a table holds names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FirstColumn {
    /// Names or numbers of the rows; this column is dropped.
    Index,
    /// A column of the table.
    Numbers,
}

/// What a comma in a number is, as in 1,234. Where it is the decimal mark, a point separates thousands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NumberComma {
    /// The decimal mark: 1,234 is 1.234.
    Decimal,
    /// Between thousands, so that 1,234 is 1234, or between columns; a point is the decimal mark.
    Thousands,
}
