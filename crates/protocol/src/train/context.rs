//! State that a training worker keeps between stretches: the models being trained.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use lipscope_core::experiment::InputError;
use lipscope_train::{Corpus, Plan, Trainer};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::RunFacts;
use super::helper::Helper;

/// Everything a run needs to begin, or to continue in another worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beginning {
    /// The plan of the model and its training. If there is a checkpoint, it was made with the same plan.
    pub plan: Plan,
    /// The text.
    pub text: Arc<str>,
    /// The state to continue from; without one the run begins at step one.
    pub checkpoint: Option<Arc<ByteBuf>>,
}

/// The models of a worker by run number, and the worker that helps with steps.
#[derive(Default)]
pub struct TrainContext {
    runs: BTreeMap<u64, Kept>,
    helper: Option<Box<dyn Helper>>,
}

/// A model being trained.
pub(super) struct Kept {
    pub trainer: Trainer,
    /// When its state was last reported, in milliseconds of the clock.
    pub saved_at: Option<f64>,
}

impl Beginning {
    /// The model at the beginning or at the checkpoint.
    ///
    /// # Errors
    /// [`InputError`] for a text that is too short or too varied, a checkpoint of another text, a plan that needs too
    /// much memory.
    pub fn trainer(&self) -> Result<Trainer, InputError> {
        let corpus = Corpus::new(&self.text)?;
        match &self.checkpoint {
            Some(bytes) => Trainer::resume(bytes, corpus),
            None => Trainer::new(self.plan.clone(), corpus),
        }
    }
}

impl TrainContext {
    /// A context without runs, with a helper that does half of each step.
    #[must_use]
    pub fn with_helper(helper: Box<dyn Helper>) -> Self {
        TrainContext { runs: BTreeMap::new(), helper: Some(helper) }
    }

    /// Forgets all runs but these.
    pub(super) fn keep_only(&mut self, runs: &[u64]) {
        self.runs.retain(|run, _| runs.contains(run));
    }

    /// Begins a run; it replaces a run with the same number.
    pub(super) fn begin(&mut self, run: u64, beginning: &Beginning) -> Result<RunFacts, InputError> {
        let trainer = beginning.trainer()?;
        let facts = RunFacts::of(&trainer);
        self.runs.insert(run, Kept { trainer, saved_at: None });
        Ok(facts)
    }

    /// A run that is kept here, with the worker that helps.
    pub(super) fn run(&mut self, run: u64) -> Option<(&mut Kept, &mut Option<Box<dyn Helper>>)> {
        Some((self.runs.get_mut(&run)?, &mut self.helper))
    }
}

impl fmt::Debug for TrainContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrainContext").field("runs", &self.runs.keys()).finish()
    }
}
