//! The MLP of a layer, MLP(x) = W_2 g(W_1 x + b_1) + b_2 with g the activation, and its Jacobian W_2 diag(g') W_1 at
//! given tokens.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::config::Activation;
use super::parts::{FeedForward, Side};
use lipscope_core::attention::Scalar;
use lipscope_core::experiment::InputError;
use lipscope_core::jacobian::LinearOperator;
use lipscope_core::phrase;

/// The Jacobian of an MLP at given tokens. The weights stay f32 in the model, and products convert them.
#[derive(Clone, Debug)]
pub(super) struct MlpJacobian<T: Scalar> {
    part: Arc<FeedForward>,
    /// g' at W_1 x + b_1, inner x n.
    slopes: DMatrix<T>,
    /// Buffer for the hidden layer in a product, inner x n numbers.
    hidden: Vec<T>,
}

impl FeedForward {
    /// The MLP at tokens (d x n).
    pub(super) fn apply(&self, x: &DMatrix<f64>, activation: Activation) -> DMatrix<f64> {
        let mut hidden = self.widen.apply(x);
        hidden.apply(|x| *x = activation.at(*x));
        self.narrow.apply(&hidden)
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
        let mut hidden = part.widen.apply(x);
        if activation == Activation::Relu {
            check_kinks(part, &hidden)?;
        }
        let slopes = hidden.map(|x| activation.derivative(x));
        hidden.apply(|x| *x = activation.at(*x));
        let value = part.narrow.apply(&hidden);
        Ok((value, MlpJacobian { part: Arc::clone(part), slopes, hidden: hidden.data.into() }))
    }

    /// The same Jacobian in f32.
    pub(super) fn single(&self) -> MlpJacobian<f32> {
        MlpJacobian {
            part: Arc::clone(&self.part),
            slopes: self.slopes.map(|x| x as f32),
            hidden: vec![0.0; self.hidden.len()],
        }
    }
}

/// Refuses tokens that put a unit of the hidden layer (inner x n, before the activation) at exactly 0, where max(x, 0)
/// has a kink. A unit whose input weights or output weights are all zero does not change the output, so it is allowed.
fn check_kinks(part: &FeedForward, hidden: &DMatrix<f64>) -> Result<(), InputError> {
    let matters = |unit: usize| {
        let (read, written) = (part.widen.weight.row(unit), part.narrow.weight.column(unit));
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
    /// out = W_2 diag(g') W_1 v, or its transpose.
    fn product(&mut self, side: Side, v: &[T], out: &mut [T]) {
        let FeedForward { widen, narrow, .. } = &*self.part;
        let [first, second] = if side == Side::Plain { [widen, narrow] } else { [narrow, widen] };
        self.hidden.fill(T::constant(0.0));
        first.add_product(side, v, &mut self.hidden);
        self.hidden.iter_mut().zip(self.slopes.as_slice()).for_each(|(x, slope)| *x *= *slope);
        out.fill(T::constant(0.0));
        second.add_product(side, &self.hidden, out);
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
        self.product(Side::Plain, v, out);
    }

    fn apply_transpose(&mut self, u: &[T], out: &mut [T]) {
        self.product(Side::Transposed, u, out);
    }
}

impl Activation {
    /// The value at x.
    #[must_use]
    pub fn at(self, x: f64) -> f64 {
        match self {
            Activation::GeluErf => x * normal_distribution(x),
            Activation::GeluTanh => x * logistic(x).0,
            Activation::Relu => x.max(0.0),
        }
    }

    /// The derivative at x; max(x, 0) has none at 0, and this gives 0 there (`MlpJacobian::at` refuses such tokens).
    #[must_use]
    pub fn derivative(self, x: f64) -> f64 {
        match self {
            Activation::GeluErf => {
                let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
                normal_distribution(x) + x * density
            }
            Activation::GeluTanh => {
                let (s, slope) = logistic(x);
                s + x * s * (1.0 - s) * slope
            }
            Activation::Relu => f64::from(u8::from(x > 0.0)),
        }
    }
}

/// Phi(x).
fn normal_distribution(x: f64) -> f64 {
    0.5 * (1.0 + libm::erf(x * std::f64::consts::FRAC_1_SQRT_2))
}

/// (1 + tanh(z))/2 = 1/(1 + exp(-2 z)) with z = sqrt(2/pi) (x + 0.044715 x^3), and the derivative of 2 z.
fn logistic(x: f64) -> (f64, f64) {
    const CUBIC: f64 = 0.044_715;
    let root = (2.0 / std::f64::consts::PI).sqrt();
    (1.0 / (1.0 + (-2.0 * root * (x + CUBIC * x * x * x)).exp()), 2.0 * root * (1.0 + 3.0 * CUBIC * x * x))
}
