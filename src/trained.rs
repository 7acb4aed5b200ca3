//! What is known of each run of training: the view of training shows it, and lessons speak of it.

use std::sync::Arc;

use lipscope_protocol::train::{Beginning, Measured, ModelFiles, Plan, RunFacts, Saved, StepRow, WindowRow};

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Steps are left.
    Training,
    /// All steps are done.
    Done,
    /// The loss is not finite.
    Diverged,
    /// It cannot go on.
    Failed,
}

/// What came of running a model backwards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Backwards {
    /// The step of the model.
    pub step: usize,
    /// Windows, as they come.
    pub windows: Vec<WindowRow>,
    /// Whether more are to come.
    pub is_running: bool,
}

/// A model that is trained.
#[derive(Clone, Debug)]
pub struct TrainRun {
    /// Its number; a worker knows it by this.
    pub number: u64,
    /// The model and its training.
    pub plan: Plan,
    /// The text.
    pub text: Arc<str>,
    /// Steps from one measurement to the next.
    pub every: usize,
    /// Where it stands.
    pub state: RunState,
    /// Whether the worker has it.
    pub is_in_worker: bool,
    /// Its sizes, once the worker has told them.
    pub facts: Option<RunFacts>,
    /// Every step.
    pub steps: Vec<StepRow>,
    /// What was measured, and the seconds that the run had taken until then.
    pub measured: Vec<(Measured, f64)>,
    /// The state that was told last.
    pub saved: Option<Saved>,
    /// Milliseconds that it took so far.
    pub spent: f64,
    /// The model run backwards, where it was.
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
            backwards: Backwards::default(),
        }
    }

    /// Steps that are done.
    pub fn step(&self) -> usize {
        self.steps.last().map_or(0, |step| step.step)
    }

    /// How a worker begins it, or takes it up where it was saved.
    pub fn beginning(&self) -> Beginning {
        Beginning {
            plan: self.plan.clone(),
            text: Arc::clone(&self.text),
            checkpoint: self.saved.as_ref().map(|saved| Arc::clone(&saved.bytes)),
        }
    }

    /// Whether steps were done that are not saved.
    pub fn is_unsaved(&self) -> bool {
        self.is_in_worker && self.saved.as_ref().is_none_or(|saved| saved.step != self.step())
    }

    /// Takes the sizes that a worker told when it began the run or took it up; what was known of later steps is done again.
    pub fn begin(&mut self, facts: RunFacts) {
        self.is_in_worker = true;
        self.facts = Some(facts);
        self.steps.retain(|step| step.step <= facts.step);
        // A run that begins is measured before its first step.
        self.measured.retain(|(measured, _)| measured.step <= facts.step && facts.step > 0);
    }

    /// The last measurement.
    pub fn last(&self) -> Option<&Measured> {
        self.measured.last().map(|(measured, _)| measured)
    }
}

/// A model that was trained, to be opened among the models.
#[derive(Clone, Debug)]
pub struct TrainedModel {
    /// What it is.
    pub plan: Plan,
    /// Its files.
    pub files: ModelFiles,
    /// The text to measure it on, of characters that it knows.
    pub text: String,
}
