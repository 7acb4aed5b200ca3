//! What the form holds, and what it does with the workers.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;

use super::folder::Folder;
use super::pool::{Pool, PoolEvent, Source};
use super::remote::Remote;
use super::settings::{PlanForm, SourceForm, SourceKind};
use super::{ModelPhase, Models};
use crate::files::download;
use crate::page::Page;
use crate::strings;
use lipscope_models::{Cell, Estimate, Table};
use lipscope_protocol::message::RunId;
use lipscope_protocol::model_message::{Arriving, ModelFacts, ModelOrigin, ModelReply, ModelRequest, TableForm};

/// The text that comes with the page.
pub(super) const USUAL_TEXT: &str = include_str!("../../assets/attention.txt");
/// How long the form rests before a model is opened anew.
const REST: Duration = Duration::from_millis(300);

/// How far a run is; costs are about proportional to the time that windows take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Rows that are there.
    pub rows: usize,
    /// Rows that the plan has.
    pub total: usize,
    /// Cost of what is measured in this run.
    pub done: f64,
    /// Cost of what was missing.
    pub cost: f64,
    /// When the first rows came, and the cost until then.
    pub first: Option<(f64, f64)>,
    /// When the last rows came.
    pub last: f64,
    /// Workers at it.
    pub workers: usize,
}

/// A text from a file, too long for a form.
#[derive(Clone, Debug, PartialEq)]
pub struct TextFile {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub text: Arc<str>,
}

/// The form and its workers.
#[derive(Clone, Copy)]
pub struct Desk {
    pub(super) page: Page,
    /// Which model.
    pub(super) source: RwSignal<SourceForm>,
    /// Files that were chosen.
    pub(super) given: RwSignal<Option<Folder>, LocalStorage>,
    /// Files that were fetched.
    pub(super) fetched: RwSignal<Option<Folder>, LocalStorage>,
    /// What is known of an address.
    pub(super) remote: RwSignal<Remote>,
    /// The text in the form.
    pub(super) text: RwSignal<String>,
    /// A file in its place.
    pub(super) text_file: RwSignal<Option<TextFile>>,
    /// What is to be measured.
    pub(super) plan: RwSignal<PlanForm>,
    /// The model and the text's tokens.
    pub(super) facts: RwSignal<Option<Arc<ModelFacts>>>,
    /// How far the run is.
    pub(super) progress: RwSignal<Progress>,
    /// What was done, in a sentence.
    pub(super) note: RwSignal<String>,
    pub(super) pool: StoredValue<Pool, LocalStorage>,
    pub(super) fetcher: StoredValue<Option<Pool>, LocalStorage>,
    pub(super) opened: StoredValue<Option<Source>, LocalStorage>,
    pub(super) opening: StoredValue<Option<RunId>>,
    pub(super) is_run_wanted: StoredValue<bool>,
    pub(super) gathered: StoredValue<Vec<(Cell, Estimate)>>,
    pub(super) shelf: StoredValue<Vec<Arc<Table>>>,
    /// The table that is being opened, as far as it is here.
    pub(super) arriving: StoredValue<Option<Arriving>>,
    pub(super) writing: StoredValue<Option<TableForm>>,
    /// The window that is being opened.
    pub(super) window: StoredValue<Option<Cell>>,
    counts: StoredValue<u64>,
}

impl Desk {
    /// A form as it is on a first visit.
    pub fn new(page: Page) -> Self {
        let desk = Desk {
            page,
            source: RwSignal::new(SourceForm::default()),
            given: RwSignal::new_local(None),
            fetched: RwSignal::new_local(None),
            remote: RwSignal::new(Remote::default()),
            text: RwSignal::new(USUAL_TEXT.to_owned()),
            text_file: RwSignal::new(None),
            plan: RwSignal::new(PlanForm::default()),
            facts: RwSignal::new(None),
            progress: RwSignal::new(Progress::default()),
            note: RwSignal::new(String::new()),
            pool: StoredValue::new_local(Pool::new(Rc::new(|_, _| {}))),
            fetcher: StoredValue::new_local(None),
            opened: StoredValue::new_local(None),
            opening: StoredValue::new(None),
            is_run_wanted: StoredValue::new(false),
            gathered: StoredValue::new(Vec::new()),
            shelf: StoredValue::new(Vec::new()),
            arriving: StoredValue::new(None),
            writing: StoredValue::new(None),
            window: StoredValue::new(None),
            counts: StoredValue::new(0),
        };
        let tell = Rc::new(move |id, heard| desk.with_pool(|pool| pool.hear(id, heard)));
        desk.pool.set_value(Pool::new(tell));
        Effect::new(move |_| {
            desk.source.track();
            desk.given.track();
            desk.fetched.track();
            desk.text.track();
            desk.text_file.track();
            desk.facts.set(None);
            // What is still being opened is another model or text.
            desk.opening.set_value(None);
            let count = desk.next_count();
            set_timeout(
                move || {
                    if desk.counts.get_value() == count {
                        desk.open();
                    }
                },
                REST,
            );
        });
        desk
    }

    pub(super) fn models(self) -> Models {
        self.page.models
    }

    pub(super) fn next_count(self) -> u64 {
        self.counts.update_value(|count| *count += 1);
        self.counts.get_value()
    }

    /// Puts a sentence where problems stand.
    pub(super) fn complain(self, problem: impl Into<String>) {
        self.models().problem.set(Some(strings::told(&problem.into())));
    }

    /// The whole text.
    pub(super) fn whole_text(self) -> Arc<str> {
        let file = self.text_file.with_untracked(|file| file.as_ref().map(|file| Arc::clone(&file.text)));
        file.unwrap_or_else(|| self.text.get_untracked().into())
    }

    /// Where the model comes from now; `None` while nothing is chosen.
    pub(super) fn source_now(self) -> Result<Option<Source>, String> {
        let form = self.source.get_untracked();
        let (origin, files) = match form.kind {
            SourceKind::Gpt2 | SourceKind::Bert => (ModelOrigin::Drawn(form.drawn()?), js_sys::Object::new()),
            SourceKind::Files | SourceKind::Address => {
                let folder = match form.kind {
                    SourceKind::Files => self.given.get_untracked(),
                    _ => self.fetched.get_untracked(),
                };
                let Some(folder) = folder else { return Ok(None) };
                (ModelOrigin::Files { name: folder.name.clone() }, folder.files)
            }
        };
        let is_same = |source: &Source| {
            source.origin == origin && (matches!(origin, ModelOrigin::Drawn(_)) || source.files == files)
        };
        let present = self.opened.get_value();
        if let Some(source) = present.as_ref().filter(|source| is_same(source)) {
            return Ok(Some(source.clone()));
        }
        let number = present.map_or(1, |source| source.number + 1);
        let source = Source { number, origin, files };
        self.opened.set_value(Some(source.clone()));
        Ok(Some(source))
    }

    /// Opens what is chosen: the sentence about it and the number of tokens follow.
    pub(super) fn open(self) {
        let source = match self.source_now() {
            Ok(Some(source)) => source,
            // What was said of an address stays: it may have been answered before this.
            Ok(None) => return self.cannot_open(strings::model_not_chosen()),
            Err(problem) => return self.cannot_open(&problem),
        };
        self.models().problem.set(None);
        let text = self.whole_text();
        self.with_pool(|pool| {
            let run_id = pool.next_run();
            self.opening.set_value(Some(run_id));
            let origin = source.origin.clone();
            pool.ask(Some(source), ModelRequest::Open { run_id, origin, text: text.to_string() })
        });
    }

    /// Nothing can be opened: a sentence where a run waits for it, or where a field is wrong.
    fn cannot_open(self, problem: &str) {
        let is_awaited = self.is_run_wanted.get_value();
        self.is_run_wanted.set_value(false);
        if is_awaited {
            self.models().phase.set(ModelPhase::Idle);
        }
        if is_awaited || self.source.with_untracked(|form| form.kind.is_drawn()) {
            self.complain(problem);
        }
    }

    /// Works with the pool, then does what came of it.
    pub(super) fn with_pool(self, work: impl FnOnce(&mut Pool) -> Vec<PoolEvent>) {
        let mut events = Vec::new();
        let _ = self.pool.try_update_value(|pool| events = work(pool));
        for event in events {
            self.hear(event);
        }
    }

    /// A run ends before its end; where there is none, nothing was to be measured.
    pub(super) fn stopped(self) {
        self.is_run_wanted.set_value(false);
        self.opening.set_value(None);
        let has_rows = self.progress.with_untracked(|progress| progress.total > 0);
        self.models().phase.set(if has_rows { ModelPhase::Stopped } else { ModelPhase::Idle });
    }

    fn hear(self, event: PoolEvent) {
        match event {
            PoolEvent::Answer(reply, _) => self.hear_answer(reply),
            PoolEvent::Rows(job, rows) => self.take_rows(&job, rows),
            PoolEvent::Problem(problem) => self.complain(problem),
            PoolEvent::Broken(problem) => {
                self.stopped();
                self.complain(problem);
            }
            PoolEvent::Replaced => self.note.set(strings::model_worker_replaced().into()),
            PoolEvent::LeftOut(n) => self.complain(strings::model_left_out(n)),
            PoolEvent::Lost => {
                self.stopped();
                // Beside what was left out, where that was said.
                let said = self.models().problem.get_untracked().map(|said| said + " ").unwrap_or_default();
                self.complain(said + strings::model_worker_lost());
            }
            PoolEvent::CannotStart => {
                self.pool.update_value(Pool::end);
                self.stopped();
                self.complain(strings::model_cannot_start());
            }
            PoolEvent::Finished => {
                self.flush();
                let is_whole = self.progress.with_untracked(|progress| progress.rows >= progress.total);
                self.models().phase.set(if is_whole { ModelPhase::Done } else { ModelPhase::Stopped });
            }
        }
    }

    fn hear_answer(self, reply: ModelReply) {
        match reply {
            ModelReply::Opened { run_id, facts } if self.opening.get_value() == Some(run_id) => {
                self.opening.set_value(None);
                self.facts.set(Some(Arc::from(facts)));
                if self.is_run_wanted.get_value() {
                    self.is_run_wanted.set_value(false);
                    self.run();
                }
            }
            ModelReply::Adversarial { run_id, table }
                if self.models().adversarial_awaited.get_untracked() == Some(run_id) =>
            {
                self.models().adversarial_awaited.set(None);
                self.models().adversarial.set(Some(Arc::new(table)));
            }
            ModelReply::Parsed { run_id, batch } => self.take_batch(run_id, batch),
            ModelReply::Written { text, .. } => {
                if let Some(form) = self.writing.get_value() {
                    let kind = if form == TableForm::Csv { "text/csv" } else { "application/json" };
                    download(&format!("lipscope-model.{}", form.extension()), kind, &text);
                }
            }
            ModelReply::Window { window, .. } => {
                self.note.set(String::new());
                if let Some(cell) = self.window.get_value() {
                    super::window::take(self, cell, *window);
                }
            }
            ModelReply::Failed { run_id, problem } => {
                self.note.set(String::new());
                if self.models().adversarial_awaited.get_untracked() == Some(run_id) {
                    self.models().adversarial_awaited.set(None);
                }
                if self.opening.get_value() == Some(run_id) {
                    self.opening.set_value(None);
                    self.is_run_wanted.set_value(false);
                    self.models().phase.set(ModelPhase::Idle);
                }
                if self.models().problem.with_untracked(Option::is_none) {
                    self.complain(problem);
                }
            }
            _ => {}
        }
    }
}
