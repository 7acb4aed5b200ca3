//! The MLP of a layer and its Jacobian at given tokens, with g the activation:
//!
//! | MLP | value | Jacobian |
//! | --- | --- | --- |
//! | plain | W_2 g(a) + b_2, a = W_1 x + b_1 | W_2 diag(g'(a)) W_1 |
//! | gated | W_2 (g(a) * b) + b_2, a = W_g x + b_g, b = W_1 x + b_1 | W_2 (diag(g'(a) * b) W_g + diag(g(a)) W_1) |

use std::sync::Arc;

use nalgebra::DMatrix;

use super::activation::Activation;
use super::parts::{FeedForward, Linear, Side};
use lipscope_core::attention::Scalar;
use lipscope_core::experiment::InputError;
use lipscope_core::jacobian::LinearOperator;
use lipscope_core::phrase;

/// The Jacobian of an MLP at given tokens. The weights stay f32 in the model, and products convert them.
#[derive(Clone, Debug)]
pub(super) struct MlpJacobian<T: Scalar> {
    part: Arc<FeedForward>,
    /// g'(a), or g'(a) * b for a gated MLP, inner x n.
    slopes: DMatrix<T>,
    /// g(a) of a gated MLP, inner x n.
    factors: Option<DMatrix<T>>,
    /// Buffer for the hidden layer in a product, inner x n numbers.
    hidden: Vec<T>,
    /// Another one, where there is a gate.
    gated: Vec<T>,
}

impl FeedForward {
    /// The MLP at tokens (d x n).
    pub(super) fn apply(&self, x: &DMatrix<f64>, activation: Activation) -> DMatrix<f64> {
        let mut hidden = self.widen.apply(x);
        match &self.gate {
            Some(gate) => hidden.zip_apply(&gate.apply(x), |b, a| *b *= activation.at(a)),
            None => hidden.apply(|x| *x = activation.at(*x)),
        }
        self.narrow.apply(&hidden)
    }

    /// The map whose outputs go through the activation.
    fn activated(&self) -> &Linear {
        self.gate.as_ref().unwrap_or(&self.widen)
    }
}

impl MlpJacobian<f64> {
    /// The value at tokens (d x n), and the Jacobian there.
    ///
    /// # Errors
    /// [`InputError::NoDerivative`] where a token puts a ReLU at exactly 0.
    pub(super) fn at(
        part: &Arc<FeedForward>,
        x: &DMatrix<f64>,
        activation: Activation,
    ) -> Result<(DMatrix<f64>, Self), InputError> {
        let mut hidden = part.activated().apply(x);
        if activation == Activation::Relu {
            check_kinks(part, &hidden)?;
        }
        let mut slopes = hidden.map(|x| activation.derivative(x));
        hidden.apply(|x| *x = activation.at(*x));
        let mut factors = None;
        if part.gate.is_some() {
            let widened = part.widen.apply(x);
            slopes.component_mul_assign(&widened);
            factors = Some(hidden.clone());
            hidden.component_mul_assign(&widened);
        }
        let value = part.narrow.apply(&hidden);
        let gated = vec![0.0; factors.as_ref().map_or(0, DMatrix::len)];
        let part = Arc::clone(part);
        Ok((value, MlpJacobian { part, slopes, factors, hidden: hidden.data.into(), gated }))
    }

    /// The same Jacobian in f32.
    pub(super) fn single(&self) -> MlpJacobian<f32> {
        MlpJacobian {
            part: Arc::clone(&self.part),
            slopes: self.slopes.map(|x| x as f32),
            factors: self.factors.as_ref().map(|factors| factors.map(|x| x as f32)),
            hidden: vec![0.0; self.hidden.len()],
            gated: vec![0.0; self.gated.len()],
        }
    }
}

/// Refuses tokens that put a unit of the hidden layer (inner x n, before the activation) at exactly 0, where max(x, 0)
/// has a kink. A unit whose input weights or output weights are all zero does not change the output, so it is allowed.
fn check_kinks(part: &FeedForward, hidden: &DMatrix<f64>) -> Result<(), InputError> {
    let matters = |unit: usize| {
        let (read, written) = (part.activated().weight.row(unit), part.narrow.weight.column(unit));
        read.iter().any(|x| *x != 0.0) && written.iter().any(|x| *x != 0.0)
    };
    for (token_idx, units) in hidden.column_iter().enumerate() {
        if let Some(unit) = (0..units.len()).find(|unit| units[*unit] == 0.0 && matters(*unit)) {
            return Err(InputError::NoDerivative {
                row: token_idx + 1,
                problem: phrase!(
                    "relu_at_zero",
                    "puts unit {unit} of the MLP at exactly 0, where ReLU has no derivative",
                    unit = unit + 1
                ),
                fix: phrase!("other_text_or_model", "Measure other text or another map of the model."),
            });
        }
    }
    Ok(())
}

impl<T: Scalar> MlpJacobian<T> {
    /// The product of a linear map, or of its transpose, with v.
    fn linear(of: &Linear, side: Side, v: &[T], out: &mut [T]) {
        out.fill(T::constant(0.0));
        of.add_product(side, v, out);
    }
}

impl<T: Scalar> LinearOperator<T> for MlpJacobian<T> {
    fn n_inputs(&self) -> usize {
        self.part.widen.weight.ncols() * self.slopes.ncols()
    }

    fn n_outputs(&self) -> usize {
        self.part.narrow.weight.nrows() * self.slopes.ncols()
    }

    fn apply(&mut self, v: &[T], out: &mut [T]) {
        Self::linear(self.part.activated(), Side::Plain, v, &mut self.hidden);
        multiply_entries(&mut self.hidden, &self.slopes);
        if let Some(factors) = &self.factors {
            Self::linear(&self.part.widen, Side::Plain, v, &mut self.gated);
            multiply_entries(&mut self.gated, factors);
            self.hidden.iter_mut().zip(&self.gated).for_each(|(x, y)| *x += *y);
        }
        Self::linear(&self.part.narrow, Side::Plain, &self.hidden, out);
    }

    fn apply_transpose(&mut self, u: &[T], out: &mut [T]) {
        Self::linear(&self.part.narrow, Side::Transposed, u, &mut self.hidden);
        if let Some(factors) = &self.factors {
            self.gated.copy_from_slice(&self.hidden);
            multiply_entries(&mut self.gated, factors);
        }
        multiply_entries(&mut self.hidden, &self.slopes);
        Self::linear(self.part.activated(), Side::Transposed, &self.hidden, out);
        if self.factors.is_some() {
            self.part.widen.add_product(Side::Transposed, &self.gated, out);
        }
    }
}

/// x * y, entry by entry.
fn multiply_entries<T: Scalar>(x: &mut [T], y: &DMatrix<T>) {
    x.iter_mut().zip(y.as_slice()).for_each(|(x, y)| *x *= *y);
}
