//! Another worker of training, which does the second half of every step while this one does the first.

use lipscope_train::{Batch, HalfGradient, Halves, StepReport, Trainer};
use serde_bytes::ByteBuf;

use super::gradient::{GradientEvent, GradientPlan};

/// A worker that can be asked for a half. It is lost when it does not answer: training then goes on without it.
pub trait Helper {
    /// Whether it listens. It may take a while to start; it begins to at the first call.
    fn is_ready(&mut self) -> bool;

    /// Asks for a half. Answers to earlier questions are of no use any more.
    fn ask(&mut self, plan: GradientPlan);

    /// What has come of the last question.
    fn answer(&mut self) -> Answer;
}

/// The answer of the second worker, as far as it has come.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Nothing yet.
    Pending,
    /// The half.
    Here(GradientEvent),
    /// The helper has stopped.
    Lost,
}

/// A step whose second half a helper was asked for.
#[derive(Debug)]
pub(super) struct SharedStep {
    first: HalfGradient,
    second: Batch,
    /// When the helper is given up, in milliseconds of the clock.
    deadline: f64,
    /// Whether that was put off. A machine that slept wakes past any deadline, with the answer still on its way.
    is_put_off: bool,
}

/// What has come of a step that was begun.
pub(super) enum Begun {
    /// It is done.
    Done(StepReport),
    /// The helper has not answered yet.
    Shared(SharedStep),
}

/// How much longer than this worker a helper may take for its half, in milliseconds and as a factor: it may have less of
/// the processor.
const PATIENCE: (f64, f64) = (2000.0, 20.0);

/// Does a step, or its first half where a helper does the second one.
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
    /// Finishes the step, if its second half is there. Where the helper is lost, or gives what cannot be used, or is not heard
    /// of for too long, this worker computes it, and asks nobody any more.
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
