//! The data of each run of training. The view of training shows them, and lessons read them.

use std::sync::Arc;

use lipscope_protocol::train::{Beginning, Measured, ModelFiles, Plan, RunFacts, Saved, StepRow, WindowRow};

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Steps are left.
    Training,
    /// All steps are done.
    Done,
    /// The loss is not finite.
    Diverged,
    /// The worker cannot carry out its next step.
    Failed,
}

/// The result of running a model backwards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Backwards {
    /// The training step after which the model was run backwards.
    pub step: usize,
    /// The windows that were run backwards so far.
    pub windows: Vec<WindowRow>,
    /// Whether more windows are to come.
    pub is_running: bool,
}

/// A run of training.
#[derive(Clone, Debug)]
pub struct TrainRun {
    /// Its number, by which a worker knows it.
    pub number: u64,
    /// The model and its training.
    pub plan: Plan,
    /// The text that the model learns.
    pub text: Arc<str>,
    /// Steps from one measurement to the next.
    pub every: usize,
    /// Whether it is training, done, diverged or failed.
    pub state: RunState,
    /// Whether the worker has loaded it.
    pub is_in_worker: bool,
    /// Its sizes, once the worker has sent them.
    pub facts: Option<RunFacts>,
    /// Loss and learning rate of each step done.
    pub steps: Vec<StepRow>,
    /// The measurements, each with the seconds that the run had taken until then.
    pub measured: Vec<(Measured, f64)>,
    /// The last checkpoint that the worker sent.
    pub saved: Option<Saved>,
    /// Milliseconds that it has taken so far.
    pub spent: f64,
    /// `spent` and the number of steps at the end of the first stretch after which the run has steps. Only later
    /// stretches show how fast steps are: this one may also hold the measurements before the first step, which can take
    /// longer than a hundred steps.
    pub timed_from: Option<(f64, usize)>,
    /// The result of running the model backwards.
    pub backwards: Backwards,
}

impl TrainRun {
    /// A run before its first step.
    pub fn new(number: u64, plan: Plan, text: Arc<str>, every: usize) -> Self {
        TrainRun {
            number,
            plan,
            text,
            every,
            state: RunState::Training,
            is_in_worker: false,
            facts: None,
            steps: Vec::new(),
            measured: Vec::new(),
            saved: None,
            spent: 0.0,
            timed_from: None,
            backwards: Backwards::default(),
        }
    }

    /// Number of steps done.
    pub fn step(&self) -> usize {
        self.steps.last().map_or(0, |step| step.step)
    }

    /// What a worker needs to begin the run, or to continue it from its last checkpoint.
    pub fn beginning(&self) -> Beginning {
        Beginning {
            plan: self.plan.clone(),
            text: Arc::clone(&self.text),
            checkpoint: self.saved.as_ref().map(|saved| Arc::clone(&saved.bytes)),
        }
    }

    /// Whether some steps are not saved.
    pub fn is_unsaved(&self) -> bool {
        self.is_in_worker && self.saved.as_ref().is_none_or(|saved| saved.step != self.step())
    }

    /// Stores the sizes that a worker sends when it begins or continues the run. Drops the data of steps after the
    /// checkpoint: the worker does these steps again.
    pub fn begin(&mut self, facts: RunFacts) {
        self.is_in_worker = true;
        self.facts = Some(facts);
        self.steps.retain(|step| step.step <= facts.step);
        // A run that begins anew is measured again before its first step.
        self.measured.retain(|(measured, _)| measured.step <= facts.step && facts.step > 0);
    }

    /// Stores a measurement, in place of those after the same step or a later one.
    pub fn take_measured(&mut self, measured: Measured, seconds: f64) {
        self.measured.retain(|(earlier, _)| earlier.step < measured.step);
        self.measured.push((measured, seconds));
    }

    /// Adds the milliseconds of a stretch that is over.
    pub fn add_time(&mut self, milliseconds: f64) {
        self.spent += milliseconds;
        if self.step() > 0 {
            self.timed_from.get_or_insert((self.spent, self.step()));
        }
    }

    /// About how many milliseconds the remaining steps take; `None` until a second stretch has done steps.
    pub fn milliseconds_left(&self) -> Option<f64> {
        let (spent, step) = self.timed_from?;
        let done = self.step().checked_sub(step).filter(|done| *done > 0)?;
        Some((self.spent - spent) / done as f64 * self.plan.steps.saturating_sub(self.step()) as f64)
    }

    /// The last measurement.
    pub fn last(&self) -> Option<&Measured> {
        self.measured.last().map(|(measured, _)| measured)
    }
}

/// A trained model that the view of models is to open.
#[derive(Clone, Debug)]
pub struct TrainedModel {
    /// The plan of its training.
    pub plan: Plan,
    /// The files of the model.
    pub files: ModelFiles,
    /// The text to measure it on. It has only characters that the model knows.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_protocol::train::{Kind, PlanFields};

    #[test]
    fn the_time_left_does_not_count_the_measurements_before_the_first_step() {
        let plan = Plan::new(PlanFields { steps: 150, ..PlanFields::of_kind(Kind::Dot) }).expect("a plan");
        let mut run = TrainRun::new(1, plan, "a text".into(), 25);
        let row = |step| StepRow { step, loss: 4.0, learning_rate: 1e-3 };
        // Half a minute of measurements, and one step.
        run.steps.push(row(1));
        run.add_time(36_000.0);
        assert_eq!(run.milliseconds_left(), None);
        // Then a step a second.
        run.steps.extend([row(2), row(3)]);
        run.add_time(2000.0);
        assert_eq!(run.milliseconds_left(), Some(147_000.0));
    }
}
