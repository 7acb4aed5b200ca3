//! The weights of one head from a table for each matrix.

use serde::{Deserialize, Serialize};

use super::table::Table;
use super::{Head, InputError, Phrase, Rows, WeightSource, limits};
use crate::phrase;

/// A table as it was given: a text, or a file with its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableSource {
    /// The name of a file, for errors.
    pub file: Option<String>,
    /// UTF-8 for a text.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
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
        let q = self.q.read(Table::Query)?;
        let d_q = q.n_columns();
        if let Some(d) = d.filter(|d| *d != d_q) {
            let reason = phrase!("takes_tokens_which_have", "it takes the tokens, which have dimension {d}", d = d);
            return Err(wrong_shape(Table::Query, &q, any_rows(d), reason));
        }
        let k = self.k.read(Table::Key)?;
        if (k.n_rows(), k.n_columns()) != (q.n_rows(), d_q) {
            let reason = phrase!("k_x_j_q", "K x_j and Q x_i can be multiplied");
            return Err(wrong_shape(Table::Key, &k, q.shape(), reason));
        }
        let v = if self.v.is_empty() { identity(d_q)? } else { self.v.read(Table::Value)? };
        if v.n_columns() != d_q {
            let reason = phrase!("v_takes_same_tokens", "V takes the same tokens as Q");
            return Err(wrong_shape(Table::Value, &v, any_rows(d_q), reason));
        }
        let output = if self.output.is_empty() { None } else { Some(self.output.read(Table::Output)?) };
        if let Some(output) = output.as_ref().filter(|output| output.n_columns() != v.n_rows()) {
            let reason = phrase!("takes_rows_of_v", "it takes V x, which has {count} numbers", count = v.n_rows());
            return Err(wrong_shape(Table::Output, output, any_rows(v.n_rows()), reason));
        }
        Ok(WeightSource::Explicit { heads: vec![Head { q, k, v }], output })
    }
}

impl TableSource {
    /// A pasted text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        TableSource { file: None, bytes: text.as_bytes().to_vec() }
    }

    fn read(&self, table: Table) -> Result<Rows, InputError> {
        table.read(self.file.as_deref(), &self.bytes)
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
