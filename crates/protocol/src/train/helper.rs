//! Another training worker: it does the second half of every step while this one does the first.

use lipscope_train::{Batch, HalfGradient, Halves, StepReport, Trainer};
use serde_bytes::ByteBuf;

use super::gradient::{GradientEvent, GradientPlan};

/// A worker that can compute a half. If it does not answer, training continues without it.
pub trait Helper {
    /// Whether the helper listens. The first call starts it, which may take a while.
    fn is_ready(&mut self) -> bool;

    /// Sends the plan of a half. Answers to earlier plans are dropped.
    fn ask(&mut self, plan: GradientPlan);

    /// The answer to the last question.
    fn answer(&mut self) -> Answer;
}

/// The state of the helper's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Nothing yet.
    Pending,
    /// The answer has arrived.
    Here(GradientEvent),
    /// The helper has stopped.
    Lost,
}

/// A step whose second half a helper computes.
#[derive(Debug)]
pub(super) struct SharedStep {
    first: HalfGradient,
    second: Batch,
    /// When to give up on the helper, in milliseconds of the clock.
    deadline: f64,
    /// Whether the deadline was extended once: a machine that slept wakes past any deadline, with the answer still on
    /// its way.
    is_put_off: bool,
}

/// The state of a begun step.
pub(super) enum Begun {
    /// It is done.
    Done(StepReport),
    /// The helper has not answered yet.
    Shared(SharedStep),
}

/// How long this worker waits after its own half: the milliseconds, plus the factor times the duration of its half. A
/// helper may get less of the processor.
const PATIENCE: (f64, f64) = (2000.0, 20.0);

/// Does a step, or only its first half where a helper does the second.
pub(super) fn begin(trainer: &mut Trainer, helper: &mut Option<Box<dyn Helper>>, now: impl Fn() -> f64) -> Begun {
    let Some(helper) = helper else { return Begun::Done(trainer.step()) };
    let Halves { first, second: Some(second) } = trainer.halves() else { return Begun::Done(trainer.step()) };
    if !helper.is_ready() {
        return Begun::Done(trainer.step());
    }
    let began = now();
    helper.ask(GradientPlan {
        plan: trainer.plan().clone(),
        vocabulary: trainer.corpus().vocabulary().len(),
        weights: ByteBuf::from(trainer.weights().to_bytes()),
        batch: second.clone(),
    });
    let first = trainer.gradient(&first);
    let ended = now();
    let (least, factor) = PATIENCE;
    Begun::Shared(SharedStep { first, second, deadline: ended + least + factor * (ended - began), is_put_off: false })
}

impl SharedStep {
    /// Finishes the step, if its second half has arrived. If the helper is lost, answers with an unusable result or is
    /// silent for too long, this worker computes the second half and asks no helper again.
    pub(super) fn finish(self, trainer: &mut Trainer, helper: &mut Option<Box<dyn Helper>>, now: f64) -> Begun {
        let found = match helper.as_mut().map_or(Answer::Lost, |helper| helper.answer()) {
            Answer::Pending if now < self.deadline => return Begun::Shared(self),
            Answer::Pending if !self.is_put_off => {
                return Begun::Shared(SharedStep { deadline: now + PATIENCE.0, is_put_off: true, ..self });
            }
            Answer::Here(GradientEvent::Found { loss, gradient }) => {
                trainer.gradient_of_bytes(&self.second, loss, &gradient)
            }
            Answer::Pending | Answer::Here(GradientEvent::Refused) | Answer::Lost => None,
        };
        let second = found.unwrap_or_else(|| {
            *helper = None;
            trainer.gradient(&self.second)
        });
        Begun::Done(trainer.finish_step(self.first, Some(second)))
    }
}
