//! Everything that can be wrong with what a person gives us, and what they can do about it.

use thiserror::Error;

use super::{Control, Memory};

/// An input that cannot be used. The text names the field (and row or column) and the fix.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum InputError {
    /// The text is not JSON.
    #[error("This is not valid JSON: {detail}. Check the text there, or export an experiment to see the form.")]
    Json {
        /// What the parser met, with line and column.
        detail: String,
    },
    /// A key that the format does not have.
    #[error("Unknown key `{key}`. Remove it, or use one of: {expected}.")]
    UnknownKey {
        /// The full path of the key.
        key: String,
        /// The keys that are known there.
        expected: String,
    },
    /// A key that must be there is not.
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
        /// What was found, shortened.
        found: String,
        /// What is accepted.
        expected: String,
    },
    /// A row with another number of entries than the first.
    #[error(
        "Row {row} of {what} has {found} numbers, but row 1 has {expected}. Give every row the same number of columns."
    )]
    RaggedRow {
        /// Which table.
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
        /// Which table.
        what: String,
        /// One-based.
        row: usize,
        /// One-based.
        column: usize,
        /// The entry, shortened.
        found: String,
    },
    /// Nothing to read.
    #[error("{what} is empty. Give at least {least}.")]
    Empty {
        /// Which table or file.
        what: String,
        /// The least that is useful.
        least: String,
    },
    /// One token: softmax over one entry is constant, there is nothing to measure against n.
    #[error(
        "There is only one token. Give at least two: with one, attention is the linear map V, whatever the scores."
    )]
    OneToken,
    /// Over a size limit.
    #[error("{what} is {found}, over the limit of {limit}. {fix}")]
    TooLarge {
        /// Which quantity.
        what: String,
        /// Its value.
        found: String,
        /// The limit.
        limit: String,
        /// What to do.
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
        /// Which matrix.
        what: String,
        /// Its shape.
        found: String,
        /// The shape that fits.
        expected: String,
        /// Why.
        reason: String,
    },
    /// The query-key matrix has no real eigenvalue, which the adversarial tokens need.
    #[error(
        "The adversarial tokens need a real eigenvalue of A = K^T Q / sqrt(k), and the first head's A has none. Choose \
         another seed for the weights, or identity weights."
    )]
    NoRealEigenvalue,
    /// Two choices that do not go together.
    #[error("{what} {problem}. {fix}")]
    Conflict {
        /// The field.
        what: String,
        /// Why it cannot be.
        problem: String,
        /// What to do.
        fix: String,
    },
    /// Scores or tokens past the range of f64.
    #[error("{what} overflow 64-bit numbers. Make the tokens (radius) or the weights (scale) smaller.")]
    Overflow {
        /// What overflows.
        what: String,
    },
    /// A form that the format has and this version does not measure yet.
    #[error("`{key}` = \"{value}\" cannot be measured by this version yet. Use one of: {instead}.")]
    NotYet {
        /// The field.
        key: String,
        /// Its value.
        value: String,
        /// What can be used.
        instead: String,
    },
    /// A link that is no link of ours, or not the whole of it.
    #[error("The link cannot be read: {problem}. Copy the whole link again; what is on screen is not what it says.")]
    Link {
        /// What is wrong with it.
        problem: String,
    },
    /// A tensor of a model's file that is missing or not what the model needs.
    #[error("Tensor `{tensor}` {problem}. Expected: {expected}.")]
    Tensor {
        /// Its name in the file.
        tensor: String,
        /// What is wrong with it.
        problem: String,
        /// What it must be.
        expected: String,
    },
    /// A file that is not in a form that can be read.
    #[error("{file} cannot be read: {problem}. {fix}")]
    File {
        /// The file.
        file: String,
        /// Why.
        problem: String,
        /// What to do.
        fix: String,
    },
}

impl InputError {
    /// A value of the wrong kind; `found` is shortened to what fits a sentence.
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
