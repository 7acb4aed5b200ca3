//! The loss of a batch and its gradient.

use serde::{Deserialize, Serialize};

use super::network::cross_entropy;
use super::number::Number;
use super::parameters::Parameters;
use super::plan::Plan;
use super::tensors::{Record, Tensors};

/// Windows of T characters, and for each character its successor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Window after window, T ids each.
    pub ids: Vec<u32>,
    /// The character that follows each of them.
    pub next: Vec<u32>,
}

impl Batch {
    /// The windows of `text` that start at these characters.
    ///
    /// # Panics
    /// If a window and the character after it do not lie in the text.
    #[must_use]
    pub fn new(text: &[u32], starts: &[usize], context: usize) -> Batch {
        let windows = |shift: usize| starts.iter().flat_map(move |at| &text[at + shift..at + shift + context]).copied();
        Batch { ids: windows(0).collect(), next: windows(1).collect() }
    }
}

/// The mean cross entropy over a batch in nats.
#[must_use]
pub fn loss<E: Number>(plan: &Plan, parameters: &Parameters<E>, batch: &Batch) -> f64 {
    let loss = cross_entropy(&Tensors::new(plan, parameters, Record::Nothing), &batch.ids, &batch.next);
    E::values(&loss.into_data())[0].double()
}

/// The mean cross entropy over a batch in nats, and its gradient: for every matrix of the network, in their order, the
/// entries row by row.
///
/// # Panics
/// If a matrix has no gradient. This cannot happen: every matrix takes part in the forward pass.
#[must_use]
pub fn loss_and_gradients<E: Number>(plan: &Plan, parameters: &Parameters<E>, batch: &Batch) -> (f64, Vec<Vec<E>>) {
    let tensors = Tensors::new(plan, parameters, Record::Gradients);
    let loss = cross_entropy(&tensors, &batch.ids, &batch.next);
    let mut gradients = loss.backward();
    let gradient = |name: &str| {
        let tensor = tensors.matrix(name).grad_remove(&mut gradients).expect("every matrix takes part in the loss");
        E::values(&tensor.into_data())
    };
    let by_matrix = parameters.iter().map(|parameter| parameter.name.as_str()).map(gradient).collect();
    (E::values(&loss.into_data())[0].double(), by_matrix)
}
