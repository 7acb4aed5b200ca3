//! The special tokens that a model's tokenizer puts around a text, such as \[CLS\] and \[SEP\], and windows with them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::windows::{ids_of_window, window_span};
use lipscope_core::experiment::InputError;

/// In the text column of a table, what separates the fingerprint of the text from the special tokens.
pub(crate) const SPECIAL: char = '+';

/// A token with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecialToken {
    /// Its id.
    pub id: u32,
    /// Its name, such as `[CLS]`.
    pub name: String,
}

/// What stands around the text of every window; nothing, unless it is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecialTokens {
    /// Before the text.
    pub before: Vec<SpecialToken>,
    /// After it.
    pub after: Vec<SpecialToken>,
}

impl SpecialTokens {
    /// How many of a window's tokens they are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.before.len() + self.after.len()
    }

    /// Where the text of window `window` of n tokens, these included, lies in the ids of the whole text.
    #[must_use]
    pub fn text_span(&self, n: usize, window: usize) -> Range<usize> {
        window_span(n.saturating_sub(self.count()), window)
    }

    /// The token ids of window `window` of n tokens, these included.
    ///
    /// # Errors
    /// [`InputError::Conflict`] if the text has no such window.
    pub(crate) fn window(&self, ids: &[u32], n: usize, window: usize) -> Result<Vec<u32>, InputError> {
        let text = ids_of_window(ids, n.saturating_sub(self.count()), window)?;
        let of = |tokens: &[SpecialToken]| tokens.iter().map(|token| token.id).collect::<Vec<_>>();
        Ok([of(&self.before), text.to_vec(), of(&self.after)].concat())
    }

    /// The text column of a table, given that of windows without them: `00ff+101..102` with id 101 before and 102 after
    /// the text.
    #[must_use]
    pub(crate) fn in_column(&self, text: &str) -> String {
        let ids =
            |tokens: &[SpecialToken]| tokens.iter().map(|token| token.id.to_string()).collect::<Vec<_>>().join("+");
        match self.count() {
            0 => text.to_owned(),
            _ => format!("{text}{SPECIAL}{}..{}", ids(&self.before), ids(&self.after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(id: u32) -> SpecialToken {
        SpecialToken { id, name: format!("[{id}]") }
    }

    #[test]
    fn a_window_counts_them_and_takes_less_of_the_text() {
        let ids: Vec<u32> = (0..10).collect();
        let around = SpecialTokens { before: vec![token(101)], after: vec![token(102)] };
        assert_eq!(around.window(&ids, 5, 1).expect("inside"), [101, 3, 4, 5, 102]);
        assert!(around.window(&ids, 5, 3).is_err(), "tokens 9 to 11 of 10");
        assert_eq!(around.in_column("00ff"), "00ff+101..102");
        let none = SpecialTokens::default();
        assert_eq!(none.window(&ids, 5, 1).expect("inside"), [5, 6, 7, 8, 9]);
        assert_eq!(none.in_column("00ff"), "00ff");
        let first = SpecialTokens { before: vec![token(1), token(2)], after: Vec::new() };
        assert_eq!(first.in_column("00ff"), "00ff+1+2..");
    }
}
