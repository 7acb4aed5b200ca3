//! The normaliser before attention, and its Jacobian at a token.
//!
//! LayerNorm y = (x - mean)/s, s = sqrt(var + eps): Jacobian (I - 11^T/d - y y^T/d)/s.
//! RMSNorm y = x/s, s = sqrt(mean x^2 + eps): Jacobian (I - y y^T/d)/s. Both are symmetric.

use nalgebra::DMatrix;

use super::scalar::Scalar;
use crate::experiment::Normalization;

/// A normaliser evaluated at the tokens of an experiment.
#[derive(Clone, Debug)]
pub struct Normalizer<T: Scalar> {
    kind: Normalization,
    /// d x n, the normalised tokens.
    outputs: DMatrix<T>,
    /// 1/s of each token; empty without a normaliser.
    inverse_scales: Vec<T>,
}

impl<T: Scalar> Normalizer<T> {
    /// Normalises tokens (d x n).
    #[must_use]
    pub fn new(kind: Normalization, eps: f64, tokens: &DMatrix<T>) -> Self {
        let mut outputs = tokens.clone();
        let mut inverse_scales = Vec::new();
        if kind == Normalization::None {
            return Normalizer { kind, outputs, inverse_scales };
        }
        let d = T::constant(tokens.nrows() as f64);
        for mut token in outputs.column_iter_mut() {
            if kind == Normalization::Layer {
                let mean = token.iter().fold(T::constant(0.0), |sum, x| sum + *x) / d;
                token.iter_mut().for_each(|x| *x -= mean);
            }
            let mean_square = token.iter().fold(T::constant(0.0), |sum, x| sum + *x * *x) / d;
            // Under LayerNorm with eps = 0 a constant token has s = 0: its output and its Jacobian are set to zero.
            let scale = (mean_square + T::constant(eps)).sqrt();
            let inverse = if scale.value() > 0.0 { T::constant(1.0) / scale } else { T::constant(0.0) };
            token.iter_mut().for_each(|x| *x *= inverse);
            inverse_scales.push(inverse);
        }
        Normalizer { kind, outputs, inverse_scales }
    }

    /// The normalised tokens, d x n.
    #[must_use]
    pub fn outputs(&self) -> &DMatrix<T> {
        &self.outputs
    }

    /// Applies the Jacobian, which is its own transpose, to a field of tokens (d n numbers) in place.
    pub fn apply_jacobian(&self, field: &mut [T]) {
        let d = self.outputs.nrows();
        if self.kind == Normalization::None || d == 0 {
            return;
        }
        let inverse_d = T::constant(1.0 / d as f64);
        for (token_idx, xi) in field.chunks_exact_mut(d).enumerate() {
            let y = self.outputs.column(token_idx);
            let along = y.iter().zip(xi.iter()).fold(T::constant(0.0), |sum, (y, x)| sum + *y * *x) * inverse_d;
            let mean = match self.kind {
                Normalization::Layer => xi.iter().fold(T::constant(0.0), |sum, x| sum + *x) * inverse_d,
                _ => T::constant(0.0),
            };
            let inverse = self.inverse_scales[token_idx];
            for (x, y) in xi.iter_mut().zip(y.iter()) {
                *x = (*x - mean - *y * along) * inverse;
            }
        }
    }

    /// The same normaliser at the same tokens in another type of number.
    #[must_use]
    pub fn cast<U: Scalar>(&self) -> Normalizer<U> {
        let number = |x: &T| U::constant(x.value());
        Normalizer {
            kind: self.kind,
            outputs: self.outputs.map(|x| number(&x)),
            inverse_scales: self.inverse_scales.iter().map(number).collect(),
        }
    }

    /// An upper bound on the largest norm of the Jacobian over the tokens: max 1/s. Without a normaliser, 1.
    #[must_use]
    pub fn jacobian_norm_bound(&self) -> f64 {
        match self.kind {
            Normalization::None => 1.0,
            _ => self.inverse_scales.iter().map(|inverse| inverse.value()).fold(0.0, f64::max),
        }
    }
}
