//! A table that was read, with the parts that the code guessed or dropped.

use serde::{Deserialize, Serialize};

use crate::experiment::{Phrase, Rows, Table};
use crate::phrase;

/// A table that was read, with notes for the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableReading {
    /// The numbers.
    pub rows: Rows,
    /// What was dropped, such as "header (x, y)".
    pub dropped: Vec<Phrase>,
    /// What was guessed about the rest, such as "decimal commas".
    pub guessed: Vec<Phrase>,
}

impl TableReading {
    /// What was dropped and guessed, as one phrase; `None` where nothing was.
    #[must_use]
    pub fn guesses(&self) -> Option<Phrase> {
        match (joined(&self.dropped), joined(&self.guessed)) {
            (None, None) => None,
            (Some(dropped), None) => Some(phrase!("dropped_parts", "dropped: {parts}", parts = dropped)),
            (None, Some(guessed)) => Some(phrase!("guessed_parts", "read with: {parts}", parts = guessed)),
            (Some(dropped), Some(guessed)) => Some(phrase!(
                "dropped_and_guessed",
                "dropped: {dropped}; read with: {guessed}",
                dropped = dropped,
                guessed = guessed
            )),
        }
    }

    /// A summary of shape and notes, such as "read as 3 tokens in 2 dimensions; dropped: header (x, y)".
    #[must_use]
    pub fn line(&self, table: Table) -> Phrase {
        let (n, d) = (self.rows.n_rows(), self.rows.n_columns());
        let shape = match (table, d) {
            (Table::Tokens, 1) => phrase!("read_as_tokens_on_line", "read as {n} tokens in 1 dimension", n = n),
            (Table::Tokens, _) => phrase!("read_as_tokens", "read as {n} tokens in {d} dimensions", n = n, d = d),
            _ => phrase!("read_as_matrix", "{what} read as {shape}", what = table.name(), shape = self.rows.shape()),
        };
        match self.guesses() {
            Some(guesses) => phrase!("shape_and_guesses", "{shape}; {guesses}", shape = shape, guesses = guesses),
            None => shape,
        }
    }
}

/// Notes that are collected until the numbers of a text are known.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) dropped: Vec<Phrase>,
    pub(super) guessed: Vec<Phrase>,
    /// Number of columns of text that were dropped.
    pub(super) columns_of_text: usize,
}

impl Notes {
    /// Notes a part that was dropped, once.
    pub(super) fn drop(&mut self, part: Phrase) {
        if !self.dropped.contains(&part) {
            self.dropped.push(part);
        }
    }

    /// Notes what was guessed, once.
    pub(super) fn guess(&mut self, guess: Phrase) {
        if !self.guessed.contains(&guess) {
            self.guessed.push(guess);
        }
    }

    /// Appends notes taken later.
    pub(super) fn append(&mut self, later: Notes) {
        later.dropped.into_iter().for_each(|part| self.drop(part));
        later.guessed.into_iter().for_each(|guess| self.guess(guess));
        self.columns_of_text = later.columns_of_text;
    }

    pub(super) fn with(self, rows: Rows) -> TableReading {
        TableReading { rows, dropped: self.dropped, guessed: self.guessed }
    }
}

/// The parts in one list; `None` for none.
fn joined(parts: &[Phrase]) -> Option<Phrase> {
    let (last, others) = parts.split_last()?;
    let pair =
        |rest: Phrase, first: &Phrase| phrase!("part_and_rest", "{first}, {rest}", first = first.clone(), rest = rest);
    Some(others.iter().rev().fold(last.clone(), pair))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_the_shape_and_what_was_dropped_and_guessed() {
        let rows = Rows::new("rows", 2, vec![1.0, 2.0, 3.0, 4.0]).expect("two rows");
        let mut notes = Notes::default();
        assert_eq!(
            Notes::default().with(rows.clone()).line(Table::Tokens).to_string(),
            "read as 2 tokens in 2 dimensions"
        );
        notes.drop("a".into());
        notes.drop("b".into());
        notes.drop("a".into());
        notes.guess("c".into());
        let reading = notes.with(rows);
        assert_eq!(reading.line(Table::Key).to_string(), "K read as 2 x 2; dropped: a, b; read with: c");
    }
}
