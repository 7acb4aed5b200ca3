//! Half a training step, computed by another worker, so that two workers share a step.

use lipscope_core::experiment::InputError;
use lipscope_train::{Batch, Errand, Plan};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::task::{Poll, Report, Task};

/// The weights and the windows of one half.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradientPlan {
    /// The run's plan.
    pub plan: Plan,
    /// Distinct characters of its text.
    pub vocabulary: usize,
    /// The weights, four bytes each.
    pub weights: ByteBuf,
    /// The windows of this half.
    pub batch: Batch,
}

/// The result of the half.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GradientEvent {
    /// The loss and its gradient.
    Found {
        /// The mean cross entropy over the windows in nats.
        loss: f64,
        /// The gradient in every weight, four bytes each.
        gradient: ByteBuf,
    },
    /// Plan, weights and windows do not fit together. The worker that asked computes the half itself.
    Refused,
}

/// Computes the half in one step.
#[derive(Debug)]
pub struct GradientTask {
    errand: Option<Errand>,
}

impl<C> Task<C> for GradientTask {
    type Plan = GradientPlan;
    type Event = GradientEvent;

    fn start(plan: GradientPlan, _: &mut C) -> Result<Self, InputError> {
        let GradientPlan { plan, vocabulary, weights, batch } = plan;
        Ok(GradientTask { errand: Errand::new(plan, vocabulary, &weights, batch) })
    }

    fn step(&mut self, _: &mut C, report: &mut Report<'_, GradientEvent>) -> Result<Poll, InputError> {
        let found = self.errand.as_ref().map(Errand::gradient);
        report.event(found.map_or(GradientEvent::Refused, |found| GradientEvent::Found {
            loss: found.loss(),
            gradient: ByteBuf::from(found.to_bytes()),
        }));
        Ok(Poll::Done)
    }
}
