//! The weights of one head from a table for each matrix.

use serde::{Deserialize, Serialize};

use super::table::{Table, TableAnswers, TableReading};
use super::{Head, InputError, Phrase, Rows, WeightSource, limits};
use crate::phrase;

/// A table as it was given: a text, or a file with its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableSource {
    /// The name of a file, for errors.
    pub file: Option<String>,
    /// The content; UTF-8 for a text.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
    /// The author's answers to questions about it.
    pub answers: TableAnswers,
}

/// Weights that were read from tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightsReading {
    /// The weights.
    pub weights: WeightSource,
    /// A line for each table in which something was guessed or dropped.
    pub notes: Vec<Phrase>,
}

/// The tables of one head.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WeightTables {
    /// k x d.
    pub q: TableSource,
    /// k x d.
    pub k: TableSource,
    /// d_v x d; an empty text is the identity.
    pub v: TableSource,
    /// d_out x d_v; an empty text is no output matrix.
    pub output: TableSource,
}

impl WeightTables {
    /// Reads the tables and checks that they fit each other, and tokens of dimension d where some are known.
    ///
    /// # Errors
    /// [`InputError`] that names the table, and for a wrong shape the shapes that it may have.
    pub fn read(&self, d: Option<usize>) -> Result<WeightSource, InputError> {
        self.read_with_notes(d).map(|reading| reading.weights)
    }

    /// Reads the tables as [`WeightTables::read`] does, and returns notes about guessed and dropped parts.
    ///
    /// # Errors
    /// Those of [`WeightTables::read`].
    pub fn read_with_notes(&self, d: Option<usize>) -> Result<WeightsReading, InputError> {
        let mut notes = Vec::new();
        let mut read = |source: &TableSource, table: Table| {
            let reading = source.read(table)?;
            notes.extend(reading.guesses().map(|_| reading.line(table)));
            Ok::<Rows, InputError>(reading.rows)
        };
        let q = read(&self.q, Table::Query)?;
        let d_q = q.n_columns();
        if let Some(d) = d.filter(|d| *d != d_q) {
            let reason = phrase!("takes_tokens_which_have", "it takes the tokens, which have dimension {d}", d = d);
            return Err(wrong_shape(Table::Query, &q, any_rows(d), reason));
        }
        let k = read(&self.k, Table::Key)?;
        if (k.n_rows(), k.n_columns()) != (q.n_rows(), d_q) {
            let reason = phrase!("k_x_j_q", "K x_j and Q x_i can be multiplied");
            return Err(wrong_shape(Table::Key, &k, q.shape(), reason));
        }
        let v = if self.v.is_empty() { identity(d_q)? } else { read(&self.v, Table::Value)? };
        if v.n_columns() != d_q {
            let reason = phrase!("v_takes_same_tokens", "V takes the same tokens as Q");
            return Err(wrong_shape(Table::Value, &v, any_rows(d_q), reason));
        }
        let output = if self.output.is_empty() { None } else { Some(read(&self.output, Table::Output)?) };
        if let Some(output) = output.as_ref().filter(|output| output.n_columns() != v.n_rows()) {
            let reason = phrase!("takes_rows_of_v", "it takes V x, which has {count} numbers", count = v.n_rows());
            return Err(wrong_shape(Table::Output, output, any_rows(v.n_rows()), reason));
        }
        Ok(WeightsReading {
            weights: WeightSource::Explicit { heads: vec![Head { q, k, v, second: None }], shared: Vec::new(), output },
            notes,
        })
    }

    /// The source of a table of weights; `None` for the table of the tokens.
    pub fn source_mut(&mut self, table: Table) -> Option<&mut TableSource> {
        match table {
            Table::Tokens => None,
            Table::Query => Some(&mut self.q),
            Table::Key => Some(&mut self.k),
            Table::Value => Some(&mut self.v),
            Table::Output => Some(&mut self.output),
        }
    }
}

impl TableSource {
    /// A pasted text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        TableSource { bytes: text.as_bytes().to_vec(), ..TableSource::default() }
    }

    /// The bytes of a file.
    #[must_use]
    pub fn file(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        TableSource { file: Some(name.into()), bytes, ..TableSource::default() }
    }

    /// Reads it as a table.
    ///
    /// # Errors
    /// Those of [`Table::read_with`].
    pub fn read(&self, table: Table) -> Result<TableReading, InputError> {
        table.read_with(self.file.as_deref(), &self.bytes, self.answers)
    }

    fn is_empty(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }
}

fn identity(d: usize) -> Result<Rows, InputError> {
    limits::check_weights((d as u64).saturating_mul(d as u64))?;
    let entries = (0..d * d).map(|at| if at / d == at % d { 1.0 } else { 0.0 }).collect();
    Rows::new(Table::Value.name(), d, entries)
}

fn any_rows(d: usize) -> Phrase {
    phrase!("any_rows_of", "any number of rows of {d} numbers", d = d)
}

fn wrong_shape(table: Table, found: &Rows, expected: Phrase, reason: Phrase) -> InputError {
    InputError::Shape { what: table.name(), found: found.shape(), expected, reason }
}
