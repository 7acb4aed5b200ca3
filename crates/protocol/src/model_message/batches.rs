//! A table in messages of a thousand rows, one after the other.

use serde::{Deserialize, Serialize};

use super::ModelReply;
use crate::message::RunId;
use lipscope_models::{Cell, Estimate, Subject, Table};

/// The most rows of a table in one message to the page.
pub const MOST_ROWS: usize = 1000;

/// Some rows of a table, in the order of places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableBatch {
    /// What the table is about.
    pub subject: Subject,
    /// [`MOST_ROWS`] at most.
    pub rows: Vec<(Cell, Estimate)>,
    /// How many rows come after these.
    pub left: usize,
}

/// A table that arrives in batches.
#[derive(Clone, Debug)]
pub struct Arriving {
    run_id: RunId,
    rows: Vec<(Cell, Estimate)>,
}

/// A table that was read, in batches.
pub fn parsed(run_id: RunId, table: Option<Table>) -> impl Iterator<Item = ModelReply> {
    let table = table.filter(|table| !table.rows.is_empty());
    let mut rest = table.map(|table| (table.subject, table.rows.into_iter()));
    let none = rest.is_none().then_some(ModelReply::Parsed { run_id, batch: None });
    let batches = std::iter::from_fn(move || {
        let (subject, rows) = rest.as_mut().filter(|(_, rows)| rows.len() > 0)?;
        let subject = subject.clone();
        let next = rows.by_ref().take(MOST_ROWS).collect();
        Some(ModelReply::Parsed { run_id, batch: Some(TableBatch { subject, rows: next, left: rows.len() }) })
    });
    none.into_iter().chain(batches)
}

impl Arriving {
    /// Nothing yet of the table that a run reads.
    #[must_use]
    pub fn new(run_id: RunId) -> Self {
        Arriving { run_id, rows: Vec::new() }
    }

    /// The run.
    #[must_use]
    pub fn run_id(&self) -> RunId {
        self.run_id
    }

    /// Takes a batch in, and returns the table with the last one.
    pub fn take(&mut self, batch: TableBatch) -> Option<Table> {
        let TableBatch { subject, rows, left } = batch;
        self.rows.reserve(rows.len() + left);
        self.rows.extend(rows);
        let is_whole = left == 0;
        is_whole.then(|| Table { subject, rows: std::mem::take(&mut self.rows).into_iter().collect() })
    }
}
