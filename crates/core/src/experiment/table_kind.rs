//! What a table is, what may be asked about how it is read, and the answers.

use serde::{Deserialize, Serialize};

use super::Phrase;
use crate::phrase;

/// What a table is: it decides its name in errors, and which shapes it may have.
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

/// What cannot be told from a table alone, because two readings of it are plausible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableQuestion {
    /// Whether the first row, such as 0, 1, 2, numbers the columns or is a row of the table.
    Header,
    /// Whether the first column, such as 0, 1, 2, numbers the rows or is a column of the table.
    Index,
    /// Whether the comma in numbers such as 1,234 is the decimal mark or separates thousands.
    Decimal,
}

/// Answers to the questions about a table; `None` where it is left to be read from the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableAnswers {
    /// What the first row is.
    pub header: Option<FirstRow>,
    /// What the first column is.
    pub index: Option<FirstColumn>,
    /// What a comma in a number is.
    pub decimal: Option<NumberComma>,
}

/// What the first row of a table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FirstRow {
    /// Names or numbers of the columns, which are dropped.
    Header,
    /// A row of the table.
    Numbers,
}

/// What the first column of a table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FirstColumn {
    /// Names or numbers of the rows, which are dropped.
    Index,
    /// A column of the table.
    Numbers,
}

/// What a comma in a number is, as in 1,234.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NumberComma {
    /// The decimal mark: 1.234.
    Decimal,
    /// Between thousands: 1234.
    Thousands,
}
