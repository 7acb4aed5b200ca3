//! A window of text as an experiment of the explorer.

use lipscope_core::experiment::InputError;
use lipscope_models::{Cell, PlanText, WindowExperiment, window_experiment};
use serde::{Deserialize, Serialize};

use super::{ModelContext, ModelOrigin};
use crate::task::{Report, Task, Turn};

/// Which window of which model and text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowPlan {
    /// The model.
    pub origin: ModelOrigin,
    /// A plan that contains the window.
    pub plan: PlanText,
    /// The text's token ids up to the end of the plan's windows.
    pub ids: Vec<u32>,
    /// The window, its layer and heads.
    pub cell: Cell,
}

/// Makes the experiment in one step.
#[derive(Debug)]
pub struct WindowTask(WindowPlan);

impl Task<ModelContext> for WindowTask {
    type Plan = WindowPlan;
    type Event = Box<WindowExperiment>;

    fn start(plan: WindowPlan, _: &mut ModelContext) -> Result<Self, InputError> {
        Ok(WindowTask(plan))
    }

    fn step(
        &mut self,
        context: &mut ModelContext,
        report: &mut Report<'_, Box<WindowExperiment>>,
    ) -> Result<Turn, InputError> {
        let WindowPlan { origin, plan, ids, cell } = &self.0;
        let prepared = context.prepare(origin, plan, ids)?;
        let maps = &prepared.maps;
        let tokens = maps.tokens(&prepared.ids, cell)?;
        report.event(Box::new(window_experiment(maps.model(), maps.plan(), cell, &tokens)?));
        Ok(Turn::Done)
    }
}
