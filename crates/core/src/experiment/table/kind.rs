//! What a table is, and how its numbers are written.

use serde::{Deserialize, Serialize};

use crate::experiment::limits::{self, MAX_TOKEN_ENTRIES};
use crate::experiment::{InputError, Phrase};
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

    pub(super) fn check_entries(self, count: usize) -> Result<(), InputError> {
        let too_large = |what: Phrase, limit: usize, fix: Phrase| {
            let found = phrase!("more_than", "more than {limit}", limit = limit);
            Err(InputError::TooLarge { what, found, limit: limit.to_string().into(), fix })
        };
        match self {
            Table::Tokens if count > MAX_TOKEN_ENTRIES => too_large(
                phrase!("n_times_d", "n times d"),
                MAX_TOKEN_ENTRIES,
                phrase!("use_fewer_tokens_fewer", "Use fewer tokens or fewer dimensions."),
            ),
            Table::Tokens => Ok(()),
            _ => limits::check_weights(count as u64),
        }
    }
}

/// A finite number as people and programs write it: `1`, `1.`, `-.5`, `1e-3`, also with the minus sign of typesetting.
pub(super) fn number(text: &str) -> Option<f64> {
    let parsed = if text.is_ascii() { text.parse::<f64>() } else { text.replace('\u{2212}', "-").parse::<f64>() };
    parsed.ok().filter(|x| x.is_finite())
}
