//! The growth view: every bound over n up to 1e300, at a few n first, then exact norms of the adversarial tokens.

use lipscope_core::experiment::{Experiment, InputError, Memory};
use lipscope_core::growth::{Family, FamilyPoint, Growth, GrowthPlan, growth_within};
use serde::{Deserialize, Serialize};

use crate::task::{Report, Task, Turn};

/// Of what, and at which n.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowthRequest {
    /// Gives the weights, the ball, the mask and the normaliser.
    pub experiment: Experiment,
    /// A few n, whose curves are told first: they are there within a frame, while a slider moves.
    pub sketch: GrowthPlan,
    /// The n of the curves.
    pub plan: GrowthPlan,
    /// The n of the exact norms.
    pub family_plan: GrowthPlan,
}

/// Curves and norms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GrowthEvent {
    /// The bounds: at the n of the sketch, then at all n.
    Curves(Box<Growth>),
    /// Exact norms of the adversarial tokens since the last event, in order of n.
    Family(Vec<FamilyPoint>),
}

/// The growth view under way.
#[derive(Debug)]
pub struct GrowthTask {
    request: GrowthRequest,
    stage: Stage,
    pending: Vec<FamilyPoint>,
}

#[derive(Debug)]
enum Stage {
    Sketch,
    Curves,
    Family(Box<Family>),
}

impl Task<Memory> for GrowthTask {
    type Plan = GrowthRequest;
    type Event = GrowthEvent;

    fn start(request: GrowthRequest, _: &mut Memory) -> Result<Self, InputError> {
        Ok(GrowthTask { request, stage: Stage::Sketch, pending: Vec::new() })
    }

    fn step(&mut self, memory: &mut Memory, report: &mut Report<'_, GrowthEvent>) -> Result<Turn, InputError> {
        let GrowthRequest { experiment, sketch, plan, family_plan } = &self.request;
        match &mut self.stage {
            Stage::Sketch => {
                report.event(GrowthEvent::Curves(Box::new(growth_within(experiment, sketch, *memory)?)));
                self.stage = Stage::Curves;
                Ok(Turn::More)
            }
            Stage::Curves => {
                report.event(GrowthEvent::Curves(Box::new(growth_within(experiment, plan, *memory)?)));
                let Some(family) = Family::new_within(experiment, family_plan, *memory)? else { return Ok(Turn::Done) };
                self.stage = Stage::Family(Box::new(family));
                Ok(Turn::More)
            }
            Stage::Family(family) => {
                let point = family.step();
                self.pending.extend(point);
                if point.is_none() || report.is_due() {
                    report.event(GrowthEvent::Family(std::mem::take(&mut self.pending)));
                }
                Ok(if point.is_none() { Turn::Done } else { Turn::More })
            }
        }
    }
}
