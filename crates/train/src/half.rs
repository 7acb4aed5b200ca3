//! The halves of a step. The gradient over a step's windows is the mean of the gradients of its halves, which two
//! threads or two workers can compute at the same time. Every step is cut into the same halves, whoever computes them,
//! so the digits are the same.

use super::gradient::{Batch, loss_and_gradients};
use super::parameters::{Parameters, bytes_of, values_of};
use super::plan::Plan;

/// The windows of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halves {
    /// Half of the windows, or one more.
    pub first: Batch,
    /// The other windows; a step of one window has none.
    pub second: Option<Batch>,
}

/// The loss of a half and its gradient.
#[derive(Clone, Debug, PartialEq)]
pub struct HalfGradient {
    /// The number of predicted characters.
    predictions: usize,
    /// The mean cross entropy over them in nats.
    loss: f64,
    /// The gradient of the loss: for every matrix of the network, in their order, the entries row by row.
    by_matrix: Vec<Vec<f32>>,
}

/// A half that is computed apart from its run, for example by another worker. It holds the weights and windows that it
/// needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Errand {
    plan: Plan,
    parameters: Parameters,
    batch: Batch,
}

impl Halves {
    /// Cuts the windows of a step into two halves.
    pub(crate) fn of(batch: Batch, context: usize) -> Halves {
        let Batch { mut ids, mut next } = batch;
        let at = (ids.len() / context).div_ceil(2) * context;
        let second = Batch { ids: ids.split_off(at), next: next.split_off(at) };
        Halves { first: Batch { ids, next }, second: Some(second).filter(|second| !second.ids.is_empty()) }
    }
}

impl HalfGradient {
    pub(crate) fn new(plan: &Plan, parameters: &Parameters, batch: &Batch) -> Self {
        let (loss, by_matrix) = loss_and_gradients(plan, parameters, batch);
        HalfGradient { predictions: batch.ids.len(), loss, by_matrix }
    }

    /// The mean cross entropy over its windows in nats.
    #[must_use]
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// The gradient as bytes, four bytes for each number, matrix after matrix, row by row.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes_of(self.by_matrix.iter().map(Vec::as_slice))
    }

    /// The result of an errand, from its loss and bytes; `None` if the number of bytes does not fit the weights.
    pub(crate) fn of_bytes(parameters: &Parameters, batch: &Batch, loss: f64, bytes: &[u8]) -> Option<Self> {
        let by_matrix = values_of(parameters.iter().map(|parameter| parameter.values.len()), bytes)?;
        Some(HalfGradient { predictions: batch.ids.len(), loss, by_matrix })
    }

    /// The loss and the gradient of both halves together.
    pub(crate) fn mean(first: Self, second: Option<Self>) -> (f64, Vec<Vec<f32>>) {
        let Some(second) = second else { return (first.loss, first.by_matrix) };
        let all = (first.predictions + second.predictions) as f64;
        let [a, b] = [&first, &second].map(|half| half.predictions as f64 / all);
        let loss = a * first.loss + b * second.loss;
        let mut mean = first.by_matrix;
        let (a, b) = (a as f32, b as f32);
        for (mean, second) in mean.iter_mut().flatten().zip(second.by_matrix.iter().flatten()) {
            *mean = a * *mean + b * *second;
        }
        (loss, mean)
    }
}

impl Errand {
    /// Assembles weights ([`Parameters::to_bytes`]) and windows; `None` if they do not fit the plan and the number of
    /// distinct characters, or if the step would hold more than 2 GiB.
    #[must_use]
    pub fn new(plan: Plan, vocabulary: usize, weights: &[u8], batch: Batch) -> Option<Errand> {
        plan.check_memory(vocabulary).ok()?;
        let is_character = |id: &u32| (*id as usize) < vocabulary;
        let windows = batch.ids.len() / plan.context;
        let fits = batch.ids.len() == batch.next.len()
            && batch.ids.len().is_multiple_of(plan.context)
            && (1..=plan.batch).contains(&windows)
            && batch.ids.iter().chain(&batch.next).all(is_character);
        if !fits {
            return None;
        }
        let parameters = Parameters::of_bytes(&plan, vocabulary, weights)?;
        Some(Errand { plan, parameters, batch })
    }

    /// The loss of the windows and its gradient.
    #[must_use]
    pub fn gradient(&self) -> HalfGradient {
        HalfGradient::new(&self.plan, &self.parameters, &self.batch)
    }
}
