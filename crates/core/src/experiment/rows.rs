//! A validated matrix stored by rows: rows of equal length, all entries finite.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer, ser::SerializeSeq};

use super::InputError;
use super::Phrase;
use crate::phrase;

/// A matrix stored by rows, with at least one row and one column and only finite entries. Clones share the entries.
#[derive(Clone, Debug)]
pub struct Rows {
    n_columns: usize,
    entries: Arc<Vec<f64>>,
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        self.n_columns == other.n_columns
            // Every finite number equals itself, so shared entries need no comparison.
            && (Arc::ptr_eq(&self.entries, &other.entries) || self.entries == other.entries)
    }
}

impl Eq for Rows {}

impl Rows {
    /// From the entries, row by row. `what` names the table in errors.
    ///
    /// # Errors
    /// [`InputError::Empty`], [`InputError::Shape`] or [`InputError::NotANumber`].
    pub fn new(what: impl Into<Phrase>, n_columns: usize, entries: Vec<f64>) -> Result<Self, InputError> {
        if entries.is_empty() || n_columns == 0 {
            return Err(InputError::Empty {
                what: what.into(),
                least: phrase!("one_row_one_number", "one row of one number"),
            });
        }
        if !entries.len().is_multiple_of(n_columns) {
            return Err(InputError::Shape {
                what: what.into(),
                found: phrase!("count_of_numbers", "{count} numbers", count = entries.len()),
                expected: phrase!("multiple", "a multiple of {count}", count = n_columns),
                reason: phrase!("every_row_full", "every row is full"),
            });
        }
        if let Some(at) = entries.iter().position(|x| !x.is_finite()) {
            return Err(InputError::NotANumber {
                what: what.into(),
                row: at / n_columns + 1,
                column: at % n_columns + 1,
                found: entries[at].to_string().into(),
            });
        }
        Ok(Rows { n_columns, entries: Arc::new(entries) })
    }

    /// From a list of rows. `what` names the table in errors.
    ///
    /// # Errors
    /// As [`Rows::new`], and [`InputError::RaggedRow`].
    pub fn from_lists(what: impl Into<Phrase>, lists: &[impl AsRef<[f64]>]) -> Result<Self, InputError> {
        let lists = || lists.iter().map(AsRef::as_ref);
        let n_columns = lists().next().map_or(0, <[f64]>::len);
        // Room for the given entries alone: rows times the length of the first row could be far more.
        let mut entries = Vec::with_capacity(lists().map(<[f64]>::len).sum());
        for (row_idx, list) in lists().enumerate() {
            if list.len() != n_columns {
                return Err(InputError::RaggedRow {
                    what: what.into(),
                    row: row_idx + 1,
                    found: list.len(),
                    expected: n_columns,
                });
            }
            entries.extend_from_slice(list);
        }
        Rows::new(what, n_columns, entries)
    }

    /// Number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.entries.len() / self.n_columns
    }

    /// Number of columns.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// The entries, row by row.
    #[must_use]
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// The rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.entries.chunks_exact(self.n_columns)
    }

    /// Its shape as text, such as "3 x 2".
    #[must_use]
    pub fn shape(&self) -> Phrase {
        phrase!("shape", "{rows} x {columns}", rows = self.n_rows(), columns = self.n_columns)
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.n_rows()))?;
        for row in self.iter() {
            rows.serialize_element(row)?;
        }
        rows.end()
    }
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let lists = Vec::<Vec<f64>>::deserialize(deserializer)?;
        Rows::from_lists(phrase!("matrix", "the matrix"), &lists).map_err(serde::de::Error::custom)
    }
}
