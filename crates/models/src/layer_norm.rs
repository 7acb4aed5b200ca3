//! Layer norm with gain and shift, y = gain * (x - mean)/sqrt(var + eps) + shift, and its Jacobian at given tokens.

use std::ops::Range;

use nalgebra::DMatrix;

use lipscope_core::attention::{Normalizer, Scalar};
use lipscope_core::experiment::{InputError, Normalization};
use lipscope_core::phrase;

/// LayerNorm with gain and shift per coordinate, or nothing in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerNorm {
    /// `Layer`; `None` in a model that has no layer norm here, with gains of 1 and shifts of 0.
    pub normalization: Normalization,
    /// The gain of each coordinate, d numbers.
    pub gain: Vec<f32>,
    /// The shift of each coordinate, d numbers.
    pub shift: Vec<f32>,
}

/// The Jacobian of a layer norm at given tokens: diag(gain) N with N symmetric, token by token.
#[derive(Clone, Debug)]
pub(super) struct NormJacobian<T: Scalar> {
    gain: Vec<T>,
    normalizer: Normalizer<T>,
}

impl LayerNorm {
    /// A layer norm with gains of 1 and shifts of 0, for tokens of d entries.
    #[must_use]
    pub fn plain(normalization: Normalization, d: usize) -> Self {
        LayerNorm { normalization, gain: vec![1.0; d], shift: vec![0.0; d] }
    }

    /// Normalises every column to mean 0 and variance 1, then applies gain and shift; returns the Jacobian there.
    ///
    /// # Errors
    /// [`InputError::NoDerivative`] for a constant token with eps = 0, where layer norm has no value.
    pub(super) fn apply(&self, x: &mut DMatrix<f64>, eps: f64) -> Result<NormJacobian<f64>, InputError> {
        let normalizer = Normalizer::new(self.normalization, eps, x)?;
        x.copy_from(normalizer.outputs());
        for mut token in x.column_iter_mut() {
            for ((x, gain), shift) in token.iter_mut().zip(&self.gain).zip(&self.shift) {
                *x = *x * f64::from(*gain) + f64::from(*shift);
            }
        }
        Ok(NormJacobian { gain: self.gain.iter().map(|gain| f64::from(*gain)).collect(), normalizer })
    }
}

/// The same error, with the place of its token in its own window instead of the place among the tokens of all windows.
/// Errors that name no token stay as they are.
pub(super) fn in_window(problem: InputError, spans: &[Range<usize>]) -> InputError {
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
    pub(super) fn apply(&self, field: &mut [T]) {
        self.normalizer.apply_jacobian(field);
        self.scale(field);
    }

    /// Applies its transpose.
    pub(super) fn apply_transpose(&self, field: &mut [T]) {
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
    pub(super) fn single(&self) -> NormJacobian<f32> {
        NormJacobian { gain: self.gain.iter().map(|gain| *gain as f32).collect(), normalizer: self.normalizer.cast() }
    }
}
