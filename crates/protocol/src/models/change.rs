//! The worst change at one window, step by step.

use lipscope_core::experiment::InputError;
use lipscope_models::{Cell, WorstChange, WorstChangeStep, WorstChanging};
use serde::{Deserialize, Serialize};

use super::ModelContext;
use super::batch::WindowPlan;
use crate::task::{Poll, Report, Task};

/// The worst change at a window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeAt {
    /// The window, its layer and heads.
    pub cell: Cell,
    /// The change.
    pub change: WorstChange,
}

/// Finds the change; reports steps of the iteration as progress.
#[derive(Debug)]
pub struct ChangeTask {
    plan: WindowPlan,
    changing: Option<WorstChanging>,
}

impl Task<ModelContext> for ChangeTask {
    type Plan = WindowPlan;
    type Event = Box<ChangeAt>;

    fn start(plan: WindowPlan, _: &mut ModelContext) -> Result<Self, InputError> {
        Ok(ChangeTask { plan, changing: None })
    }

    fn step(&mut self, context: &mut ModelContext, report: &mut Report<'_, Box<ChangeAt>>) -> Result<Poll, InputError> {
        let WindowPlan { origin, plan, ids, cell } = &self.plan;
        let Some(changing) = &mut self.changing else {
            let begun = context.at_window((origin, plan, ids), cell, |at| at.worst_change())?;
            self.changing = Some(begun);
            return Ok(Poll::More);
        };
        match changing.step() {
            WorstChangeStep::Going(iterations, residual) => {
                if report.is_due() {
                    report.iterations(iterations, residual.is_finite().then_some(residual));
                }
                Ok(Poll::More)
            }
            WorstChangeStep::Done(change) => {
                report.event(Box::new(ChangeAt { cell: *cell, change }));
                Ok(Poll::Done)
            }
        }
    }
}
