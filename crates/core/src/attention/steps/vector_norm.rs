//! The normaliser of a query, a key or a value: N(z) = z/s, then times a gain g entry by entry.
//!
//! `rms` and `layer` are RMSNorm and LayerNorm of k entries. `l2`, z/sqrt(|z|^2 + eps), is RMSNorm with eps/k, divided
//! by sqrt k. So value and Jacobian are those of [`Normalizer`], which loses no digits where one direction is left. The
//! Jacobian of N is symmetric; the derivative is diag(g) N', the adjoint N' diag(g).

use nalgebra::DMatrix;

use super::super::normalize::Normalizer;
use super::super::view::Scalar;
use crate::experiment::{Gain, InputError, Normalization, VectorNorm};
use crate::extremum::largest;

/// The normaliser at the vectors of all tokens.
#[derive(Clone, Debug)]
pub(crate) struct Normed<T: Scalar> {
    normalizer: Normalizer<T>,
    /// The gain of each entry, with the factor of `l2`.
    gain: Vec<T>,
}

impl<T: Scalar> Normed<T> {
    /// The normaliser at vectors (k x n).
    ///
    /// # Errors
    /// As [`Normalizer::new`]; none for eps above the smallest normal number.
    pub(super) fn of(kind: VectorNorm, eps: f64, gain: &Gain, vectors: &DMatrix<T>) -> Result<Self, InputError> {
        let k = vectors.nrows();
        let (normalization, eps, factor) = match kind {
            VectorNorm::Rms => (Normalization::Rms, eps, 1.0),
            VectorNorm::Layer => (Normalization::Layer, eps, 1.0),
            VectorNorm::L2 => (Normalization::Rms, eps / k as f64, 1.0 / (k as f64).sqrt()),
        };
        Ok(Normed {
            normalizer: Normalizer::new(normalization, eps, vectors)?,
            gain: (0..k).map(|entry| T::constant(gain.at(entry) * factor)).collect(),
        })
    }

    /// g * N(z) at a token.
    pub(super) fn write(&self, token_idx: usize, vector: &mut [T]) {
        let normed = self.normalizer.outputs().column(token_idx);
        vector.iter_mut().zip(normed.iter()).zip(&self.gain).for_each(|((z, y), gain)| *z = *y * *gain);
    }

    /// g * (N' dz), in place.
    pub(super) fn differentiate(&self, token_idx: usize, change: &mut [T]) {
        self.normalizer.apply_jacobian_at(token_idx, change);
        change.iter_mut().zip(&self.gain).for_each(|(x, gain)| *x *= *gain);
    }

    /// N' (g * u), in place.
    pub(crate) fn pull_back(&self, token_idx: usize, gradient: &mut [T]) {
        gradient.iter_mut().zip(&self.gain).for_each(|(x, gain)| *x *= *gain);
        self.normalizer.apply_jacobian_at(token_idx, gradient);
    }

    /// The largest gain in size, and 1/s at a token.
    pub(super) fn gain_and_inverse(&self, token_idx: usize) -> (f64, f64) {
        let gain = largest(self.gain.iter().map(|gain| gain.value().abs()));
        (gain, self.normalizer.inverse_at(token_idx))
    }

    /// The same normaliser in another type of number.
    pub(super) fn cast<U: Scalar>(&self) -> Normed<U> {
        let gain = self.gain.iter().map(|gain| U::constant(gain.value())).collect();
        Normed { normalizer: self.normalizer.cast(), gain }
    }
}
