//! A feed-forward network and its Jacobian at given tokens, with g the activation:
//!
//! | network | value | Jacobian |
//! | --- | --- | --- |
//! | plain | W_2 g(a) + b_2, a = W_1 x + b_1 | W_2 diag(g'(a)) W_1 |
//! | gated | W_2 (g(a) * h(b)) + b_2, a = W_g x + b_g, b = W_1 x + b_1 | W_2 (diag(g'(a) * h(b)) W_g + diag(g(a) * h'(b)) W_1) |
//!
//! h(b) = b, but for units that are cut off ([`Unit::Cut`]). Networks of which a token chooses some are in `experts`.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::dense::{DenseJacobian, MlpRule};
use super::experts::ExpertsJacobian;
use super::model::{FeedForward, Network};
use crate::config::model_config::Unit;
use lipscope_core::attention::Scalar;
use lipscope_core::experiment::InputError;
use lipscope_core::jacobian::LinearOperator;

/// The Jacobian of an MLP at given tokens. The weights stay f32 in the model, and products convert them.
#[derive(Clone, Debug)]
pub(crate) struct MlpJacobian<T: Scalar> {
    part: Arc<FeedForward>,
    network: NetworkJacobian<T>,
    /// d n.
    len: usize,
}

#[derive(Clone, Debug)]
enum NetworkJacobian<T: Scalar> {
    Dense(DenseJacobian<T>),
    Experts(ExpertsJacobian<T>),
}

impl FeedForward {
    /// The MLP at tokens (d x n).
    pub(crate) fn apply(&self, x: &DMatrix<f64>, rule: MlpRule) -> DMatrix<f64> {
        match &self.network {
            Network::Dense(dense) => dense.apply(x, rule.activation, Unit::Plain),
            Network::Experts(experts) => experts.apply(x, rule),
        }
    }
}

impl MlpJacobian<f64> {
    /// The value at tokens (d x n), and the Jacobian there.
    ///
    /// # Errors
    /// [`InputError::NoDerivative`] where a token puts a ReLU at exactly 0.
    pub(crate) fn at(
        part: &Arc<FeedForward>,
        x: &DMatrix<f64>,
        rule: MlpRule,
    ) -> Result<(DMatrix<f64>, Self), InputError> {
        let (value, network) = match &part.network {
            Network::Dense(dense) => {
                let (value, jacobian) = DenseJacobian::at(dense, x, rule.activation, Unit::Plain)?;
                (value, NetworkJacobian::Dense(jacobian))
            }
            Network::Experts(experts) => {
                let (value, jacobian) = ExpertsJacobian::at(experts, x, rule)?;
                (value, NetworkJacobian::Experts(jacobian))
            }
        };
        Ok((value, MlpJacobian { part: Arc::clone(part), network, len: x.len() }))
    }

    /// The same Jacobian in f32.
    pub(crate) fn single(&self) -> MlpJacobian<f32> {
        let network = match &self.network {
            NetworkJacobian::Dense(dense) => NetworkJacobian::Dense(dense.single()),
            NetworkJacobian::Experts(experts) => NetworkJacobian::Experts(experts.single()),
        };
        MlpJacobian { part: Arc::clone(&self.part), network, len: self.len }
    }
}

impl<T: Scalar> LinearOperator<T> for MlpJacobian<T> {
    fn n_inputs(&self) -> usize {
        self.len
    }

    fn n_outputs(&self) -> usize {
        self.len
    }

    fn apply(&mut self, v: &[T], out: &mut [T]) {
        match (&mut self.network, &self.part.network) {
            (NetworkJacobian::Dense(jacobian), Network::Dense(dense)) => jacobian.apply(dense, v, out),
            (NetworkJacobian::Experts(jacobian), Network::Experts(experts)) => jacobian.apply(experts, v, out),
            // Both are made from the same network.
            _ => {}
        }
    }

    fn apply_transpose(&mut self, u: &[T], out: &mut [T]) {
        match (&mut self.network, &self.part.network) {
            (NetworkJacobian::Dense(jacobian), Network::Dense(dense)) => jacobian.apply_transpose(dense, u, out),
            (NetworkJacobian::Experts(jacobian), Network::Experts(experts)) => {
                jacobian.apply_transpose(experts, u, out);
            }
            _ => {}
        }
    }
}
