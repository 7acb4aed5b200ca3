//! The records of a training run.

use std::sync::Arc;

use lipscope_train::{LayerConstant, StepReport, Trainer};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// The sizes of a run's model and text.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFacts {
    /// Steps done when the worker began or resumed it.
    pub step: usize,
    /// Numbers that are trained.
    pub parameters: usize,
    /// Distinct characters of the text.
    pub vocabulary: usize,
    /// Characters of the text's training part.
    pub training: usize,
    /// Characters of its held-out part.
    pub held_out: usize,
}

/// A step of training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRow {
    /// The number of the step, counted from 1.
    pub step: usize,
    /// The mean cross entropy over its windows before the step, in nats a character.
    pub loss: f64,
    /// Its learning rate.
    pub learning_rate: f64,
}

/// The measurements after a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Steps done so far.
    pub step: usize,
    /// The mean cross entropy over held-out windows, in nats a character.
    pub held_out: f64,
    /// Every layer's attention at the first held-out window.
    pub layers: Vec<LayerRow>,
    /// A text that the model draws, with the same seed each time.
    pub sample: String,
}

/// The attention of a layer; see [`LayerConstant`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerRow {
    /// The block, counted from 0.
    pub layer: usize,
    /// The norm of its Jacobian, by iteration: never above the exact value.
    pub norm: f64,
    /// The relative residual of the iteration.
    pub residual: f64,
    /// Steps of the iteration.
    pub steps: usize,
    /// An upper bound on the norm at these tokens.
    pub bound: f64,
    /// An upper bound on the l_inf norm at all tokens; `None` unless the layer is a contraction.
    pub linf_bound: Option<f64>,
}

/// The state of a run as bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// Steps that were done.
    pub step: usize,
    /// The bytes for [`super::Beginning::checkpoint`].
    pub bytes: Arc<ByteBuf>,
}

impl RunFacts {
    /// The sizes of a model's run.
    pub(super) fn of(trainer: &Trainer) -> Self {
        RunFacts {
            step: trainer.steps_done(),
            parameters: trainer.weights().iter().map(|parameter| parameter.values.len()).sum(),
            vocabulary: trainer.corpus().vocabulary().len(),
            training: trainer.corpus().training().len(),
            held_out: trainer.corpus().held_out().len(),
        }
    }
}

impl From<StepReport> for StepRow {
    fn from(StepReport { step, loss, learning_rate }: StepReport) -> Self {
        StepRow { step, loss, learning_rate }
    }
}

impl From<LayerConstant> for LayerRow {
    fn from(LayerConstant { layer, norm, residual, steps, bound, linf_bound }: LayerConstant) -> Self {
        LayerRow { layer, norm, residual, steps, bound, linf_bound }
    }
}
