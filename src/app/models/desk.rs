//! What the form holds, and what it does with the workers.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::folder::Folder;
use super::pool::{Job, Pause, Pool, PoolEvent, Source, Task};
use super::remote::Remote;
use super::settings::{PlanForm, SourceForm, SourceKind};
use super::{ModelPhase, Models};
use crate::app::files::download;
use crate::app::frame::now;
use crate::app::page::Page;
use crate::app::strings;
use crate::message::RunId;
use crate::model_message::{ModelFacts, ModelOrigin, ModelReply, ModelRequest, TableForm};
use crate::models::{Estimate, Estimators, MapKind, Place, Plan, PlanText, Shard, Subject, Table, USUAL_TOLERANCE};

/// The text that comes with the page.
pub(super) const USUAL_TEXT: &str = include_str!("../../../assets/attention.txt");
/// How long the form rests before a model is opened anew.
const REST: Duration = Duration::from_millis(300);
/// How long rows are gathered before the figures are drawn with them.
const GATHER: Duration = Duration::from_millis(300);
/// What all workers together may take.
const MOST_BYTES: f64 = 1.1e9;
/// At how many adversarial tokens a head is measured: the lengths of the paper.
const ADVERSARIAL_LENGTHS: &str = "2:98:2";
/// The most workers.
const MOST_WORKERS: usize = 4;

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
    pool: StoredValue<Pool, LocalStorage>,
    pub(super) fetcher: StoredValue<Option<Pool>, LocalStorage>,
    opened: StoredValue<Option<Source>, LocalStorage>,
    opening: StoredValue<Option<RunId>>,
    is_run_wanted: StoredValue<bool>,
    gathered: StoredValue<Vec<(Place, Estimate)>>,
    shelf: StoredValue<Vec<Arc<Table>>>,
    writing: StoredValue<Option<TableForm>>,
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
            writing: StoredValue::new(None),
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

    fn models(self) -> Models {
        self.page.models
    }

    fn next_count(self) -> u64 {
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
    fn open(self) {
        self.models().problem.set(None);
        let source = match self.source_now() {
            Ok(Some(source)) => source,
            Ok(None) => return,
            Err(problem) => return self.complain(problem),
        };
        let text = self.whole_text();
        self.with_pool(|pool| {
            let run_id = pool.next_run();
            self.opening.set_value(Some(run_id));
            let origin = source.origin.clone();
            pool.ask(Some(source), ModelRequest::Open { run_id, origin, text: text.to_string() })
        });
    }

    /// Begins to measure what the plan has and the table has not; as soon as the model is open.
    pub(super) fn run(self) {
        self.note.set(String::new());
        self.models().problem.set(None);
        let Some(facts) = self.facts.get_untracked() else {
            if self.source.with_untracked(|form| form.kind.is_drawn()) || self.opening.get_value().is_some() {
                self.is_run_wanted.set_value(true);
                self.models().phase.set(ModelPhase::Running);
            } else {
                self.complain(strings::model_not_chosen());
            }
            return;
        };
        if let Err(problem) = self.begin(&facts) {
            self.models().phase.set(ModelPhase::Idle);
            self.complain(problem);
        }
    }

    fn begin(self, facts: &ModelFacts) -> Result<(), String> {
        let source = self.source_now()?.ok_or_else(|| strings::model_not_chosen().to_owned())?;
        let words = self.plan.with_untracked(PlanForm::words)?;
        let plan = words.plan(&facts.config).map_err(|problem| problem.to_string())?;
        let checked = plan.check(facts.ids.len()).and_then(|()| {
            let portions = plan.portions(Shard { index: 0, count: 1 });
            plan.needs(&facts.ids, &portions).check(&facts.config).map(|()| portions)
        });
        let portions = checked.map_err(|problem| problem.to_string())?;
        self.take_table(Subject::of(&facts.label, &facts.text, &plan));
        let jobs = self.missing(&plan, portions);
        let total =
            plan.portions(Shard { index: 0, count: 1 }).iter().map(|portion| plan.places(portion).count()).sum();
        let cost = jobs.iter().map(cost).sum();
        let missing: usize = jobs.iter().map(|job| job.wanted.len()).sum();
        let workers = workers_for(&plan, facts).min(jobs.len().max(1));
        self.progress.set(Progress { rows: total - missing, total, cost, workers, ..Progress::default() });
        if jobs.is_empty() {
            self.models().phase.set(ModelPhase::Done);
            return Ok(());
        }
        self.models().phase.set(ModelPhase::Running);
        let ids = needed_ids(facts, &plan);
        self.with_pool(|pool| pool.begin(source, Task { plan: words, ids, jobs }, workers));
        Ok(())
    }

    /// The table of a subject: the one on screen, an earlier one of this visit, or an empty one.
    fn take_table(self, subject: Subject) {
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

    fn missing(self, plan: &Plan, portions: Vec<crate::models::Portion>) -> VecDeque<Job> {
        self.models().table.with_untracked(|table| {
            let is_missing = |place: &Place| table.as_ref().is_none_or(|table| !table.rows.contains_key(place));
            let job = |portion| {
                let wanted: Vec<Place> = plan.places(&portion).filter(is_missing).collect();
                (!wanted.is_empty()).then_some(Job { portion, wanted })
            };
            portions.into_iter().filter_map(job).collect()
        })
    }

    /// No new windows; those under way finish.
    pub(super) fn pause(self) {
        self.models().phase.set(ModelPhase::Paused);
        self.with_pool(|pool| pool.set_paused(Pause::Hold));
    }

    /// On with new windows, or with what is missing after a stop.
    pub(super) fn resume(self) {
        if self.models().phase.get_untracked() != ModelPhase::Paused {
            return self.run();
        }
        // Time that was not measured is none of the run's.
        self.progress.update(|progress| progress.first = None);
        self.models().phase.set(ModelPhase::Running);
        self.with_pool(|pool| pool.set_paused(Pause::GoOn));
    }

    /// Ends the workers at once; rows stay.
    pub(super) fn stop(self) {
        self.is_run_wanted.set_value(false);
        self.pool.update_value(Pool::end);
        self.opening.set_value(None);
        self.models().adversarial_awaited.set(None);
        self.models().phase.set(ModelPhase::Stopped);
        self.flush();
    }

    /// Reads a table of the command line or of this page, and goes on with it.
    pub(super) fn open_table(self, name: String, bytes: Vec<u8>) {
        self.models().problem.set(None);
        self.with_pool(|pool| {
            let run_id = pool.next_run();
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
    pub(super) fn open_window(self, place: Place) {
        match self.window_plan(place) {
            Ok((source, plan, ids)) => {
                self.note.set(strings::model_opening_window().into());
                self.with_pool(|pool| pool.window(source, plan, ids, place));
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

    fn window_plan(self, place: Place) -> Result<(Source, PlanText, Vec<u32>), String> {
        let facts = self.facts.get_untracked().ok_or_else(|| strings::model_not_chosen().to_owned())?;
        let source = self.source_now()?.ok_or_else(|| strings::model_not_chosen().to_owned())?;
        let Some(table) = self.models().table.get_untracked() else { return Err(strings::model_no_table().into()) };
        let words = PlanText {
            layers: place.layer.to_string(),
            heads: place.heads.id(),
            lengths: place.n.to_string(),
            windows: place.window + 1,
            ..PlanForm::of_subject(&table.subject)
        };
        let plan = words.plan(&facts.config).map_err(|problem| problem.to_string())?;
        table
            .check_subject(strings::model_form_name(), &Subject::of(&facts.label, &facts.text, &plan))
            .map_err(|problem| problem.to_string())?;
        Ok((source, words, needed_ids(&facts, &plan)))
    }

    /// Works with the pool, then does what came of it.
    fn with_pool(self, work: impl FnOnce(&mut Pool) -> Vec<PoolEvent>) {
        let mut events = Vec::new();
        let _ = self.pool.try_update_value(|pool| events = work(pool));
        for event in events {
            self.hear(event);
        }
    }

    fn hear(self, event: PoolEvent) {
        match event {
            PoolEvent::Answer(reply, files) => self.hear_answer(reply, &files),
            PoolEvent::Rows(job, rows) => self.take_rows(&job, rows),
            PoolEvent::Problem(problem) => self.complain(problem),
            PoolEvent::Broken(problem) => {
                self.models().phase.set(ModelPhase::Stopped);
                self.complain(problem);
            }
            PoolEvent::Replaced => self.note.set(strings::model_worker_replaced().into()),
            PoolEvent::LeftOut(n) => self.complain(strings::model_left_out(n)),
            PoolEvent::Lost => {
                self.models().phase.set(ModelPhase::Stopped);
                self.complain(strings::model_worker_lost());
            }
            PoolEvent::CannotStart => {
                self.pool.update_value(Pool::end);
                self.models().phase.set(ModelPhase::Stopped);
                self.complain(strings::model_cannot_start());
            }
            PoolEvent::Finished => {
                self.flush();
                let is_whole = self.progress.with_untracked(|progress| progress.rows >= progress.total);
                self.models().phase.set(if is_whole { ModelPhase::Done } else { ModelPhase::Stopped });
            }
        }
    }

    fn hear_answer(self, reply: ModelReply, _files: &JsValue) {
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
            ModelReply::Parsed { table, .. } => self.take_parsed(table),
            ModelReply::Written { text, .. } => {
                if let Some(form) = self.writing.get_value() {
                    let kind = if form == TableForm::Csv { "text/csv" } else { "application/json" };
                    download(&format!("lipscope-model.{}", form.extension()), kind, &text);
                }
            }
            ModelReply::Window { window, .. } => {
                self.note.set(String::new());
                super::window::take(self, *window);
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

    fn take_parsed(self, table: Option<Table>) {
        let Some(table) = table else { return self.complain(strings::model_empty_table()) };
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

    /// Rows are drawn a few times a second, not with every portion.
    fn take_rows(self, job: &Job, rows: Vec<(Place, Estimate)>) {
        self.progress.update(|progress| {
            progress.rows += rows.len();
            progress.done += cost(job);
            progress.last = now();
            progress.first.get_or_insert((progress.last, progress.done));
        });
        let was_empty = self.gathered.with_value(Vec::is_empty);
        self.gathered.update_value(|gathered| gathered.extend(rows));
        if was_empty {
            set_timeout(move || self.flush(), GATHER);
        }
    }

    fn flush(self) {
        let mut rows = Vec::new();
        self.gathered.update_value(|gathered| rows = std::mem::take(gathered));
        if !rows.is_empty() {
            self.models().table.update(|table| {
                if let Some(table) = table {
                    Arc::make_mut(table).rows.extend(rows);
                }
            });
        }
    }
}

/// The ids of the plan's windows.
fn needed_ids(facts: &ModelFacts, plan: &Plan) -> Vec<u32> {
    let needed = plan.longest().saturating_mul(plan.windows).min(facts.ids.len());
    facts.ids[..needed].to_vec()
}

/// About how long windows take, in no unit: their tokens, and as much again for each place.
fn cost(job: &Job) -> f64 {
    (job.portion.n * (job.portion.windows.len() + job.wanted.len())) as f64
}

/// As many as the browser has cores for and the memory allows.
fn workers_for(plan: &Plan, facts: &ModelFacts) -> usize {
    let cores = window().navigator().hardware_concurrency().max(1.0) as usize;
    let by_memory = (MOST_BYTES / plan.bytes(&facts.config)).max(1.0) as usize;
    cores.min(MOST_WORKERS).min(by_memory)
}
