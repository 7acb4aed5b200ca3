//! Trains a run for a stretch of time.

use std::sync::Arc;

use lipscope_core::experiment::InputError;
use lipscope_train::Trainer;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::context::{Beginning, Kept, TrainContext};
use super::helper::{self, Begun, SharedStep};
use super::record::{LayerRow, Measured, RunFacts, Saved, StepRow};
use crate::task::{Poll, Report, Task};

/// The seed of every text sample: samples differ only through the model.
const SAMPLE_SEED: u64 = 0;

/// Which run, for how long, and what to report about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StretchPlan {
    /// The number of the run. A worker keeps the runs that it trains, by their numbers.
    pub run: u64,
    /// How the run begins; `None` continues with what the worker keeps.
    pub beginning: Option<Beginning>,
    /// Runs trained at the same time. When this one begins, the worker drops all other runs.
    pub beside: Vec<u64>,
    /// The step after which the stretch ends at the latest.
    pub until: usize,
    /// After this many milliseconds the stretch starts no further step.
    pub milliseconds: f64,
    /// Measure before the first step, after each step whose number is a multiple of this, and after the last step.
    pub measure_every: usize,
    /// Characters of each text sample.
    pub sample: usize,
    /// When to report the state of the run.
    pub saving: Saving,
}

/// When to report the state of a run at the end of a stretch. A complete run always reports it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Saving {
    /// At the end of each stretch.
    Always,
    /// If this many milliseconds have passed since the last report, or the run has just begun.
    After(f64),
}

/// Events of a stretch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StretchEvent {
    /// The worker does not have the run, because it is a new worker. The stretch is over; order it again with a
    /// beginning.
    Absent,
    /// The run has begun, or was taken up at a checkpoint.
    Begun(RunFacts),
    /// Steps that were done.
    Steps(Vec<StepRow>),
    /// The measurements after a step. Before the first step there are three such events: with the loss alone; with the
    /// loss and the layers; with the loss, the layers and the text sample.
    Measured(Measured),
    /// The loss of the last step is not finite: training has diverged, and the run is over.
    Diverged,
    /// The state of the run.
    Saved(Saved),
}

/// A stretch under way.
#[derive(Debug)]
pub struct StretchTask {
    plan: StretchPlan,
    facts: Option<RunFacts>,
    began: Option<f64>,
    steps: Vec<StepRow>,
    next: Next,
}

/// The next action. A measurement is split into its parts, so that the worker listens in between.
#[derive(Debug)]
enum Next {
    Train,
    /// A step whose second half another worker computes.
    Gather(SharedStep),
    HeldOut,
    Layers {
        held_out: f64,
    },
    Sample {
        held_out: f64,
        layers: Vec<LayerRow>,
    },
    Save,
    Nothing,
}

impl Task<TrainContext> for StretchTask {
    type Plan = StretchPlan;
    type Event = StretchEvent;

    fn start(mut plan: StretchPlan, context: &mut TrainContext) -> Result<Self, InputError> {
        let facts = match plan.beginning.take() {
            Some(beginning) => {
                context.keep_only(&plan.beside);
                Some(context.begin(plan.run, &beginning)?)
            }
            None => None,
        };
        let next = if facts.is_some_and(|facts| facts.step == 0) { Next::HeldOut } else { Next::Train };
        Ok(StretchTask { plan, facts, began: None, steps: Vec::new(), next })
    }

    fn step(&mut self, context: &mut TrainContext, report: &mut Report<'_, StretchEvent>) -> Result<Poll, InputError> {
        let Some((kept, helper)) = context.run(self.plan.run) else {
            report.event(StretchEvent::Absent);
            return Ok(Poll::Done);
        };
        if let Some(facts) = self.facts.take() {
            report.event(StretchEvent::Begun(facts));
        }
        let trainer = &mut kept.trainer;
        self.next = match std::mem::replace(&mut self.next, Next::Train) {
            Next::Train if self.is_over(trainer, report) => {
                self.emit_steps(report);
                Next::Save
            }
            Next::Train => {
                let begun = helper::begin(trainer, helper, || report.now());
                self.take(begun, trainer.is_done(), report)
            }
            Next::Gather(step) => {
                let begun = step.finish(trainer, helper, report.now());
                self.take(begun, trainer.is_done(), report)
            }
            Next::HeldOut => {
                let held_out = trainer.held_out();
                emit_first(trainer, held_out, &[], report);
                Next::Layers { held_out }
            }
            Next::Layers { held_out } => {
                // Weights so large that the scores overflow have no norm; the loss shows that the run has diverged.
                let layers: Vec<LayerRow> =
                    trainer.layers().unwrap_or_default().into_iter().map(LayerRow::from).collect();
                emit_first(trainer, held_out, &layers, report);
                Next::Sample { held_out, layers }
            }
            Next::Sample { held_out, layers } => {
                let sample = trainer.sample(self.plan.sample, SAMPLE_SEED).unwrap_or_default();
                let step = trainer.steps_done();
                report.event(StretchEvent::Measured(Measured { step, held_out, layers, sample }));
                Next::Train
            }
            Next::Save => {
                save(kept, self.plan.saving, report);
                Next::Nothing
            }
            Next::Nothing => Next::Nothing,
        };
        Ok(match self.next {
            Next::Nothing => Poll::Done,
            Next::Gather(_) => Poll::Waiting,
            _ => Poll::More,
        })
    }
}

impl StretchTask {
    /// Whether no further step should start.
    fn is_over(&mut self, trainer: &Trainer, report: &Report<'_, StretchEvent>) -> bool {
        let began = *self.began.get_or_insert_with(|| report.now());
        trainer.is_done() || trainer.steps_done() >= self.plan.until || report.now() - began >= self.plan.milliseconds
    }

    /// Handles a step that was done or begun, and returns the next action.
    fn take(&mut self, begun: Begun, is_last: bool, report: &mut Report<'_, StretchEvent>) -> Next {
        let step = match begun {
            Begun::Done(step) => StepRow::from(step),
            Begun::Shared(step) => return Next::Gather(step),
        };
        self.steps.push(step);
        if !step.loss.is_finite() {
            self.emit_steps(report);
            report.event(StretchEvent::Diverged);
            return Next::Nothing;
        }
        if report.is_due() {
            self.emit_steps(report);
        }
        let is_measured = step.step.is_multiple_of(self.plan.measure_every.max(1)) || is_last;
        if is_measured {
            self.emit_steps(report);
        }
        if is_measured { Next::HeldOut } else { Next::Train }
    }

    fn emit_steps(&mut self, report: &mut Report<'_, StretchEvent>) {
        if !self.steps.is_empty() {
            report.event(StretchEvent::Steps(std::mem::take(&mut self.steps)));
        }
    }
}

/// Reports what is measured so far, but only before the first step: on a slow machine all measurements together take
/// half a minute, and nothing else is on screen yet.
fn emit_first(trainer: &Trainer, held_out: f64, layers: &[LayerRow], report: &mut Report<'_, StretchEvent>) {
    let step = trainer.steps_done();
    if step == 0 {
        let layers = layers.to_vec();
        report.event(StretchEvent::Measured(Measured { step, held_out, layers, sample: String::new() }));
    }
}

/// Reports the state of a run, if it is time to.
fn save(kept: &mut Kept, saving: Saving, report: &mut Report<'_, StretchEvent>) {
    let now = report.now();
    let is_due = match (saving, kept.saved_at) {
        (Saving::Always, _) | (Saving::After(_), None) => true,
        (Saving::After(milliseconds), Some(saved_at)) => now - saved_at >= milliseconds || kept.trainer.is_done(),
    };
    if is_due {
        kept.saved_at = Some(now);
        let bytes = Arc::new(ByteBuf::from(kept.trainer.checkpoint()));
        report.event(StretchEvent::Saved(Saved { step: kept.trainer.steps_done(), bytes }));
    }
}
