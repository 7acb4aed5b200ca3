//! ||J(X)||_2 and its gradient in X.
//!
//! For a simple largest singular value s with vectors u, v, the derivative of s in a direction E is <u, J'(X)[E] v>. J
//! is the derivative of f and second derivatives are symmetric, so this is the derivative of <J(X + e v)^T u, E> in e:
//! the gradient is d/de J(X + e v)^T u at e = 0, the dual part of one adjoint product at the dual tokens X + e v. If s
//! is multiple, this is one of its generalised gradients (docs/numerics.md, "Search").

use nalgebra::DMatrix;

use crate::attention::{Dual, Forward, Scalar};
use crate::experiment::{Experiment, InputError};
use crate::jacobian::{JacobianOperator, LinearOperator, dense_jacobian};
use crate::phrase;
use crate::random::{Random, Stream};
use crate::spectral::{Lanczos, LanczosOptions, SingularTriplet, largest_triplet};
use crate::weights::Inputs;

/// The most rows and columns of a dense decomposition: past it a few Lanczos steps cost less (benches/README.md).
pub(super) const SVD_LIMIT: usize = 48;
/// The norm of the random vector that is added to the unit singular vector from which an iteration starts. Without it,
/// an iteration from a vector with equal parts at equal tokens would find only vectors of this kind.
const START_NOISE: f64 = 0.05;

/// Attention whose forward pass can be run at any tokens (d x n).
pub trait AttentionAt {
    /// The forward pass.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if scores overflow.
    fn forward(&self, tokens: &DMatrix<f64>) -> Result<Forward<f64>, InputError>;

    /// The forward pass with derivatives in one direction.
    ///
    /// # Errors
    /// As [`AttentionAt::forward`].
    fn lifted(&self, tokens: &DMatrix<Dual>) -> Result<Forward<Dual>, InputError>;
}

/// The attention of an experiment.
#[derive(Clone, Copy, Debug)]
pub struct ExperimentAttention<'a> {
    /// What the steps are.
    pub experiment: &'a Experiment,
    /// The weights; their tokens do not count.
    pub inputs: &'a Inputs,
}

impl AttentionAt for ExperimentAttention<'_> {
    fn forward(&self, tokens: &DMatrix<f64>) -> Result<Forward<f64>, InputError> {
        Forward::at(self.experiment, self.inputs, tokens)
    }

    fn lifted(&self, tokens: &DMatrix<Dual>) -> Result<Forward<Dual>, InputError> {
        Forward::at(self.experiment, self.inputs, tokens)
    }
}

/// ||J||_2 at tokens (d x n) with its singular vectors. The iteration starts at `near`, the right vector at nearby
/// tokens.
///
/// # Errors
/// [`InputError::Overflow`] if scores or the Jacobian overflow.
pub fn norm_at(
    experiment: &Experiment,
    inputs: &Inputs,
    tokens: &DMatrix<f64>,
    near: Option<&[f64]>,
) -> Result<SingularTriplet, InputError> {
    norm_of_attention(&ExperimentAttention { experiment, inputs }, tokens, near, LanczosOptions::default())
}

/// As [`norm_at`], for any attention; an iteration that stops early gives a lower bound.
///
/// # Errors
/// As [`norm_at`].
pub fn norm_of_attention(
    attention: &impl AttentionAt,
    tokens: &DMatrix<f64>,
    near: Option<&[f64]>,
    options: LanczosOptions,
) -> Result<SingularTriplet, InputError> {
    let forward = attention.forward(tokens)?;
    let overflow = || InputError::Overflow { what: phrase!("entries_jacobian", "The entries of the Jacobian") };
    if forward.n() * forward.d().max(forward.d_out()) <= SVD_LIMIT {
        return largest_triplet(&dense_jacobian(&forward)).ok_or_else(overflow);
    }
    let mut operator = JacobianOperator::new(forward);
    let lanczos = match near.filter(|near| near.len() == operator.n_inputs()) {
        Some(near) => {
            let mut random = Random::new(options.seed, Stream::StartVector);
            let share = START_NOISE / (near.len() as f64).sqrt();
            Lanczos::from_vector(near.iter().map(|x| x + share * random.normal()).collect(), options)
        }
        None => Lanczos::new(operator.n_inputs(), options),
    };
    let triplet = lanczos.run(&mut operator);
    if triplet.value.is_finite() { Ok(triplet) } else { Err(overflow()) }
}

/// The gradient of ||J||_2 at tokens (d x n), from the singular vectors there; d x n.
///
/// # Errors
/// [`InputError::Overflow`] if scores overflow.
pub fn gradient_at(
    experiment: &Experiment,
    inputs: &Inputs,
    tokens: &DMatrix<f64>,
    triplet: &SingularTriplet,
) -> Result<DMatrix<f64>, InputError> {
    gradient_of_attention(&ExperimentAttention { experiment, inputs }, tokens, triplet)
}

/// As [`gradient_at`], for any attention.
///
/// # Errors
/// As [`gradient_at`].
pub(super) fn gradient_of_attention(
    attention: &impl AttentionAt,
    tokens: &DMatrix<f64>,
    triplet: &SingularTriplet,
) -> Result<DMatrix<f64>, InputError> {
    let (d, n) = tokens.shape();
    let lifted = DMatrix::from_fn(d, n, |row, col| Dual::new(tokens[(row, col)], triplet.right[col * d + row]));
    let mut operator = JacobianOperator::new(attention.lifted(&lifted)?);
    let left: Vec<Dual> = triplet.left.iter().map(|x| Dual::constant(*x)).collect();
    let mut back = vec![Dual::constant(0.0); d * n];
    operator.apply_transpose(&left, &mut back);
    Ok(DMatrix::from_iterator(d, n, back.iter().map(|x| x.eps)))
}
