//! Errors in user input: the field at fault and how to fix it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::table_kind::{Table, TableQuestion};
use super::{Memory, Phrase, Size};
use crate::phrase;

/// An input that cannot be used. The text names the field (and row or column) and the fix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum InputError {
    /// The text is not JSON.
    Json {
        /// The parser's message, with line and column.
        detail: Phrase,
    },
    /// A key that the format does not have.
    UnknownKey {
        /// The full path of the key.
        key: String,
        /// The keys allowed there.
        expected: String,
    },
    /// A key that was renamed.
    RenamedKey {
        /// The full path of the key.
        key: String,
        /// Its current name.
        now: String,
    },
    /// A required key that is missing.
    MissingKey {
        /// The full path of the key.
        key: String,
        /// What it should hold.
        expected: Phrase,
    },
    /// A value of the wrong kind or outside its range.
    BadValue {
        /// The full path of the key.
        key: Phrase,
        /// The value found, shortened.
        found: Phrase,
        /// What is accepted.
        expected: Phrase,
    },
    /// A row whose length differs from the first row's.
    RaggedRow {
        /// The table's name.
        what: Phrase,
        /// One-based.
        row: usize,
        /// Entries in that row.
        found: usize,
        /// Entries in the first row.
        expected: usize,
    },
    /// An entry that is not a finite number.
    NotANumber {
        /// The table's name.
        what: Phrase,
        /// One-based.
        row: usize,
        /// One-based.
        column: usize,
        /// The entry, shortened.
        found: Phrase,
    },
    /// A table that can be read in two ways, which only its author can tell apart.
    TwoReadings {
        /// The table.
        table: Table,
        /// The question to its author.
        question: TableQuestion,
        /// The row, column or number that is asked about, shortened.
        found: String,
    },
    /// An empty table or file.
    Empty {
        /// The table or file.
        what: Phrase,
        /// The least that is accepted.
        least: Phrase,
    },
    /// A list of one token: softmax over one entry is constant, so there is nothing to measure.
    OneToken,
    /// A quantity over its limit.
    TooLarge {
        /// The quantity.
        what: Phrase,
        /// Its value.
        found: Phrase,
        /// The limit.
        limit: Phrase,
        /// How to reduce it.
        fix: Phrase,
    },
    /// A task that needs more memory than it may have.
    TooCostly {
        /// Which task, at the beginning of a sentence.
        what: Phrase,
        /// The most bytes that it would hold at a time.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
        /// The size whose lowering saves the most memory.
        lower: Size,
        /// The largest value of that size that fits with all others unchanged; `None` where no value fits.
        at_most: Option<u64>,
    },
    /// Matrices that do not fit together.
    Shape {
        /// The matrix.
        what: Phrase,
        /// Its shape.
        found: Phrase,
        /// The shape required.
        expected: Phrase,
        /// Why it is required.
        reason: Phrase,
    },
    /// The query-key matrix has no real eigenvalue, which the adversarial tokens need.
    NoRealEigenvalue,
    /// A token at which the map has no derivative, so that J does not exist.
    NoDerivative {
        /// The token's row, one-based.
        row: usize,
        /// Which map has no derivative there, and why.
        problem: Phrase,
        /// How to resolve it.
        fix: Phrase,
    },
    /// Two choices that exclude each other.
    Conflict {
        /// The field.
        what: Phrase,
        /// The conflict.
        problem: Phrase,
        /// How to resolve it.
        fix: Phrase,
    },
    /// A quantity that overflows f64.
    Overflow {
        /// The overflowing quantity.
        what: Phrase,
    },
    /// A value that the format allows but this version cannot measure.
    NotYet {
        /// The field.
        key: String,
        /// Its value.
        value: String,
        /// The values that can be used.
        instead: Phrase,
    },
    /// A tensor of a model file that is missing or has the wrong form.
    Tensor {
        /// Its name in the file.
        tensor: String,
        /// The problem.
        problem: Phrase,
        /// The form required.
        expected: Phrase,
    },
    /// A file that cannot be parsed.
    File {
        /// The file.
        file: Phrase,
        /// The problem.
        problem: Phrase,
        /// How to resolve it.
        fix: Phrase,
    },
}

impl InputError {
    /// A [`InputError::BadValue`] whose `found` is shortened to fit a sentence.
    #[must_use]
    #[doc(hidden)]
    pub fn bad_value(key: impl Into<Phrase>, found: impl Into<Phrase>, expected: impl Into<Phrase>) -> Self {
        let found = found.into();
        let found = if found.id().is_some() { found } else { shorten(&found.to_string()).into() };
        InputError::BadValue { key: key.into(), found, expected: expected.into() }
    }

    /// An [`InputError::TooLarge`] for a number above its limit.
    #[must_use]
    #[doc(hidden)]
    pub fn too_large(what: Phrase, found: u64, limit: usize, fix: Phrase) -> Self {
        InputError::TooLarge { what, found: found.to_string().into(), limit: limit.to_string().into(), fix }
    }

    /// The sentence of the error, as a phrase.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        let quoted = |key: &str| format!("`{key}`");
        match self.clone() {
            InputError::Json { detail } => phrase!(
                "error_json",
                "This is not valid JSON: {detail}. Check the text there, or export an experiment to see the form.",
                detail = detail
            ),
            InputError::UnknownKey { key, expected } => phrase!(
                "error_unknown_key",
                "Unknown key {key}. If it is misspelt, write one of these: {expected}. Else remove it.",
                key = quoted(&key),
                expected = expected
            ),
            InputError::RenamedKey { key, now } => phrase!(
                "error_renamed_key",
                "The key {key} is called {now} now. Rename it.",
                key = quoted(&key),
                now = quoted(&now)
            ),
            InputError::MissingKey { key, expected } => {
                phrase!(
                    "error_missing_key",
                    "{key} is missing. Add it: {expected}.",
                    key = quoted(&key),
                    expected = expected
                )
            }
            InputError::BadValue { key, found, expected } => {
                let key = if key.id().is_some() { key } else { quoted(&key.to_string()).into() };
                phrase!(
                    "error_bad_value",
                    "{key} is {found}, but it must be {expected}.",
                    key = key,
                    found = found,
                    expected = expected
                )
            }
            InputError::RaggedRow { what, row, found, expected } => phrase!(
                "error_ragged_row",
                "Row {row} of {what} has length {found}, but row 1 has length {expected}. Give every row the same number of columns.",
                what = what,
                row = row,
                found = found,
                expected = expected
            ),
            InputError::NotANumber { what, row, column, found } => phrase!(
                "error_not_a_number",
                "Row {row}, column {column} of {what} is {found}, which is not a finite number. Write the number that belongs there, or leave that row or column out.",
                what = what,
                row = row,
                column = column,
                found = found
            ),
            InputError::TwoReadings { table, question, found } => phrase!(
                "error_two_readings",
                "{what} can be read in two ways: {question}. Say which it is.",
                what = table.name(),
                question = match question {
                    TableQuestion::Header => phrase!(
                        "asked_about_header",
                        "its first row ({found}) may number the columns, or be a row of the table",
                        found = found
                    ),
                    TableQuestion::Index => phrase!(
                        "asked_about_index",
                        "its first column ({found}) may number the rows, or be a column of the table",
                        found = found
                    ),
                    TableQuestion::Decimal => phrase!(
                        "asked_about_decimal",
                        "the comma in {found} may be the decimal mark, or stand between thousands",
                        found = found
                    ),
                    TableQuestion::Columns => phrase!(
                        "asked_about_columns",
                        "the comma in {found} may be the decimal mark, or separate two columns",
                        found = found
                    ),
                    TableQuestion::Point => phrase!(
                        "asked_about_point",
                        "the point in {found} may stand between thousands, or be the decimal mark",
                        found = found
                    ),
                }
            ),
            InputError::Empty { what, least } => {
                phrase!("error_empty", "{what} is empty. Give at least {least}.", what = what, least = least)
            }
            InputError::OneToken => phrase!(
                "error_one_token",
                "There is only one token. Give at least two: with one, plain attention is the linear map V, whatever the scores."
            ),
            InputError::TooLarge { what, found, limit, fix } => phrase!(
                "error_too_large",
                "{what} is {found}, over the limit of {limit}. {fix}",
                what = what,
                found = found,
                limit = limit,
                fix = fix
            ),
            InputError::TooCostly { what, bytes, limit, lower, at_most } => phrase!(
                "error_too_costly",
                "{what} would take {bytes} of memory, over the limit of {limit}: lower {lower}.",
                what = what,
                bytes = Memory::from_bytes(bytes).phrase(),
                limit = Memory::from_bytes(limit).phrase(),
                lower = lowered(lower, at_most)
            ),
            InputError::Shape { what, found, expected, reason } => phrase!(
                "error_shape",
                "{what} is {found}, but it must be {expected} so that {reason}.",
                what = what,
                found = found,
                expected = expected,
                reason = reason
            ),
            InputError::NoRealEigenvalue => phrase!(
                "error_no_real_eigenvalue",
                "The adversarial tokens need a real eigenvalue of A = K^T Q / sqrt(k), and the first head's A has none. Choose another seed for the weights, or identity weights."
            ),
            InputError::NoDerivative { row, problem, fix } => {
                phrase!(
                    "error_no_derivative",
                    "Row {row} of the tokens {problem}. {fix}",
                    row = row,
                    problem = problem,
                    fix = fix
                )
            }
            InputError::Conflict { what, problem, fix } => {
                phrase!("error_conflict", "{what} {problem}. {fix}", what = what, problem = problem, fix = fix)
            }
            InputError::Overflow { what } => phrase!(
                "error_overflow",
                "{what} overflow 64-bit numbers. Make the tokens (radius) or the weights (scale) smaller.",
                what = what
            ),
            InputError::NotYet { key, value, instead } => phrase!(
                "error_not_yet",
                "{key} = \"{value}\" cannot be measured by this version yet. Use one of: {instead}.",
                key = quoted(&key),
                value = value,
                instead = instead
            ),
            InputError::Tensor { tensor, problem, expected } => phrase!(
                "error_tensor",
                "Tensor {tensor} {problem}. Expected: {expected}.",
                tensor = quoted(&tensor),
                problem = problem,
                expected = expected
            ),
            InputError::File { file, problem, fix } => {
                phrase!(
                    "error_file",
                    "{file} cannot be read: {problem}. {fix}",
                    file = file,
                    problem = problem,
                    fix = fix
                )
            }
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}

impl std::error::Error for InputError {}

/// The text for the size to lower, with the largest value that fits where there is one.
fn lowered(size: Size, at_most: Option<u64>) -> Phrase {
    match at_most {
        Some(value) => {
            phrase!("lower_to_at_most", "{size} to at most {value}", size = size.phrase(), value = value)
        }
        None => size.phrase(),
    }
}

/// The first 40 characters of a text, with an ellipsis where it was cut.
pub(crate) fn shorten(text: &str) -> String {
    const MOST: usize = 40;
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST + 1).collect();
    if clean.chars().count() > MOST { clean.chars().take(MOST).chain(std::iter::once('…')).collect() } else { clean }
}
