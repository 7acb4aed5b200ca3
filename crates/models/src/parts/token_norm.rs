//! The norm of a token with gain and shift per coordinate, and its Jacobian at given tokens: layer norm,
//! y = gain * (x - mean)/sqrt(var + eps) + shift, or RMS norm, y = gain * x/sqrt(mean x^2 + eps).

use std::ops::Range;

use nalgebra::DMatrix;

use crate::config::residual::Residual;
use lipscope_core::attention::{Normalizer, Scalar};
use lipscope_core::experiment::{InputError, Normalization};
use lipscope_core::phrase;

/// Layer norm or RMS norm with a gain and a shift for each coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenNorm {
    /// `Layer` or `Rms`.
    pub normalization: Normalization,
    /// Added to the variance, or to the mean square.
    pub eps: f64,
    /// Added to every gain: 0, or 1 where the file holds the gains minus 1.
    pub base: f64,
    /// The gain of each coordinate minus the base, d numbers.
    pub gain: Vec<f32>,
    /// The shift of each coordinate, d numbers; zeros for a norm without one.
    pub shift: Vec<f32>,
}

/// The Jacobian of a norm at given tokens: diag(gain) N with N symmetric, token by token.
#[derive(Clone, Debug)]
pub(crate) struct NormJacobian<T: Scalar> {
    gain: Vec<T>,
    normalizer: Normalizer<T>,
}

impl TokenNorm {
    /// A norm with gains of 1 and shifts of 0, for tokens of d entries.
    #[must_use]
    pub fn plain(normalization: Normalization, eps: f64, d: usize) -> Self {
        TokenNorm { normalization, eps, base: 0.0, gain: vec![1.0; d], shift: vec![0.0; d] }
    }

    /// Normalises every column, then applies gain and shift; returns the Jacobian there.
    ///
    /// # Errors
    /// [`InputError::NoDerivative`] for eps = 0 at a token that is constant (layer norm) or zero (RMS norm).
    pub(crate) fn apply(&self, x: &mut DMatrix<f64>) -> Result<NormJacobian<f64>, InputError> {
        let normalizer = Normalizer::new(self.normalization, self.eps, x)?;
        x.copy_from(normalizer.outputs());
        let gains: Vec<f64> = self.gain.iter().map(|gain| self.base + f64::from(*gain)).collect();
        for mut token in x.column_iter_mut() {
            for ((x, gain), shift) in token.iter_mut().zip(&gains).zip(&self.shift) {
                *x = *x * gain + f64::from(*shift);
            }
        }
        Ok(NormJacobian { gain: gains, normalizer })
    }
}

impl Residual<TokenNorm> {
    /// Turns the tokens (d x n) into what enters the branch.
    ///
    /// # Errors
    /// As [`TokenNorm::apply`].
    pub(crate) fn enter(&self, x: &mut DMatrix<f64>) -> Result<Option<NormJacobian<f64>>, InputError> {
        match self {
            Residual::Branch { before: Some(norm), .. } => norm.apply(x).map(Some),
            _ => Ok(None),
        }
    }

    /// Adds what comes out of the branch, `value` plus `bias`, times `factor` to the tokens x (d x n); `entered` is what
    /// [`Residual::enter`] returned.
    ///
    /// # Errors
    /// As [`TokenNorm::apply`].
    pub(crate) fn leave(
        &self,
        entered: Option<NormJacobian<f64>>,
        x: &mut DMatrix<f64>,
        mut value: DMatrix<f64>,
        (bias, factor): (&[f64], f64),
    ) -> Result<Residual<NormJacobian<f64>>, InputError> {
        let add_to = |x: &mut DMatrix<f64>, value: DMatrix<f64>| {
            x.zip_apply(&value, |x, y| *x += factor * y);
        };
        let add_scaled = |x: &mut DMatrix<f64>| add_bias(x, &bias.iter().map(|b| factor * b).collect::<Vec<f64>>());
        Ok(match self {
            Residual::Sum(norm) => {
                add_to(x, value);
                add_scaled(x);
                Residual::Sum(norm.apply(x)?)
            }
            Residual::Branch { after: None, .. } => {
                add_to(x, value);
                add_scaled(x);
                Residual::Branch { before: entered, after: None }
            }
            Residual::Branch { after: Some(norm), .. } => {
                add_bias(&mut value, bias);
                let after = Some(norm.apply(&mut value)?);
                add_to(x, value);
                Residual::Branch { before: entered, after }
            }
        })
    }
}

/// Adds a bias to every column; an empty one is none.
pub(crate) fn add_bias(x: &mut DMatrix<f64>, bias: &[f64]) {
    x.column_iter_mut().for_each(|mut token| token.iter_mut().zip(bias).for_each(|(x, b)| *x += b));
}

/// The same error, with the place of its token in its own window instead of the place among the tokens of all windows.
/// Errors that name no token stay as they are.
pub(crate) fn in_window(problem: InputError, spans: &[Range<usize>]) -> InputError {
    let InputError::NoDerivative { row, problem, .. } = problem else { return problem };
    let start = spans.iter().find(|span| span.contains(&(row - 1))).map_or(0, |span| span.start);
    InputError::Conflict {
        what: phrase!("token_of_window", "Token {token} of the window", token = row - start),
        problem,
        fix: phrase!("other_text_or_model", "Measure other text or another map of the model."),
    }
}

impl<T: Scalar> NormJacobian<T> {
    /// Applies the Jacobian to a field of tokens (d n numbers) in place.
    pub(crate) fn apply(&self, field: &mut [T]) {
        self.normalizer.apply_jacobian(field);
        self.scale(field);
    }

    /// Applies its transpose.
    pub(crate) fn apply_transpose(&self, field: &mut [T]) {
        self.scale(field);
        self.normalizer.apply_jacobian(field);
    }

    fn scale(&self, field: &mut [T]) {
        for token in field.chunks_exact_mut(self.gain.len().max(1)) {
            token.iter_mut().zip(&self.gain).for_each(|(x, gain)| *x *= *gain);
        }
    }
}

impl NormJacobian<f64> {
    /// The same Jacobian in f32.
    pub(crate) fn single(&self) -> NormJacobian<f32> {
        NormJacobian { gain: self.gain.iter().map(|gain| *gain as f32).collect(), normalizer: self.normalizer.cast() }
    }
}
