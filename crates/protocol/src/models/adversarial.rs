//! Heads of a model at their own adversarial tokens.

use lipscope_core::experiment::InputError;
use lipscope_models::{AdversarialPlan, PlanText, Subject, Table, adversarial_curve, adversarial_text};
use serde::{Deserialize, Serialize};

use super::context::{ModelContext, ModelOrigin, held};
use crate::task::{Poll, Report, Task};

/// Which heads, at which radius.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdversarialRequest {
    /// The model.
    pub origin: ModelOrigin,
    /// Layers, heads one by one, lengths, mask, map.
    pub plan: PlanText,
    /// R, the radius of the ball that contains the tokens.
    pub radius: f64,
}

/// Measures the heads in one step.
#[derive(Debug)]
pub struct AdversarialTask(AdversarialRequest);

impl Task<ModelContext> for AdversarialTask {
    type Plan = AdversarialRequest;
    type Event = Table;

    fn start(plan: AdversarialRequest, _: &mut ModelContext) -> Result<Self, InputError> {
        Ok(AdversarialTask(plan))
    }

    fn step(&mut self, context: &mut ModelContext, report: &mut Report<'_, Table>) -> Result<Poll, InputError> {
        let AdversarialRequest { origin, plan: text, radius } = &self.0;
        let mut opened = context.opened(origin)?;
        let plan = text.plan(opened.config())?;
        // The lengths are not limited by a text.
        plan.check(usize::MAX)?;
        held(&plan, opened.config())?;
        let of = Subject::of(opened.label(), &adversarial_text(*radius), &plan);
        let at_tokens = AdversarialPlan::of(&plan, *radius);
        let mut table = Table::new(of);
        for layer in &plan.layers {
            let model = opened.attention(*layer)?;
            for heads in &plan.heads {
                let head = heads.alone()?;
                table.rows.extend(adversarial_curve(&model, (*layer, head), &at_tokens, &plan.lengths)?);
            }
        }
        report.event(table);
        Ok(Poll::Done)
    }
}
