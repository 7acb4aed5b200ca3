//! The values of the form, and the worker's replies.

use std::sync::Arc;

use crate::prelude::*;
use web_sys::{DataTransfer, File};

use super::keep::{Keeping, Kept};
use super::settings::TrainForm;
use crate::answers::{RunState, TrainRun, TrainedModel};
use crate::controls::TextFile;
use crate::files::{download, download_bytes, read};
use crate::frame::now;
use crate::page::{Page, PlotChoice};
use crate::phase::Phase;
use crate::strings;
use crate::strings::Message;
use crate::workers::{TrainFile, TrainLane, TrainOrder, TrainWorkers};
use lipscope_core::experiment::DecodedText;
use lipscope_protocol::envelope::Content;
use lipscope_protocol::pool::{Order, PoolEvent, Spare};
use lipscope_protocol::train::{ModelFiles, StretchEvent, TrainEvent, TrainPlan, WindowRow};

/// The URL of the worker for training, beside the page.
const WORKER_URL: &str = "./train_worker_loader.js";
/// The text that comes with the page: two chapters of Alice's Adventures in Wonderland, by Lewis Carroll (1865).
pub(super) const DEFAULT_TEXT: &str = include_str!("../../assets/alice.txt");
/// A text of more bytes makes the form slow.
const MOST_IN_FORM: usize = 60_000;

/// The form, its runs and their worker.
#[derive(Clone, Copy)]
pub struct TrainingSession {
    page: Page,
    /// Which models are trained.
    pub(super) form: RwSignal<TrainForm>,
    /// The text in the form.
    pub(super) text: RwSignal<String>,
    /// A text file in place of the text.
    pub(super) text_file: RwSignal<Option<TextFile>>,
    /// The runs, in the order in which they take turns.
    pub(super) runs: RwSignal<Vec<TrainRun>>,
    /// The number of the run whose details are shown.
    pub(super) chosen: RwSignal<Option<u64>>,
    /// The state of training.
    pub(super) phase: RwSignal<Phase>,
    /// What is wrong, in a sentence.
    pub(super) problem: RwSignal<Option<String>>,
    /// What the page has done, in a sentence.
    pub(super) note: RwSignal<String>,
    /// The runs of an earlier visit, while the page offers them.
    pub(super) kept: RwSignal<Option<Arc<Kept>>>,
    /// Whether the browser keeps these runs.
    pub(super) keeping: RwSignal<Keeping>,
    /// The id under which the browser keeps these runs.
    pub(super) keep_id: StoredValue<u64>,
    /// For each run, in order, the number in the names of its kept entries.
    pub(super) keep_places: StoredValue<Vec<usize>>,
    /// The run that had the last turn.
    pub(super) poll: StoredValue<u64>,
    /// When the present stretch started, or was ordered if it has not started yet; `None` while no stretch is in
    /// progress.
    pub(super) began: StoredValue<Option<f64>>,
    last_number: StoredValue<u64>,
    workers: StoredValue<Option<TrainWorkers>, LocalStorage>,
}

impl TrainingSession {
    /// A form as it is on a first visit.
    pub fn new(page: Page) -> Self {
        let session = TrainingSession {
            page,
            form: RwSignal::new(TrainForm::default()),
            text: RwSignal::new(DEFAULT_TEXT.to_owned()),
            text_file: RwSignal::new(None),
            runs: page.answers.training,
            chosen: page.answers.training_shown,
            phase: RwSignal::new(Phase::Waiting),
            problem: RwSignal::new(None),
            note: RwSignal::new(String::new()),
            kept: RwSignal::new(None),
            keeping: RwSignal::new(Keeping::default()),
            keep_id: StoredValue::new(0),
            keep_places: StoredValue::new(Vec::new()),
            poll: StoredValue::new(0),
            began: StoredValue::new(None),
            last_number: StoredValue::new(0),
            workers: StoredValue::new_local(None),
        };
        let workers = TrainWorkers::new(WORKER_URL, Spare::None, move |(event, _)| session.on_event(event));
        session.workers.set_value(Some(workers));
        session.look_for_kept();
        session
    }

    /// A number that no run has.
    pub(super) fn next_number(self) -> u64 {
        self.last_number.update_value(|number| *number += 1);
        self.last_number.get_value()
    }

    /// Shows a sentence where the form shows problems.
    pub(super) fn complain(self, problem: impl Into<Message>) {
        self.problem.set(Some(strings::message(&problem.into())));
    }

    /// The text to train on: that of the file, else that of the form.
    pub(super) fn whole_text(self) -> Arc<str> {
        let file = self.text_file.with_untracked(|file| file.as_ref().map(|file| Arc::clone(&file.text)));
        file.unwrap_or_else(|| self.text.get_untracked().into())
    }

    /// Puts a text in the place of the form's text.
    pub(super) fn take_text(self, name: String, text: String) {
        if text.len() <= MOST_IN_FORM {
            self.text_file.set(None);
            self.text.set(text);
        } else {
            self.text_file.set(Some(TextFile { name, text: text.into() }));
        }
    }

    /// Puts a given text in the place of the form's text, and says how it was decoded.
    fn take_decoded(self, name: String, text: DecodedText<'_>) {
        let notes: Vec<String> = text.notes().iter().map(strings::phrase_text).collect();
        self.note.set(notes.join("; "));
        self.take_text(name, text.text.into_owned());
    }

    /// Reads a text file.
    pub(super) fn take_file(self, file: File) {
        read(file, move |name, bytes| match bytes {
            Ok(bytes) => match DecodedText::from_bytes(&bytes) {
                Some(text) => {
                    self.problem.set(None);
                    self.take_decoded(name, text);
                }
                None => self.complain(strings::model_not_text(&name)),
            },
            Err(problem) => self.complain(problem),
        });
    }

    /// Takes a dropped text, or a text file. While models are trained, it shows a sentence and takes nothing.
    pub(super) fn take_dropped(self, data: &DataTransfer) {
        if self.is_at_work() {
            return self.complain(strings::train_stop_first());
        }
        match data.files().and_then(|files| files.get(0)) {
            Some(file) => self.take_file(file),
            None => {
                let text = data.get_data("text/plain").unwrap_or_default();
                if !text.is_empty() {
                    self.take_decoded(strings::model_dropped_text().into(), DecodedText::from_text(&text));
                }
            }
        }
    }

    /// Whether a run is in progress or paused; its settings cannot change meanwhile.
    pub(super) fn is_at_work(self) -> bool {
        self.phase.with(|phase| matches!(phase, Phase::Running | Phase::Paused))
    }

    /// Reads the run whose details are shown.
    pub(super) fn with_chosen<T>(self, read: impl FnOnce(&TrainRun) -> T) -> Option<T> {
        let chosen = self.chosen.get();
        self.runs.with(|runs| runs.iter().find(|run| Some(run.number) == chosen).map(read))
    }

    /// Changes a run.
    pub(super) fn update(self, number: u64, change: impl FnOnce(&mut TrainRun)) {
        self.runs.update(|runs| {
            if let Some(run) = runs.iter_mut().find(|run| run.number == number) {
                change(run);
            }
        });
    }

    /// Gives an order to the worker.
    pub(super) fn submit(self, plan: TrainPlan, order: TrainOrder) {
        // A clone, so that the stored value is not borrowed during `submit`: `submit` may call back into the page.
        if let Some(workers) = self.workers.try_get_value().flatten() {
            workers.submit(TrainLane::All, [Order { plan, companion: order }]);
        }
    }

    /// Cancels the worker's orders.
    fn cancel(self) {
        if let Some(workers) = self.workers.try_get_value().flatten() {
            workers.cancel(TrainLane::All);
        }
        self.runs.update(|runs| runs.iter_mut().for_each(|run| run.backwards.is_running = false));
    }

    /// Allows another start of the worker after a failed one.
    pub(super) fn restart_workers(self) {
        if let Some(workers) = self.workers.try_get_value().flatten() {
            workers.start();
        }
    }

    fn on_event(self, event: PoolEvent<TrainLane, TrainPlan, TrainEvent, TrainOrder>) {
        match event {
            PoolEvent::Reply { of, content, .. } => match (&of.plan, content) {
                (_, Content::Event(TrainEvent::Stretch(event))) => self.on_stretch(of.companion.run, event),
                (_, Content::Event(TrainEvent::Backwards(row))) => self.on_window(of.companion.run, row),
                (_, Content::Event(TrainEvent::Files(files))) => self.take_files(of.companion, files),
                // The order may have waited while another model was run backwards.
                (TrainPlan::Stretch(_), Content::Started) => self.began.set_value(Some(now())),
                (TrainPlan::Stretch(_), Content::Finished) => self.stretch_is_over(of.companion.run),
                (TrainPlan::Stretch(_), Content::Failed(problem)) => {
                    self.update(of.companion.run, |run| run.state = RunState::Failed);
                    self.complain(problem);
                    self.stretch_is_over(of.companion.run);
                }
                (TrainPlan::Backwards(_), Content::Finished) => self.backwards_are_over(of.companion.run),
                (_, Content::Failed(problem)) => {
                    self.backwards_are_over(of.companion.run);
                    self.complain(problem);
                }
                _ => {}
            },
            PoolEvent::Restarted(_) => {
                // The new worker has none of the runs; each continues from its last saved state.
                self.forget_worker();
                self.note.set(strings::train_worker_replaced().into());
            }
            PoolEvent::GaveUp { of, .. } => {
                self.forget_worker();
                self.backwards_are_over(of.companion.run);
                if matches!(of.plan, TrainPlan::Stretch(_)) {
                    self.update(of.companion.run, |run| run.state = RunState::Failed);
                    self.stretch_is_over(of.companion.run);
                }
                self.complain(strings::train_worker_lost());
            }
            PoolEvent::CannotStart => {
                self.cancel();
                self.began.set_value(None);
                self.phase.set(Phase::Stopped);
                self.complain(strings::train_cannot_start());
            }
        }
    }

    fn forget_worker(self) {
        self.runs.update(|runs| runs.iter_mut().for_each(|run| run.is_in_worker = false));
    }

    fn on_stretch(self, number: u64, event: StretchEvent) {
        let began = self.began.get_value().unwrap_or_else(now);
        match event {
            StretchEvent::Absent => self.update(number, |run| run.is_in_worker = false),
            StretchEvent::Begun(facts) => self.update(number, |run| run.begin(facts)),
            StretchEvent::Steps(steps) => self.update(number, |run| run.steps.extend(steps)),
            StretchEvent::Measured(measured) => self.update(number, |run| {
                let seconds = (run.spent + now() - began) / 1000.0;
                run.take_measured(measured, seconds);
            }),
            StretchEvent::Diverged => self.update(number, |run| run.state = RunState::Diverged),
            StretchEvent::Saved(saved) => {
                self.update(number, |run| {
                    run.saved = Some(saved);
                    if run.step() >= run.plan.steps {
                        run.state = RunState::Done;
                    }
                });
                self.keep(number);
            }
        }
    }

    fn on_window(self, number: u64, row: WindowRow) {
        self.update(number, |run| run.backwards.windows.push(row));
    }

    fn backwards_are_over(self, number: u64) {
        self.update(number, |run| run.backwards.is_running = false);
    }

    fn take_files(self, order: TrainOrder, files: ModelFiles) {
        match order.file {
            Some(TrainFile::Config) => download("config.json", "application/json", &files.config),
            Some(TrainFile::Weights) => download_bytes("model.safetensors", &files.weights),
            Some(TrainFile::Tokenizer) => download("tokenizer.json", "application/json", &files.tokenizer),
            Some(TrainFile::All) => self.open_in_models(order.run, files),
            None => {}
        }
    }

    /// Opens a run's model in Models, with the part of the text that it was not trained on.
    fn open_in_models(self, number: u64, files: ModelFiles) {
        let found = self.runs.with_untracked(|runs| {
            let run = runs.iter().find(|run| run.number == number)?;
            let characters = run.text.chars().count();
            Some((run.plan.clone(), run.text.chars().skip(characters - characters / 10).collect()))
        });
        if let Some((plan, held_out)) = found {
            self.page.answers.trained_model.set(Some(TrainedModel { plan, files, text: held_out }));
            self.page.plot.set(PlotChoice::Model);
        }
    }
}
