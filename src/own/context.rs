//! The reader's own data: tokens, weights or an experiment, pasted, chosen or dropped.

use std::time::Duration;

use crate::prelude::*;

use lipscope_core::experiment::{Given, Table, TableSource, WeightTables};
use lipscope_protocol::envelope::Content;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, ReadPlan};

use crate::files::{Dropped, read};
use crate::page::{PLACE_OWN, PLACE_OWN_WEIGHTS, Page};
use crate::panels::{Panels, use_panels};
use crate::state::{PageState, WeightChoice, of_page};
use crate::strings;
use crate::workers::{EngineLane, EngineMessage};

use super::table_problem::{TableAnswer, TableProblem};

/// Texts and files up to this many bytes are read without showing a progress line: it would only flash.
const MOST_READ_AT_ONCE: usize = 200_000;

/// The form of own data.
#[derive(Clone, Copy)]
pub struct Own {
    pub(super) page: Page,
    pub(super) panels: Panels,
    /// Whether the reader has own tokens, and has not chosen their weights yet.
    pub(super) are_weights_asked: RwSignal<bool>,
    /// The question about a table, until the reader answers it.
    pub(super) question: RwSignal<Option<TableProblem>>,
}

/// The form of own data, from the context.
pub(super) fn use_own() -> Own {
    expect_context()
}

impl Own {
    /// The form before any data.
    pub fn new(page: Page) -> Self {
        Own { page, panels: use_panels(), are_weights_asked: RwSignal::new(false), question: RwSignal::new(None) }
    }

    /// Takes the reader's data, and has a worker read them.
    pub(super) fn take_given(self, given: TableSource) {
        if given.bytes.len() > MOST_READ_AT_ONCE {
            self.page.answers.own_note.set(strings::reading().into());
        }
        self.read(ReadPlan::Any(given), PLACE_OWN);
    }

    /// Takes the weights of one head, and has a worker read them. They must fit listed tokens. Random tokens take the
    /// dimension of the weights.
    pub(super) fn take_weights(self, tables: WeightTables) {
        let d = self.page.state.with_untracked(PageState::listed_dim);
        self.read(ReadPlan::Weights { tables: Box::new(tables), d }, PLACE_OWN_WEIGHTS);
    }

    /// Takes what was dropped on the page: a file, else a text. The form opens in sight: it may have a question.
    pub(super) fn take_dropped(self, dropped: Dropped) {
        self.panels.controls.set(true);
        self.panels.own.set(true);
        match dropped {
            Dropped::File(file) => read(file, move |name, bytes| self.take_file(name, bytes)),
            Dropped::Text(text) => self.take_given(TableSource::text(&text)),
        }
    }

    /// Takes a file of tokens or an experiment, or says why it cannot be read.
    pub(super) fn take_file(self, name: String, bytes: Result<Vec<u8>, String>) {
        let page = self.page;
        self.panels.own.set(true);
        page.answers.own_note.set(String::new());
        match bytes {
            Ok(bytes) => self.take_given(TableSource::file(name, bytes)),
            Err(sentence) => page.complain(PLACE_OWN, sentence),
        }
    }

    /// Reads the reader's data again, with the answer to the question about them.
    pub(super) fn answer(self, answer: TableAnswer) {
        let Some(asked) = self.question.get_untracked() else { return };
        let place = if asked.table() == Table::Tokens { PLACE_OWN } else { PLACE_OWN_WEIGHTS };
        self.read(asked.answered(answer), place);
    }

    /// Has a worker read data. `place` is where a sentence about a fault stands.
    fn read(self, plan: ReadPlan, place: &'static str) {
        let page = self.page;
        self.question.set(None);
        page.engine.submit(EngineLane::Read, [EnginePlan::Read(plan)], move |plan, message| match (plan, message) {
            (_, EngineMessage::Reply(Content::Event(EngineEvent::Read(given)), _)) => {
                let Some(given) = given.open() else { return };
                // This runs in a task of its own, since unpacking a long list has filled the present one.
                set_timeout(move || self.take(given), Duration::ZERO);
            }
            (EnginePlan::Read(plan), EngineMessage::Reply(Content::Failed(problem), _)) => {
                page.answers.own_note.set(String::new());
                self.question.set(TableProblem::of(plan, &problem));
                page.complain(place, of_page(problem));
            }
            (_, EngineMessage::GaveUp) => page.answers.own_note.set(String::new()),
            _ => {}
        });
    }

    fn take(self, given: Given) {
        let page = self.page;
        let now = page.state.get_untracked();
        let has_weights = !matches!(given, Given::Tokens { .. });
        let (place, state, guesses) = match given {
            Given::Tokens(reading) => {
                let guesses = reading.guesses();
                (PLACE_OWN, Ok(now.with_own_tokens(reading.rows)), guesses.into_iter().collect())
            }
            Given::Experiment(experiment) => (PLACE_OWN, now.with_experiment(*experiment), Vec::new()),
            Given::Weights(reading) => (PLACE_OWN_WEIGHTS, Ok(now.with_weights(reading.weights)), reading.notes),
        };
        let is_taken = page.put(place, state);
        if is_taken {
            // The page asks no question if the reader gave weights earlier.
            let is_chosen = has_weights || page.state.with_untracked(|state| state.weights == WeightChoice::Own);
            self.are_weights_asked.set(!is_chosen);
        }
        let applied = |state: &PageState| strings::applied_with(state, &guesses);
        let note = if is_taken { page.state.with_untracked(applied) } else { String::new() };
        page.answers.own_note.set(note);
    }
}
