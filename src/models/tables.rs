//! Tables in and out, and what else is asked of an open model: a window as an experiment, one head at adversarial tokens.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;

use super::desk::Desk;
use super::pool::Source;
use super::running::needed_ids;
use super::settings::PlanForm;
use crate::strings;
use lipscope_models::{Cell, Estimators, MapKind, PlanText, Subject, Table, USUAL_TOLERANCE};
use lipscope_protocol::message::RunId;
use lipscope_protocol::model_message::{Arriving, ModelRequest, TableBatch, TableForm};

/// At how many adversarial tokens a head is measured: the lengths of the paper.
const ADVERSARIAL_LENGTHS: &str = "2:98:2";

impl Desk {
    /// The table of a subject: the one on screen, an earlier one of this visit, or an empty one.
    pub(super) fn take_table(self, subject: Subject) {
        let present = self.models().table.get_untracked();
        if present.as_ref().is_some_and(|table| table.subject == subject) {
            return;
        }
        self.shelf.update_value(|shelf| {
            if let Some(present) = present.filter(|table| !table.rows.is_empty()) {
                shelf.push(present);
            }
            let earlier = shelf.iter().position(|table| table.subject == subject).map(|at| shelf.remove(at));
            self.models().table.set(Some(earlier.unwrap_or_else(|| Arc::new(Table::new(subject)))));
        });
    }

    /// Reads a table of the command line or of this page, and goes on with it. It takes the place of one that is still
    /// arriving.
    pub(super) fn open_table(self, name: String, bytes: Vec<u8>) {
        self.models().problem.set(None);
        self.with_pool(|pool| {
            let run_id = pool.next_run();
            self.arriving.set_value(Some(Arriving::new(run_id)));
            pool.ask(None, ModelRequest::Parse { run_id, name, bytes })
        });
    }

    /// Saves the table.
    pub(super) fn save_table(self, form: TableForm) {
        self.flush();
        let Some(table) = self.models().table.get_untracked() else { return };
        self.writing.set_value(Some(form));
        self.with_pool(|pool| {
            let run_id = pool.next_run();
            pool.ask(None, ModelRequest::Write { run_id, table: table.as_ref().clone(), form })
        });
    }

    /// Asks for a window's tokens and weights.
    pub(super) fn open_window(self, cell: Cell) {
        match self.window_plan(cell) {
            Ok((source, plan, ids)) => {
                self.note.set(strings::model_opening_window().into());
                self.window.set_value(Some(cell));
                self.with_pool(|pool| pool.window(source, plan, ids, cell));
            }
            Err(problem) => self.complain(problem),
        }
    }

    /// Asks for one head at its adversarial tokens: the lengths of the paper, the form's mask, before the output matrix.
    pub(super) fn ask_adversarial(self, layers: String, heads: String, radius: f64) {
        let source = match self.source_now() {
            Ok(Some(source)) => source,
            Ok(None) => return self.complain(strings::model_not_chosen()),
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
            tolerance: USUAL_TOLERANCE,
        };
        self.with_pool(|pool| {
            let run_id = pool.next_run();
            self.models().adversarial_awaited.set(Some(run_id));
            let origin = source.origin.clone();
            pool.ask(Some(source), ModelRequest::Adversarial { run_id, origin, plan, radius })
        });
    }

    fn window_plan(self, cell: Cell) -> Result<(Source, PlanText, Vec<u32>), String> {
        let facts = self.facts.get_untracked().ok_or_else(|| strings::model_not_chosen().to_owned())?;
        let source = self.source_now()?.ok_or_else(|| strings::model_not_chosen().to_owned())?;
        let Some(table) = self.models().table.get_untracked() else { return Err(strings::model_no_table().into()) };
        let words = PlanText {
            layers: cell.layer.to_string(),
            heads: cell.heads.id(),
            lengths: cell.n.to_string(),
            windows: cell.window + 1,
            ..PlanForm::of_subject(&table.subject)
        };
        let plan = words.plan(&facts.config).map_err(|problem| problem.to_string())?;
        table
            .check_subject(strings::model_form_name(), &Subject::of(&facts.label, &facts.text, &plan))
            .map_err(|problem| problem.to_string())?;
        Ok((source, words, needed_ids(&facts, &plan)))
    }

    /// Takes the next rows of the table that is being opened; those of an earlier one are left out.
    pub(super) fn take_batch(self, run_id: RunId, batch: Option<TableBatch>) {
        if !self.awaits_table(run_id) {
            return;
        }
        let Some(batch) = batch else {
            self.arriving.set_value(None);
            return self.complain(strings::model_empty_table());
        };
        let mut whole = None;
        self.arriving.update_value(|arriving| whole = arriving.as_mut().and_then(|arriving| arriving.take(batch)));
        let Some(table) = whole else { return };
        // In a task of its own: with a large table the figures are work enough.
        let take = move || {
            if self.awaits_table(run_id) {
                self.arriving.set_value(None);
                self.take_parsed(table);
            }
        };
        set_timeout(take, Duration::ZERO);
    }

    fn awaits_table(self, run_id: RunId) -> bool {
        self.arriving.with_value(|arriving| arriving.as_ref().is_some_and(|arriving| arriving.run_id() == run_id))
    }

    fn take_parsed(self, table: Table) {
        let rows = table.rows.len();
        self.take_table(table.subject.clone());
        let present = self.models().table.get_untracked();
        let mut whole = present.map_or_else(|| Table::new(table.subject.clone()), |table| table.as_ref().clone());
        match whole.merge(strings::model_file_name(), table) {
            Ok(()) => {
                self.models().table.set(Some(Arc::new(whole)));
                self.note.set(strings::model_table_opened(rows));
            }
            Err(problem) => self.complain(problem.to_string()),
        }
    }
}
