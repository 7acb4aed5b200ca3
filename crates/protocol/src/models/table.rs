//! Reads tables of results from files and writes them to files. A table that was read travels to the page in several
//! events, each with some of its rows.

use lipscope_core::experiment::InputError;
use lipscope_models::{Cell, Estimate, Subject, Table, whole_text};
use serde::{Deserialize, Serialize};

use super::ModelContext;
use crate::task::{Poll, Report, Task};

/// A table file that was written earlier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadTablePlan {
    /// Its name.
    pub name: String,
    /// The content of the file.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// The form of a table's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableForm {
    /// One window a line, with a header.
    Csv,
    /// One object with the windows and the fitted slopes.
    Json,
}

/// A table to write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WriteTablePlan {
    /// The table.
    pub table: Table,
    /// The form of its file.
    pub form: TableForm,
}

/// Reads the whole file in one step, then sends its rows, a batch a step. The event is `None` where the file has no
/// row.
#[derive(Debug)]
pub struct ReadTableTask {
    subject: Option<Subject>,
    notes: Vec<String>,
    rows: std::vec::IntoIter<(Cell, Estimate)>,
}

/// Writes the table in one step; the event is the file's text.
#[derive(Debug)]
pub struct WriteTableTask(WriteTablePlan);

impl Task<ModelContext> for ReadTableTask {
    type Plan = ReadTablePlan;
    type Event = Option<TableBatch>;

    fn start(plan: ReadTablePlan, _: &mut ModelContext) -> Result<Self, InputError> {
        let table = Table::parse(&plan.name, &whole_text(&plan.name, &mut &plan.bytes[..])?)?;
        let Some(table) = table.filter(|table| !table.rows.is_empty()) else {
            return Ok(ReadTableTask { subject: None, notes: Vec::new(), rows: Vec::new().into_iter() });
        };
        let rows: Vec<(Cell, Estimate)> = table.rows.into_iter().collect();
        Ok(ReadTableTask { subject: Some(table.subject), notes: table.notes, rows: rows.into_iter() })
    }

    fn step(&mut self, _: &mut ModelContext, report: &mut Report<'_, Option<TableBatch>>) -> Result<Poll, InputError> {
        let Some(subject) = &self.subject else {
            report.event(None);
            return Ok(Poll::Done);
        };
        let rows = self.rows.by_ref().take(MOST_ROWS).collect();
        report.event(Some(TableBatch {
            subject: subject.clone(),
            rows,
            notes: self.notes.clone(),
            left: self.rows.len(),
        }));
        Ok(if self.rows.len() > 0 { Poll::More } else { Poll::Done })
    }
}

impl Task<ModelContext> for WriteTableTask {
    type Plan = WriteTablePlan;
    type Event = String;

    fn start(plan: WriteTablePlan, _: &mut ModelContext) -> Result<Self, InputError> {
        Ok(WriteTableTask(plan))
    }

    fn step(&mut self, _: &mut ModelContext, report: &mut Report<'_, String>) -> Result<Poll, InputError> {
        let WriteTablePlan { table, form } = &self.0;
        report.event(match form {
            TableForm::Csv => table.to_csv()?,
            TableForm::Json => table.to_value().to_string() + "\n",
        });
        Ok(Poll::Done)
    }
}

impl TableForm {
    /// The extension of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            TableForm::Csv => "csv",
            TableForm::Json => "json",
        }
    }
}

/// The most rows of a table in one event, so that the page never processes more at a time.
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
