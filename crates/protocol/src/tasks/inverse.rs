//! The fixed-point inverse of X + c F(X)/L, iteration by iteration.

use lipscope_core::experiment::{InputError, Memory};
use lipscope_core::inverse::{ConstantKind, InversePlan, InverseStep, Inverting, Outcome, Places};
use serde::{Deserialize, Serialize};

use crate::task::{Poll, Report, Task};

/// Events of an inversion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum InverseEvent {
    /// The constant, the tokens to recover, and their images, at which the iteration begins.
    Begins {
        /// L.
        constant: f64,
        /// Which constant L is.
        kind: ConstantKind,
        /// The first two coordinates of the tokens X, if there are few.
        tokens: Places,
        /// The first two coordinates of their images Y.
        images: Places,
    },
    /// Iterations since the last event.
    Steps {
        /// The iterations, in order.
        steps: Vec<InverseStep>,
        /// How the iteration ended, if it has.
        outcome: Option<Outcome>,
    },
}

/// An inverse under way.
#[derive(Debug)]
pub struct InverseTask {
    inverting: Inverting,
    has_begun: bool,
    pending: Vec<InverseStep>,
}

impl Task<Memory> for InverseTask {
    type Plan = InversePlan;
    type Event = InverseEvent;

    fn start(plan: InversePlan, memory: &mut Memory) -> Result<Self, InputError> {
        Ok(InverseTask { inverting: Inverting::start_within(&plan, *memory)?, has_begun: false, pending: Vec::new() })
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, InverseEvent>) -> Result<Poll, InputError> {
        if !std::mem::replace(&mut self.has_begun, true) {
            let ((constant, kind), (tokens, images)) = (self.inverting.constant(), self.inverting.places());
            report.event(InverseEvent::Begins { constant, kind, tokens, images });
        }
        let step = self.inverting.step()?;
        let poll = if step.is_none() { Poll::Done } else { Poll::More };
        self.pending.extend(step);
        if poll == Poll::Done || report.is_due() {
            let outcome = self.inverting.outcome().filter(|_| poll == Poll::Done);
            report.event(InverseEvent::Steps { steps: std::mem::take(&mut self.pending), outcome });
        }
        Ok(poll)
    }
}
