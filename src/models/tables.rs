//! Tables in and out, and other requests to an open model: a window as an experiment, one head at adversarial tokens.

use std::sync::Arc;
use std::time::Duration;

use crate::prelude::*;

use super::running::needed_ids;
use super::session::ModelSession;
use super::settings::PlanForm;
use crate::fault::Fault;
use crate::strings;
use crate::workers::{ModelLane, ModelSource};
use lipscope_core::measure::UpperNumber;
use lipscope_models::{Bounding, Cell, Estimators, MODEL_TOLERANCE, MapKind, PlanText, Subject, Table};
use lipscope_protocol::models::{
    AdversarialRequest, Arriving, ModelPlan, ReadTablePlan, TableBatch, TableForm, WindowPlan, WriteTablePlan,
};

/// The numbers of adversarial tokens at which a head is measured: the lengths of the paper.
const ADVERSARIAL_LENGTHS: &str = "2:98:2";

impl ModelSession {
    /// Shows a table with the subject of `empty`: the present table, else an earlier one of this visit, else an empty
    /// one. Adds the notes of `empty` to it.
    pub(super) fn take_table(self, empty: Table) {
        let Table { subject, notes, .. } = empty;
        self.show_table(subject);
        if notes.is_empty() {
            return;
        }
        self.models().table.update(|table| {
            if let Some(table) = table {
                Arc::make_mut(table).add_notes(notes);
            }
        });
    }

    /// As [`Models::show_table`](super::context::Models::show_table), without the change that was asked for at the table
    /// before.
    pub(super) fn show_table(self, subject: Subject) {
        self.choices_of_table.set(self.choices.get_untracked());
        let present = self.models().table.get_untracked();
        if present.as_ref().is_some_and(|table| table.subject == subject) {
            return;
        }
        self.forget_change();
        self.models().show_table(subject);
    }

    /// Reads a table that the command line or this page has saved, so that a run can continue it. This table replaces
    /// one that is still arriving.
    pub(super) fn open_table(self, name: String, bytes: Vec<u8>) {
        self.models().problem.set(None);
        self.arriving.set_value(Some(Arriving::default()));
        self.submit(ModelLane::ReadTable, None, ModelPlan::ReadTable(ReadTablePlan { name, bytes }));
    }

    /// Saves the table.
    pub(super) fn save_table(self, form: TableForm) {
        self.flush();
        let Some(table) = self.models().table.get_untracked() else { return };
        let plan = WriteTablePlan { table: table.as_ref().clone(), form };
        self.submit(ModelLane::WriteTable, None, ModelPlan::WriteTable(plan));
    }

    /// Asks for a window's tokens and weights.
    pub(super) fn open_window(self, cell: Cell) {
        match self.window_plan(cell) {
            Ok((source, plan, ids)) => {
                // The two share a lane.
                self.models().is_change_awaited.set(false);
                self.note.set(strings::model_opening_window().into());
                let plan = WindowPlan { origin: source.origin.clone(), plan, ids, cell };
                self.submit(ModelLane::Window, Some(source), ModelPlan::Window(plan));
            }
            Err(problem) => self.complain(problem),
        }
    }

    /// Drops the worst change, and the search for it: it is one at the tokens of one model and one table.
    pub(super) fn forget_change(self) {
        let models = self.models();
        if models.is_change_awaited.get_untracked() {
            self.cancel(ModelLane::Window);
            models.is_change_awaited.set(false);
        }
        models.change.set(None);
    }

    /// Asks for the worst change at a window.
    pub(super) fn ask_change(self, cell: Cell) {
        match self.window_plan(cell) {
            Ok((source, plan, ids)) => {
                let plan = WindowPlan { origin: source.origin.clone(), plan, ids, cell };
                self.forget_change();
                self.models().problem.set(None);
                self.note.set(String::new());
                self.models().is_change_awaited.set(true);
                self.submit(ModelLane::Window, Some(source), ModelPlan::Change(plan));
            }
            Err(problem) => self.complain(problem),
        }
    }

    /// Asks for the norms of one head at its adversarial tokens, at the lengths of the paper and with the form's mask.
    /// The map that is measured ends before the output matrix.
    pub(super) fn ask_adversarial(self, layers: String, heads: String, radius: f64) {
        let source = match self.source_now() {
            Ok(source) => source,
            Err(problem) => return self.complain(problem),
        };
        self.models().problem.set(None);
        let plan = PlanText {
            layers,
            heads,
            lengths: ADVERSARIAL_LENGTHS.into(),
            windows: 1,
            mask: self.plan.with_untracked(|plan| plan.mask),
            kind: Some(MapKind::Attention),
            estimators: Estimators::Both,
            tolerance: MODEL_TOLERANCE,
            bounds: Bounding::Skipped,
            upper: UpperNumber::Skipped,
            statistics: Default::default(),
            special: Default::default(),
        };
        self.models().adversarial_awaited.set(true);
        let request = AdversarialRequest { origin: source.origin.clone(), plan, radius };
        self.submit(ModelLane::Adversarial, Some(source), ModelPlan::Adversarial(request));
    }

    fn window_plan(self, cell: Cell) -> Result<(ModelSource, PlanText, Vec<u32>), Fault> {
        let facts = self.facts.get_untracked().ok_or(Fault::NoModel)?;
        let source = self.source_now()?;
        let Some(table) = self.models().table.get_untracked() else { return Err(Fault::NoTable) };
        let words = PlanText {
            layers: cell.layer.to_string(),
            heads: cell.heads.id(),
            lengths: cell.n.to_string(),
            windows: cell.window + 1,
            special: self.special_of_table(),
            ..PlanForm::of_subject(&table.subject)
        };
        let plan = words.plan(&facts.config)?;
        table.check_subject(strings::model_form_name(), &Subject::of(&facts.label, &facts.text, &plan))?;
        Ok((source, words, needed_ids(&facts, &plan)))
    }

    /// Adds the next rows of the table that is being opened.
    pub(super) fn take_batch(self, batch: Option<TableBatch>) {
        let Some(batch) = batch else {
            self.arriving.set_value(None);
            return self.complain(strings::model_empty_table());
        };
        let mut whole = None;
        self.arriving.update_value(|arriving| whole = arriving.as_mut().and_then(|arriving| arriving.take(batch)));
        let Some(table) = whole else { return };
        self.arriving.set_value(None);
        // This runs in a task of its own, since drawing the figures of a large table fills one.
        let take = move || {
            // Another table may be arriving by now, and replaces this one.
            if self.arriving.with_value(Option::is_none) {
                self.take_parsed(table);
            }
        };
        set_timeout(take, Duration::ZERO);
    }

    fn take_parsed(self, table: Table) {
        let rows = table.rows.len();
        self.show_table(table.subject.clone());
        let present = self.models().table.get_untracked();
        let mut whole = present.map_or_else(|| Table::new(table.subject.clone()), |table| table.as_ref().clone());
        match whole.merge(strings::model_file_name(), table) {
            Ok(()) => {
                let spoken = std::iter::once(strings::model_table_opened(rows))
                    .chain(whole.notes.iter().map(|note| strings::code_in_quotes(note)));
                self.note.set(spoken.collect::<Vec<_>>().join(" "));
                self.models().table.set(Some(Arc::new(whole)));
            }
            Err(problem) => self.complain(problem),
        }
    }
}
