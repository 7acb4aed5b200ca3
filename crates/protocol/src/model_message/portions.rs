//! A table in messages of a thousand rows, one after the other.

use serde::{Deserialize, Serialize};

use super::ModelReply;
use crate::message::RunId;
use lipscope_models::{Estimate, Place, Subject, Table};

/// The most rows of a table in one message to the page.
pub const MOST_ROWS: usize = 1000;

/// Some rows of a table, in the order of places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TablePortion {
    /// What the table is about.
    pub subject: Subject,
    /// [`MOST_ROWS`] at most.
    pub rows: Vec<(Place, Estimate)>,
    /// How many rows come after these.
    pub left: usize,
}

/// A table that arrives in portions.
#[derive(Clone, Debug)]
pub struct Arriving {
    run_id: RunId,
    rows: Vec<(Place, Estimate)>,
}

/// A table that was read, in portions.
pub fn parsed(run_id: RunId, table: Option<Table>) -> impl Iterator<Item = ModelReply> {
    let table = table.filter(|table| !table.rows.is_empty());
    let mut rest = table.map(|table| (table.subject, table.rows.into_iter()));
    let none = rest.is_none().then_some(ModelReply::Parsed { run_id, portion: None });
    let portions = std::iter::from_fn(move || {
        let (subject, rows) = rest.as_mut().filter(|(_, rows)| rows.len() > 0)?;
        let subject = subject.clone();
        let next = rows.by_ref().take(MOST_ROWS).collect();
        Some(ModelReply::Parsed { run_id, portion: Some(TablePortion { subject, rows: next, left: rows.len() }) })
    });
    none.into_iter().chain(portions)
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

    /// Takes a portion in, and returns the table with the last one.
    pub fn take(&mut self, portion: TablePortion) -> Option<Table> {
        let TablePortion { subject, rows, left } = portion;
        self.rows.reserve(rows.len() + left);
        self.rows.extend(rows);
        let is_whole = left == 0;
        is_whole.then(|| Table { subject, rows: std::mem::take(&mut self.rows).into_iter().collect() })
    }
}
