//! A table sent in events of up to a thousand rows, so that the page never processes more at a time.

use lipscope_models::{Cell, Estimate, Subject, Table};
use serde::{Deserialize, Serialize};

/// The most rows of a table in one event.
pub const MOST_ROWS: usize = 1000;

/// Some rows of a table, in cell order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableBatch {
    /// What the table is about.
    pub subject: Subject,
    /// [`MOST_ROWS`] at most.
    pub rows: Vec<(Cell, Estimate)>,
    /// The table's notes.
    pub notes: Vec<String>,
    /// How many rows follow these.
    pub left: usize,
}

/// A table that arrives in batches.
#[derive(Clone, Debug, Default)]
pub struct Arriving {
    rows: Vec<(Cell, Estimate)>,
}

impl Arriving {
    /// Adds a batch, and returns the table after the last one.
    pub fn take(&mut self, batch: TableBatch) -> Option<Table> {
        let TableBatch { subject, rows, notes, left } = batch;
        self.rows.reserve(rows.len() + left);
        self.rows.extend(rows);
        let is_whole = left == 0;
        is_whole.then(|| Table { subject, rows: std::mem::take(&mut self.rows).into_iter().collect(), notes })
    }
}
