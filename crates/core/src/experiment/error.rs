//! Errors in user input: the field at fault and how to fix it.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Control, Memory};

/// An input that cannot be used. The text names the field (and row or column) and the fix.
#[derive(Clone, Debug, PartialEq, Error, Serialize, Deserialize)]
pub enum InputError {
    /// The text is not JSON.
    #[error("This is not valid JSON: {detail}. Check the text there, or export an experiment to see the form.")]
    Json {
        /// The parser's message, with line and column.
        detail: String,
    },
    /// A key that the format does not have.
    #[error("Unknown key `{key}`. Remove it, or use one of: {expected}.")]
    UnknownKey {
        /// The full path of the key.
        key: String,
        /// The keys allowed there.
        expected: String,
    },
    /// A required key that is missing.
    #[error("`{key}` is missing. Add it: {expected}.")]
    MissingKey {
        /// The full path of the key.
        key: String,
        /// What it should hold.
        expected: String,
    },
    /// A value of the wrong kind or outside its range.
    #[error("`{key}` is {found}, but it must be {expected}.")]
    BadValue {
        /// The full path of the key.
        key: String,
        /// The value found, shortened.
        found: String,
        /// What is accepted.
        expected: String,
    },
    /// A row whose length differs from the first row's.
    #[error(
        "Row {row} of {what} has {found} numbers, but row 1 has {expected}. Give every row the same number of columns."
    )]
    RaggedRow {
        /// The table's name.
        what: String,
        /// One-based.
        row: usize,
        /// Entries in that row.
        found: usize,
        /// Entries in the first row.
        expected: usize,
    },
    /// An entry that is not a finite number.
    #[error("Row {row}, column {column} of {what} is {found}, which is not a finite number. Replace it.")]
    NotANumber {
        /// The table's name.
        what: String,
        /// One-based.
        row: usize,
        /// One-based.
        column: usize,
        /// The entry, shortened.
        found: String,
    },
    /// An empty table or file.
    #[error("{what} is empty. Give at least {least}.")]
    Empty {
        /// The table or file.
        what: String,
        /// The least that is accepted.
        least: String,
    },
    /// A list of one token: softmax over one entry is constant, so there is nothing to measure.
    #[error(
        "There is only one token. Give at least two: with one, attention is the linear map V, whatever the scores."
    )]
    OneToken,
    /// A quantity over its limit.
    #[error("{what} is {found}, over the limit of {limit}. {fix}")]
    TooLarge {
        /// The quantity.
        what: String,
        /// Its value.
        found: String,
        /// The limit.
        limit: String,
        /// How to reduce it.
        fix: String,
    },
    /// A task that needs more memory than it may have.
    #[error(
        "{what} would take {} of memory, over the limit of {}: lower {}.",
        Memory::from_bytes(*.bytes),
        Memory::from_bytes(*.limit),
        lowered(*.lower, *.at_most)
    )]
    TooCostly {
        /// Which task, at the beginning of a sentence.
        what: String,
        /// The most bytes that it would hold at a time.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
        /// The size that most of it is due to.
        lower: Control,
        /// The largest value of it that fits, where one does with all others as they are.
        at_most: Option<u64>,
    },
    /// Matrices that do not fit together.
    #[error("{what} is {found}, but it must be {expected} so that {reason}.")]
    Shape {
        /// The matrix.
        what: String,
        /// Its shape.
        found: String,
        /// The shape required.
        expected: String,
        /// Why it is required.
        reason: String,
    },
    /// The query-key matrix has no real eigenvalue, which the adversarial tokens need.
    #[error(
        "The adversarial tokens need a real eigenvalue of A = K^T Q / sqrt(k), and the first head's A has none. Choose \
         another seed for the weights, or identity weights."
    )]
    NoRealEigenvalue,
    /// Two choices that exclude each other.
    #[error("{what} {problem}. {fix}")]
    Conflict {
        /// The field.
        what: String,
        /// The conflict.
        problem: String,
        /// How to resolve it.
        fix: String,
    },
    /// Numbers that overflow f64.
    #[error("{what} overflow 64-bit numbers. Make the tokens (radius) or the weights (scale) smaller.")]
    Overflow {
        /// The overflowing quantity.
        what: String,
    },
    /// A value that the format allows but this version cannot measure.
    #[error("`{key}` = \"{value}\" cannot be measured by this version yet. Use one of: {instead}.")]
    NotYet {
        /// The field.
        key: String,
        /// Its value.
        value: String,
        /// The values that can be used.
        instead: String,
    },
    /// A link of another format, or a damaged one.
    #[error("The link cannot be read: {problem}. Copy the whole link again; the page does not show its experiment.")]
    Link {
        /// What is wrong with it.
        problem: String,
    },
    /// A tensor of a model file that is missing or has the wrong form.
    #[error("Tensor `{tensor}` {problem}. Expected: {expected}.")]
    Tensor {
        /// Its name in the file.
        tensor: String,
        /// The problem.
        problem: String,
        /// The form required.
        expected: String,
    },
    /// A file that cannot be parsed.
    #[error("{file} cannot be read: {problem}. {fix}")]
    File {
        /// The file.
        file: String,
        /// The problem.
        problem: String,
        /// How to resolve it.
        fix: String,
    },
}

impl InputError {
    /// A [`InputError::BadValue`] whose `found` is shortened to fit a sentence.
    #[must_use]
    pub fn bad_value(key: impl Into<String>, found: &str, expected: impl Into<String>) -> Self {
        InputError::BadValue { key: key.into(), found: shorten(found), expected: expected.into() }
    }
}

/// A control, and the value to lower it to where one is known.
fn lowered(control: Control, at_most: Option<u64>) -> String {
    match at_most {
        Some(value) => format!("{control} to at most {value}"),
        None => control.to_string(),
    }
}

/// At most 40 characters of a text, with an ellipsis where it was cut.
pub(crate) fn shorten(text: &str) -> String {
    const MOST: usize = 40;
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST + 1).collect();
    if clean.chars().count() > MOST { clean.chars().take(MOST).chain(std::iter::once('…')).collect() } else { clean }
}
