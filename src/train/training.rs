//! Training: the turns of the runs, pausing, continuing, stopping. The runs take turns in one worker, a stretch each.

use std::sync::Arc;
use std::time::Duration;

use crate::prelude::*;

use super::keep::Kept;
use super::session::TrainingSession;
use super::settings::TrainForm;
use crate::answers::{Backwards, RunState, TrainRun};
use crate::fault::Fault;
use crate::frame::now;
use crate::phase::Phase;
use crate::workers::{TrainFile, TrainOrder};
use lipscope_protocol::train::{BackwardsPlan, FilesPlan, Kind, Saving, StretchPlan, TrainPlan};

/// About how long a stretch lasts. A pause waits until the present stretch ends.
const STRETCH_MILLISECONDS: f64 = 400.0;
/// How old the kept state of a run may grow. After that the run is saved at its next turn. Where several runs take
/// turns, the next turn is a second or two later.
const SAVE_MILLISECONDS: f64 = 15_000.0;
/// Number of characters of the drawn text.
const SAMPLE: usize = 160;
/// Number of windows that are run backwards.
const BACKWARDS_WINDOWS: usize = 4;
/// The most iterations of a branch: at c = 0.9 the slowest branch that converges takes about 350.
const BACKWARDS_ITERATIONS: usize = 600;

impl TrainingSession {
    /// Begins to train the models of the form, in place of the earlier runs.
    pub(super) fn train(self) {
        self.problem.set(None);
        self.note.set(String::new());
        let read = self.form.with_untracked(|form| Ok::<_, Fault>((form.plans()?, form.every()?)));
        let (plans, every) = match read {
            Ok(read) => read,
            Err(problem) => return self.complain(problem),
        };
        let text = self.whole_text();
        let runs: Vec<TrainRun> =
            plans.into_iter().map(|plan| TrainRun::new(self.next_number(), plan, Arc::clone(&text), every)).collect();
        self.kept.set(None);
        self.take_runs(runs);
        self.begin_keeping(&text);
        self.go_on();
    }

    /// Continues the runs that the browser kept.
    pub(super) fn take_kept(self, kept: &Kept) {
        self.problem.set(None);
        let runs: Vec<TrainRun> = kept.runs.iter().map(|run| run.run(self.next_number(), &kept.text)).collect();
        // The form takes its fields from a run of a kind that can have layer norms, if there is one. The invertible
        // kind has none.
        if let Some(first) = runs.iter().find(|run| run.plan.kind != Kind::Invertible).or(runs.first()) {
            let kinds = runs.iter().map(|run| run.plan.kind).collect();
            let every = first.every.to_string();
            self.form.set(TrainForm { kinds, every, ..TrainForm::of_plan(&first.plan) });
        }
        self.take_text(crate::strings::train_kept_text().into(), kept.text.to_string());
        self.keep_id.set_value(kept.id);
        self.keep_places.set_value(kept.runs.iter().map(|run| run.place).collect());
        self.kept.set(None);
        self.take_runs(runs);
        self.go_on();
    }

    fn take_runs(self, runs: Vec<TrainRun>) {
        let last = runs.last().map(|run| run.number);
        self.chosen.set(last);
        self.poll.set_value(0);
        self.runs.set(runs);
    }

    /// Continues with the remaining steps.
    pub(super) fn go_on(self) {
        self.problem.set(None);
        self.restart_workers();
        self.phase.set(Phase::Running);
        self.advance();
    }

    /// Begins no new stretch. The present one is finished and saved.
    pub(super) fn pause(self) {
        self.phase.set(Phase::Paused);
        self.advance();
    }

    /// As `pause`, but afterwards the settings can be changed.
    pub(super) fn stop(self) {
        self.phase.set(Phase::Stopped);
        self.advance();
    }

    /// Ends a stretch: adds its time to the run, and gives another run its turn.
    pub(super) fn stretch_is_over(self, number: u64) {
        if let Some(began) = self.began.get_value() {
            self.update(number, |run| run.add_time(now() - began));
        }
        self.began.set_value(None);
        // In a later task, so that the page first draws the results of the stretch.
        set_timeout(move || self.advance(), Duration::ZERO);
    }

    /// Orders the next stretch, if the worker is free.
    fn advance(self) {
        if self.began.get_value().is_some() {
            return;
        }
        let is_running = self.phase.with_untracked(|phase| *phase == Phase::Running);
        let aim = if is_running { Aim::Train } else { Aim::Save };
        let poll = self.poll.get_value();
        let next = self.runs.with_untracked(|runs| {
            let is_next = |run: &&TrainRun| run.state == RunState::Training && (aim == Aim::Train || run.is_unsaved());
            let after = runs.iter().filter(is_next).find(|run| run.number > poll);
            let beside: Vec<u64> = runs.iter().map(|run| run.number).collect();
            after.or_else(|| runs.iter().find(is_next)).map(|run| stretch(run, beside, aim))
        });
        match next {
            Some(plan) => {
                let run = plan.run;
                self.poll.set_value(run);
                self.began.set_value(Some(now()));
                self.submit(TrainPlan::Stretch(plan), TrainOrder { run, file: None });
            }
            None if is_running => self.phase.set(Phase::Done),
            None => {}
        }
    }

    /// Runs the chosen model backwards, from its last saved state.
    pub(super) fn run_backwards(self) {
        let Some(Some((number, plan))) = self.with_chosen_now(|run| {
            let plan =
                BackwardsPlan { model: run.beginning(), windows: BACKWARDS_WINDOWS, iterations: BACKWARDS_ITERATIONS };
            run.saved.as_ref().map(|_| (run.number, plan))
        }) else {
            return;
        };
        self.problem.set(None);
        self.update(number, |run| {
            let step = run.saved.as_ref().map_or(0, |saved| saved.step);
            run.backwards = Backwards { step, windows: Vec::new(), is_running: true };
        });
        self.submit(TrainPlan::Backwards(plan), TrainOrder { run: number, file: None });
    }

    /// Asks for a file of the chosen model, from its last saved state.
    pub(super) fn ask_file(self, file: TrainFile) {
        let asked =
            self.with_chosen_now(|run| run.saved.as_ref().map(|_| (run.number, FilesPlan { model: run.beginning() })));
        if let Some(Some((run, plan))) = asked {
            self.submit(TrainPlan::Files(plan), TrainOrder { run, file: Some(file) });
        }
    }

    fn with_chosen_now<T>(self, read: impl FnOnce(&TrainRun) -> T) -> Option<T> {
        untrack(|| self.with_chosen(read))
    }
}

/// The purpose of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// To train.
    Train,
    /// To save the steps done so far.
    Save,
}

/// The next stretch of a run.
fn stretch(run: &TrainRun, beside: Vec<u64>, aim: Aim) -> StretchPlan {
    StretchPlan {
        run: run.number,
        beginning: (!run.is_in_worker).then(|| run.beginning()),
        beside,
        until: if aim == Aim::Train { run.plan.steps } else { 0 },
        milliseconds: STRETCH_MILLISECONDS,
        measure_every: run.every,
        sample: SAMPLE,
        saving: if aim == Aim::Train { Saving::After(SAVE_MILLISECONDS) } else { Saving::Always },
    }
}
