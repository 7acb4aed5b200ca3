//! Runs a trained model backwards over windows of held-out text: from its output tokens back to the characters.

use lipscope_core::experiment::InputError;
use lipscope_core::inverse::Outcome;
use lipscope_train::{BranchInversion, Extent, Inversion, Trainer, invert};
use serde::{Deserialize, Serialize};

use super::context::{Beginning, TrainContext};
use crate::task::{Poll, Report, Task};

/// Which model, over how many windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackwardsPlan {
    /// The model, at its checkpoint.
    pub model: Beginning,
    /// Held-out windows, evenly spread.
    pub windows: usize,
    /// The most iterations for each branch.
    pub iterations: usize,
}

/// A window that was run backwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowRow {
    /// The text that went in.
    pub text: String,
    /// The text that came back; `None` where an iteration diverged.
    pub found: Option<String>,
    /// Characters that went in.
    pub characters: usize,
    /// Characters that were recovered.
    pub recovered: usize,
    /// The largest entry of the recovered tokens minus the embeddings.
    pub error: Option<f64>,
    /// Every branch, in the order in which they were run backwards.
    pub branches: Vec<BranchRow>,
}

/// A branch that was run backwards; see [`BranchInversion`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BranchRow {
    /// The block, counted from 0.
    pub layer: usize,
    /// Whether it is the MLP of the block, or its attention.
    pub branch: BranchKind,
    /// c, an upper bound on the factor by which the error shrinks each iteration; `None` unless the branch is a
    /// contraction.
    pub contraction: Option<f64>,
    /// The largest entry of the error before each iteration.
    pub errors: Vec<f64>,
    /// The largest entry of what each iteration changed.
    pub residuals: Vec<f64>,
    /// The factor by which the residual fell from one iteration to the next, on average.
    pub rate: Option<f64>,
    /// How the iteration ended.
    pub outcome: Outcome,
}

/// A branch of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BranchKind {
    /// Attention.
    Attention,
    /// The MLP.
    Mlp,
}

/// A model that is run backwards, a window at a time.
pub struct BackwardsTask {
    trainer: Trainer,
    starts: Vec<usize>,
    done: usize,
    iterations: usize,
}

impl Task<TrainContext> for BackwardsTask {
    type Plan = BackwardsPlan;
    type Event = WindowRow;

    fn start(plan: BackwardsPlan, _: &mut TrainContext) -> Result<Self, InputError> {
        let trainer = plan.model.trainer()?;
        let starts = trainer.corpus().held_out_windows(trainer.plan().context, plan.windows);
        Ok(BackwardsTask { trainer, starts, done: 0, iterations: plan.iterations })
    }

    fn step(&mut self, _: &mut TrainContext, report: &mut Report<'_, WindowRow>) -> Result<Poll, InputError> {
        let Some(start) = self.starts.get(self.done) else { return Ok(Poll::Done) };
        let (plan, corpus) = (self.trainer.plan(), self.trainer.corpus());
        let window = &corpus.held_out()[*start..start + plan.context];
        let inversion = invert(&self.trainer.stack(), window, Extent::of(plan.kind), self.iterations)?;
        let row = WindowRow {
            text: corpus.text(window),
            found: inversion.recovered.as_ref().map(|ids| corpus.text(ids)),
            characters: inversion.characters.len(),
            recovered: Inversion::n_recovered(&inversion),
            error: inversion.error,
            branches: inversion.branches.iter().map(BranchRow::of).collect(),
        };
        report.event(row);
        self.done += 1;
        report.progress((self.done, self.starts.len()));
        Ok(if self.done == self.starts.len() { Poll::Done } else { Poll::More })
    }
}

impl BranchRow {
    fn of(branch: &BranchInversion) -> Self {
        BranchRow {
            layer: branch.layer,
            branch: if branch.branch == "mlp" { BranchKind::Mlp } else { BranchKind::Attention },
            contraction: branch.contraction,
            errors: branch.steps.iter().map(|step| step.error).collect(),
            residuals: branch.steps.iter().map(|step| step.residual).collect(),
            rate: branch.rate(),
            outcome: branch.outcome,
        }
    }
}
