//! What the rows of a batch cost, for the time that a run still takes.

use lipscope_models::{Cell, Estimate};
use lipscope_protocol::models::{BatchPlan, LayersPlan};

/// What some rows share: the pass of their windows through the model.
pub(super) struct Share {
    pass_tokens: usize,
    rows: usize,
}

impl Share {
    /// The rows of a batch.
    pub(super) fn of_batch(plan: &BatchPlan) -> Self {
        Share { pass_tokens: plan.batch.pass_tokens(), rows: plan.wanted.len() }
    }

    /// The rows of a run layer by layer.
    pub(super) fn of_layers(plan: &LayersPlan) -> Self {
        Share {
            pass_tokens: plan.batches.iter().map(|(batch, _)| batch.pass_tokens()).sum(),
            rows: plan.batches.iter().map(|(_, wanted)| wanted.len()).sum(),
        }
    }

    /// The part of the cost that belongs to some of the rows: their own tokens, and their share of the pass.
    pub(super) fn cost(&self, rows: &[(Cell, Estimate)]) -> f64 {
        let pass = self.pass_tokens as f64 * rows.len() as f64 / self.rows.max(1) as f64;
        pass + rows.iter().map(|(cell, _)| cell.n).sum::<usize>() as f64
    }
}
