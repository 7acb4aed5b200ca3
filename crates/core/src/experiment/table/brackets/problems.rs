//! What is wrong with a list in brackets.

use crate::experiment::{InputError, Phrase, Table};
use crate::phrase;

/// What to do with an array of more than two dimensions.
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
