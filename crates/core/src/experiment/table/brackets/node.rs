//! Nodes: values and lists read from a text in brackets, and errors about their shape.

use crate::experiment::{InputError, Phrase, Table};
use crate::phrase;

/// A value or a list in a text.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Node {
    /// A number outside of a list of numbers.
    Number(f64),
    /// A list of numbers.
    Numbers(Vec<f64>),
    /// A list of lists.
    List(Vec<Node>),
    /// A quoted text; it is allowed only where no number of the table is expected.
    Text,
    /// Columns with names, of a data frame of R.
    Columns(Vec<Node>),
}

impl Node {
    /// The numbers of a list of numbers, or of a single number.
    pub(super) fn into_numbers(self) -> Option<Vec<f64>> {
        match self {
            Node::Number(x) => Some(vec![x]),
            Node::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }
}

/// The message that says how to reduce an array of more than two dimensions.
pub(in crate::experiment::table) fn one_matrix() -> Phrase {
    phrase!(
        "give_one_matrix",
        "Give one matrix of it, such as `x[0]`, or `x.reshape(-1, x.shape[-1])` where all rows belong together."
    )
}

pub(super) fn broken(table: Table, problem: Phrase) -> InputError {
    InputError::File {
        file: table.name(),
        problem,
        fix: phrase!("copy_whole_list", "Copy one whole list of rows, like [[1, 2], [3, 4]]."),
    }
}

pub(super) fn more_after_list() -> Phrase {
    phrase!("more_after_list", "something follows its last bracket")
}

pub(super) fn no_rows() -> Phrase {
    phrase!("no_list_of_rows", "it is no list of rows of numbers")
}
