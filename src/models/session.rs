//! The values of the form, and its work with the workers.

use std::sync::Arc;
use std::time::Duration;

use crate::prelude::*;

use super::context::Models;
use super::folder::{Folder, ModelFile, Remote};
use super::settings::{PlanForm, SourceForm, SourceKind, default_lengths_within};
use super::share::Share;
use crate::answers::TokenWords;
use crate::controls::TextFile;
use crate::fault::Fault;
use crate::files::download;
use crate::frame::Debounce;
use crate::page::{Page, PlotChoice};
use crate::phase::ModelPhase;
use crate::strings;
use crate::strings::Message;
use crate::workers::{ModelLane, ModelSource, ModelWorkers, PoolMessage};
use lipscope_core::experiment::Phrase;
use lipscope_models::{Cell, Estimate, Held, PlanText, SpecialToken, SpecialTokens, Subject, WindowExperiment};
use lipscope_protocol::envelope::{Content, Progress as Steps};
use lipscope_protocol::models::{
    Arriving, BatchEvent, BatchPlan, LayersEvent, LayersPlan, ModelEvent, ModelFacts, ModelOrigin, ModelPlan,
    ModelTasks, OpenPlan, TableForm,
};
use lipscope_protocol::pool::{Order, PoolEvent, Spare};

/// The URL of the models' worker, beside the page.
const WORKER_URL: &str = "./model_worker_loader.js";
/// The text that comes with the page.
pub(super) const DEFAULT_TEXT: &str = include_str!("../../assets/attention.txt");
/// The middle layer of the random model that the form begins with.
const FIRST_LAYER: &str = "6";
/// How long the form rests before a model is opened anew.
const REST: Duration = Duration::from_millis(300);

/// The progress of a run. Costs are about proportional to the time that windows take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Rows that have arrived.
    pub rows: usize,
    /// Rows that the plan has.
    pub total: usize,
    /// Cost of the rows that this run has measured.
    pub done: f64,
    /// Cost of the rows that were missing when the run began.
    pub cost: f64,
    /// When the first rows since the start or the last resumption arrived, and the value of `done` then.
    pub first: Option<(f64, f64)>,
    /// When the last rows arrived.
    pub last: f64,
    /// Number of workers.
    pub workers: usize,
    /// What a worker has last told of, with when the page took note of it.
    pub at: Option<(f64, At)>,
    /// Whether all windows are measured by one worker, layer by layer.
    pub held: Held,
}

/// How far a worker is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum At {
    /// With a batch of windows.
    Window {
        /// Tokens of the batch's longest window.
        n: usize,
        /// Layers that it has passed, of how many; or steps of an iteration, of which no number is known beforehand.
        progress: Steps,
    },
    /// It reads a layer.
    Reading {
        /// Which, from 0.
        layer: usize,
        /// How many layers the run needs.
        of: usize,
        /// Bytes of the model's files that have been read so far.
        bytes: u64,
    },
}

/// The form and its workers.
#[derive(Clone, Copy)]
pub struct ModelSession {
    pub(super) page: Page,
    models: Models,
    /// The choice of a model.
    pub(super) source: RwSignal<SourceForm>,
    /// Files that the reader chose.
    pub(super) given: RwSignal<Option<Folder>, LocalStorage>,
    /// Files that the page fetched.
    pub(super) fetched: RwSignal<Option<Folder>, LocalStorage>,
    /// What will stay at the address when the files that are being fetched have arrived.
    pub(super) there: StoredValue<Vec<(String, ModelFile)>, LocalStorage>,
    /// The state of the address.
    pub(super) remote: RwSignal<Remote>,
    /// The text in the form.
    pub(super) text: RwSignal<String>,
    /// A text file in place of the text.
    pub(super) text_file: RwSignal<Option<TextFile>>,
    /// The text that was taken last, with notes on how it was decoded. They hold until the reader edits it.
    pub(super) decoded: StoredValue<(Arc<str>, Vec<Phrase>)>,
    /// The plan of the measurement.
    pub(super) plan: RwSignal<PlanForm>,
    /// The model and the text's tokens.
    pub(super) facts: RwSignal<Option<Arc<ModelFacts>>>,
    /// The middle layer of the model that was opened last. It is measured where the reader has named no layer.
    pub(super) middle_layer: Memo<String>,
    /// How often the reader has chosen a model or a text.
    pub(super) choices: RwSignal<u64>,
    /// The value of `choices` when the table on screen was asked for.
    pub(super) choices_of_table: RwSignal<u64>,
    /// How far the run is.
    pub(super) progress: RwSignal<Progress>,
    /// What the page has done, in a sentence.
    pub(super) note: RwSignal<String>,
    workers: StoredValue<Option<ModelWorkers>, LocalStorage>,
    pub(super) opened: StoredValue<Option<ModelSource>, LocalStorage>,
    /// Whether a worker of the run has loaded the model.
    pub(super) is_prepared: StoredValue<bool>,
    pub(super) is_run_wanted: StoredValue<bool>,
    pub(super) gathered: StoredValue<Vec<(Cell, Estimate)>>,
    /// The table that is being opened, as far as it has arrived.
    pub(super) arriving: StoredValue<Option<Arriving>>,
    /// Lengths and windows of the plan for texts, and those that stand for a model of pictures instead.
    fitted: StoredValue<Option<([String; 2], [String; 2])>>,
    /// Opens the model when the form rests.
    pub(super) opening: Debounce,
}

impl ModelSession {
    /// A form as it is on a first visit.
    pub fn new(models: Models) -> Self {
        let facts = RwSignal::new(None::<Arc<ModelFacts>>);
        // While another model or text is opening, the field keeps what it shows.
        let middle_layer = memo(move |last: Option<&String>| {
            let opened = facts.with(|facts| facts.as_ref().map(|facts| (facts.config.layers / 2).to_string()));
            opened.unwrap_or_else(|| last.map_or(FIRST_LAYER, String::as_str).to_owned())
        });
        let session = ModelSession {
            page: models.page,
            models,
            source: RwSignal::new(SourceForm::default()),
            given: RwSignal::new_local(None),
            fetched: RwSignal::new_local(None),
            there: StoredValue::new_local(Vec::new()),
            remote: RwSignal::new(Remote::default()),
            text: RwSignal::new(DEFAULT_TEXT.to_owned()),
            text_file: RwSignal::new(None),
            decoded: StoredValue::new(("".into(), Vec::new())),
            plan: RwSignal::new(PlanForm::default()),
            facts,
            middle_layer,
            choices: RwSignal::new(0),
            choices_of_table: RwSignal::new(0),
            progress: RwSignal::new(Progress::default()),
            note: RwSignal::new(String::new()),
            workers: StoredValue::new_local(None),
            opened: StoredValue::new_local(None),
            is_prepared: StoredValue::new(false),
            is_run_wanted: StoredValue::new(false),
            gathered: StoredValue::new(Vec::new()),
            arriving: StoredValue::new(None),
            fitted: StoredValue::new(None),
            opening: Debounce::default(),
        };
        let workers = ModelWorkers::new(WORKER_URL, Spare::None, move |message| session.on_event(message));
        session.workers.set_value(Some(workers));
        effect(move |_| {
            session.source.track();
            session.given.track();
            session.fetched.track();
            session.text.track();
            session.text_file.track();
            session.facts.set(None);
            session.choices.update(|choices| *choices += 1);
            session.forget_change();
            // Another model or text may still be opening.
            session.cancel(ModelLane::Open);
            session.opening.after(REST, move || session.open());
        });
        session
    }

    pub(super) fn models(self) -> Models {
        self.models
    }

    /// The layers to measure: those that the reader named, else the middle one.
    pub(super) fn layers(self) -> String {
        self.plan.with(|plan| plan.layers.clone()).unwrap_or_else(|| self.middle_layer.get())
    }

    /// The plan of the form as text.
    ///
    /// # Errors
    /// [`Fault`] about the number of windows.
    pub(super) fn plan_text(self) -> Result<PlanText, Fault> {
        let special = self.facts.with_untracked(|facts| facts.as_ref().map(|facts| facts.special.clone()));
        let special = special.unwrap_or_default();
        self.middle_layer.with_untracked(|middle| self.plan.with_untracked(|plan| plan.words(middle, &special)))
    }

    /// Whether a table belongs to another model or text than those in the form, which the reader has changed since.
    pub(super) fn is_of_another_choice(self, subject: &Subject) -> bool {
        self.choices.get() != self.choices_of_table.get() && !self.is_in_form(subject)
    }

    /// Whether the model and the text of a table are those in the form. Adversarial tokens belong to no text.
    pub(super) fn is_in_form(self, subject: &Subject) -> bool {
        self.facts.with(|facts| {
            let has_text = |text: &String| subject.adversarial_radius().is_some() || *text == subject.text;
            facts.as_ref().is_some_and(|facts| facts.label == subject.model && has_text(&facts.text))
        })
    }

    /// Shows a sentence where the form shows problems.
    pub(super) fn complain(self, problem: impl Into<Message>) {
        self.models().problem.set(Some(strings::message(&problem.into())));
    }

    /// The text to measure: that of the file, else that of the form.
    pub(super) fn whole_text(self) -> Arc<str> {
        let file = self.text_file.with_untracked(|file| file.as_ref().map(|file| Arc::clone(&file.text)));
        file.unwrap_or_else(|| self.text.get_untracked().into())
    }

    /// The present source of the model.
    ///
    /// # Errors
    /// [`Fault`]: a field has no usable number, or no model is chosen yet.
    pub(super) fn source_now(self) -> Result<ModelSource, Fault> {
        let form = self.source.get_untracked();
        let (origin, files) = match form.kind.family() {
            Some(family) => (ModelOrigin::Drawn(form.drawn(family)?), js_sys::Object::new()),
            None => {
                let folder = match form.kind {
                    SourceKind::Files => self.given.get_untracked(),
                    _ => self.fetched.get_untracked(),
                };
                let folder = folder.ok_or(Fault::NoModel)?;
                (ModelOrigin::Files { name: folder.name.clone(), resizing: form.resizing }, folder.files)
            }
        };
        let is_same = |source: &ModelSource| {
            source.origin == origin && (matches!(origin, ModelOrigin::Drawn(_)) || source.files == files)
        };
        let present = self.opened.get_value();
        if let Some(source) = present.as_ref().filter(|source| is_same(source)) {
            return Ok(source.clone());
        }
        let number = present.map_or(1, |source| source.number + 1);
        let source = ModelSource { number, origin, files };
        self.opened.set_value(Some(source.clone()));
        Ok(source)
    }

    /// Opens the chosen model. The sentence about it and the number of tokens arrive later.
    pub(super) fn open(self) {
        let source = match self.source_now() {
            Ok(source) => source,
            // This leaves the status line of an address as it is: the server may have answered already.
            Err(problem) => return self.cannot_open(problem),
        };
        self.models().problem.set(None);
        let text = self.whole_text();
        let notes = self.decoded.with_value(|(taken, notes)| if *taken == text { notes.clone() } else { Vec::new() });
        let plan = OpenPlan { origin: source.origin.clone(), text: text.to_string(), notes };
        self.submit(ModelLane::Open, Some(source), ModelPlan::Open(plan));
    }

    /// Ends the wait for a model that cannot be opened. Shows a sentence if a run waits for the model, or if a field is
    /// wrong.
    fn cannot_open(self, problem: impl Into<Message>) {
        let is_awaited = self.is_run_wanted.get_value();
        self.is_run_wanted.set_value(false);
        if is_awaited {
            self.models().phase.set(ModelPhase::Idle);
        }
        if is_awaited || self.source.with_untracked(|form| form.kind.family().is_some()) {
            self.complain(problem);
        }
    }

    /// Gives a plan to a lane of the models' workers; `source` is the plan's model.
    pub(super) fn submit(self, lane: ModelLane, source: Option<ModelSource>, plan: ModelPlan) {
        self.with_workers(|workers| workers.submit(lane, [Order { plan, companion: source }]));
    }

    /// Ends the work of a lane of the models' workers.
    pub(super) fn cancel(self, lane: ModelLane) {
        self.with_workers(|workers| workers.cancel(lane));
    }

    pub(super) fn with_workers(self, work: impl FnOnce(&ModelWorkers)) {
        // A clone, so that the stored value is not borrowed while `work` runs: `work` may call back into the page.
        if let Some(workers) = self.workers.try_get_value().flatten() {
            work(&workers);
        }
    }

    /// Ends a run early. A run that had no rows to measure yet counts as not begun.
    pub(super) fn stopped(self) {
        self.is_run_wanted.set_value(false);
        let has_rows = self.progress.with_untracked(|progress| progress.total > 0);
        self.models().phase.set(if has_rows { ModelPhase::Stopped } else { ModelPhase::Idle });
    }

    fn on_event(self, (event, files): PoolMessage<ModelTasks, ModelLane, Option<ModelSource>>) {
        match event {
            PoolEvent::Reply { lane: ModelLane::Download, content, .. } => self.on_server(content, files),
            PoolEvent::Reply { lane: ModelLane::Batches, of, content, left, .. } => match &of.plan {
                ModelPlan::Batch(plan) => self.on_batch(plan, content, left),
                ModelPlan::Layers(plan) => self.on_layers(plan, content),
                _ => {}
            },
            PoolEvent::Reply { lane, of, content, .. } => self.on_answer(lane, &of.plan, content),
            PoolEvent::Restarted(ModelLane::Batches) => self.note.set(strings::model_worker_replaced().into()),
            PoolEvent::Restarted(_) => {}
            PoolEvent::GaveUp { lane: ModelLane::Batches, of, left } => {
                match &of.plan {
                    ModelPlan::Batch(plan) => self.complain(strings::model_left_out(plan.batch.longest())),
                    _ => self.complain(strings::model_worker_lost()),
                }
                self.finish_if(left == 0);
            }
            PoolEvent::GaveUp { lane, .. } => {
                self.gave_up(lane);
                self.complain(strings::model_worker_lost());
            }
            PoolEvent::CannotStart => {
                self.cancel_fetch();
                self.stop();
                self.complain(strings::model_cannot_start());
            }
        }
    }

    fn on_batch(self, plan: &BatchPlan, content: Content<ModelEvent>, left: usize) {
        match content {
            Content::Event(ModelEvent::Batch(BatchEvent::Prepared { notes })) => {
                self.is_prepared.set_value(true);
                self.take_notes(&notes);
            }
            Content::Event(ModelEvent::Batch(BatchEvent::Rows { rows, .. })) => {
                self.take_rows(&Share::of_batch(plan), rows)
            }
            Content::Progress(progress) => self.take_steps(At::Window { n: plan.batch.longest(), progress }),
            // No worker has prepared the model yet, so no window of the run can be measured.
            Content::Failed(problem) if !self.is_prepared.get_value() => {
                self.cancel(ModelLane::Batches);
                self.stopped();
                self.complain(problem);
            }
            Content::Failed(problem) => {
                self.complain(problem);
                self.finish_if(left == 0);
            }
            Content::Finished => self.finish_if(left == 0),
            _ => {}
        }
    }

    fn on_layers(self, plan: &LayersPlan, content: Content<ModelEvent>) {
        match content {
            Content::Event(ModelEvent::Layers(LayersEvent::Prepared)) => self.is_prepared.set_value(true),
            Content::Event(ModelEvent::Layers(LayersEvent::Reading { layer, of, bytes })) => {
                self.take_steps(At::Reading { layer, of, bytes });
            }
            Content::Event(ModelEvent::Layers(LayersEvent::Notes(notes))) => self.take_notes(&notes),
            Content::Event(ModelEvent::Layers(LayersEvent::Rows(rows))) => {
                self.take_rows(&Share::of_layers(plan), rows)
            }
            Content::Progress(progress) => {
                let n = plan.batches.iter().map(|(batch, _)| batch.longest()).max().unwrap_or(0);
                self.take_steps(At::Window { n, progress });
            }
            Content::Failed(problem) => {
                self.flush();
                self.stopped();
                self.complain(problem);
            }
            Content::Finished => self.finish_if(true),
            _ => {}
        }
    }

    /// Adds notes to those of the model and of the table.
    fn take_notes(self, notes: &[Phrase]) {
        let known =
            self.facts.with_untracked(|facts| facts.as_ref().map(|facts| facts.notes.clone())).unwrap_or_default();
        let new: Vec<Phrase> = notes.iter().filter(|note| !known.contains(note)).cloned().collect();
        if new.is_empty() {
            return;
        }
        self.models().table.update(|table| {
            if let Some(table) = table {
                Arc::make_mut(table).add_notes(new.iter().map(Phrase::to_string));
            }
        });
        self.facts.update(|facts| {
            if let Some(facts) = facts {
                Arc::make_mut(facts).notes.extend(new);
            }
        });
    }

    fn finish_if(self, is_over: bool) {
        if is_over {
            self.flush();
            let is_whole = self.progress.with_untracked(|progress| progress.rows >= progress.total);
            self.models().phase.set(if is_whole { ModelPhase::Done } else { ModelPhase::Stopped });
        }
    }

    /// Ends what the page awaits from a lane whose order failed, or was given up by the pool.
    fn gave_up(self, lane: ModelLane) {
        self.note.set(String::new());
        match lane {
            ModelLane::Download => self.cancel_fetch(),
            ModelLane::Adversarial => self.models().adversarial_awaited.set(false),
            ModelLane::Open => {
                self.is_run_wanted.set_value(false);
                self.models().phase.set(ModelPhase::Idle);
            }
            ModelLane::ReadTable => self.arriving.set_value(None),
            ModelLane::Window => self.models().is_change_awaited.set(false),
            ModelLane::Batches | ModelLane::WriteTable => {}
        }
    }

    fn on_answer(self, lane: ModelLane, plan: &ModelPlan, content: Content<ModelEvent>) {
        match (plan, content) {
            (_, Content::Event(ModelEvent::Open(facts))) => {
                self.fit_plan(&facts);
                self.facts.set(Some(Arc::from(facts)));
                if self.is_run_wanted.get_value() {
                    self.is_run_wanted.set_value(false);
                    self.run();
                }
            }
            (_, Content::Event(ModelEvent::Adversarial(table))) => {
                self.models().adversarial_awaited.set(false);
                self.models().adversarial.set(Some(Arc::new(table)));
            }
            (_, Content::Event(ModelEvent::Change(found))) => {
                self.models().is_change_awaited.set(false);
                self.models().change.set(Some(Arc::from(found)));
            }
            (_, Content::Event(ModelEvent::ReadTable(batch))) => self.take_batch(batch),
            (ModelPlan::WriteTable(plan), Content::Event(ModelEvent::WriteTable(text))) => {
                let kind = if plan.form == TableForm::Csv { "text/csv" } else { "application/json" };
                download(&format!("lipscope-model.{}", plan.form.extension()), kind, &text);
            }
            (ModelPlan::Window(plan), Content::Event(ModelEvent::Window(window))) => {
                self.note.set(String::new());
                self.take_window(plan.cell, *window);
            }
            (_, Content::Failed(problem)) => {
                self.gave_up(lane);
                if self.models().problem.with_untracked(Option::is_none) {
                    self.complain(problem);
                }
            }
            _ => {}
        }
    }
}

impl ModelSession {
    /// A picture is a window: the plan of a model of pictures has their number, and the length of one. The plan for texts
    /// comes back with a model of texts, unless it was changed in between. Of its default lengths those stay that the model
    /// has positions for.
    fn fit_plan(self, facts: &ModelFacts) {
        let now = self.plan.with_untracked(|plan| [plan.lengths.clone(), plan.windows.clone()]);
        let fitted =
            facts.config.picture.map(|picture| [picture.tokens(), facts.pictures.len()].map(|n| n.to_string()));
        let set = |[lengths, windows]: [String; 2]| {
            self.plan.update(|plan| {
                plan.lengths = lengths;
                plan.windows = windows;
            });
        };
        let before = self.fitted.get_value();
        match (fitted, before) {
            (Some(to), None) => {
                self.fitted.set_value(Some((now, to.clone())));
                set(to);
            }
            (Some(to), Some((texts, last))) if to != last => {
                self.fitted.set_value(Some((texts, to.clone())));
                set(to);
            }
            (Some(_), Some(_)) => {}
            (None, before) => {
                let texts = before.filter(|(_, last)| now == *last).map_or_else(|| now.clone(), |(texts, _)| texts);
                let within = default_lengths_within(&texts[0], facts.config.positions);
                let to = within.map(|lengths| [lengths, texts[1].clone()]);
                self.fitted.set_value(to.clone().map(|to| (texts.clone(), to)));
                let to = to.unwrap_or(texts);
                if now != to {
                    set(to);
                }
            }
        }
    }

    /// What stands around the windows of the table that is shown.
    pub(super) fn special_of_table(self) -> SpecialTokens {
        let has_some = self
            .models()
            .table
            .with_untracked(|table| table.as_ref().is_some_and(|table| table.subject.has_special_tokens()));
        let of_model = self.facts.with_untracked(|facts| facts.as_ref().map(|facts| facts.special.clone()));
        of_model.filter(|_| has_some).unwrap_or_default()
    }

    /// Opens a window's tokens and weights in the explorer.
    pub(super) fn take_window(self, cell: Cell, window: WindowExperiment) {
        let page = self.page;
        let WindowExperiment { experiment, left_out } = window;
        if page.take_experiment(experiment) {
            let tokens = page.state.with_untracked(|state| state.own_tokens.clone());
            page.answers.words.set(tokens.map(|tokens| TokenWords { tokens, words: words(self, cell) }));
            page.plot.set(PlotChoice::Tokens);
            page.engine.status.set(Some(strings::model_window_opened(left_out).into()));
        } else if let Some(problem) = page.answers.problem.get_untracked() {
            self.complain(problem.text);
        }
    }
}

/// The text of each token of a window, on one line.
fn words(session: ModelSession, cell: Cell) -> Arc<[String]> {
    let text = session.whole_text();
    let word = |span: &(usize, usize)| {
        let word = text.get(span.0..span.1).unwrap_or_default();
        word.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let special = session.special_of_table();
    let names = |tokens: &[SpecialToken]| tokens.iter().map(|token| token.name.clone()).collect::<Vec<_>>();
    session.facts.with_untracked(|facts| {
        let span = special.text_span(cell.n, cell.window);
        let spans = facts.as_ref().and_then(|facts| facts.spans.get(span)).unwrap_or_default();
        let words = spans.iter().map(word);
        names(&special.before).into_iter().chain(words).chain(names(&special.after)).collect()
    })
}
