//! Scores of dot-product and L2 attention and their gradients, as one formula with two numbers for both kernels.
//!
//! | kernel | s_ij | a_ij = ds_ij/dx_i | b_ij = ds_ij/dx_j |
//! | --- | --- | --- | --- |
//! | dot | (Q x_i).(K x_j)/sqrt(k) | Q^T k_j/sqrt(k) | K^T q_i/sqrt(k) |
//! | l2 | -\|Q x_i - K x_j\|^2/sqrt(k) | -(2/sqrt k) Q^T r_ij | (2/sqrt k) K^T r_ij, r_ij = q_i - k_j |
//!
//! Expanding the square, the l2 score is 2 q_i.k_j/sqrt(k) - |k_j|^2/sqrt(k) - |q_i|^2/sqrt(k), and the last term is
//! constant along a softmax row. So both kernels are c q_i.k_j - w |k_j|^2 with two numbers c and w. The expanded form
//! rounds in proportion to |q|^2 + |k|^2, which is harmless for scores of ordinary size; where
//! [`Kernel::is_expandable`] is false, the code squares the difference instead. Where a step after the scores knows that
//! constant (a cap, a sink, a weight for each score by itself), the term in |q_i|^2 stays: [`Kernel::with_row_terms`].
//!
//! Cosine and linear scores are dot products of vectors that earlier steps have turned, with another c.

use nalgebra::DVectorView;

use crate::experiment::Attention;

/// The two numbers of a kernel for a head of key dimension k: s_ij = c q_i.k_j - w |k_j|^2, up to a row constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// c: 1/sqrt(k) for dot, 2/sqrt(k) for l2.
    pub cross: f64,
    /// w: 0 for dot, 1/sqrt(k) for l2.
    pub key_square: f64,
    /// 0 for dot; 1 for l2, where the score depends on q_i - k_j, so that the gradients are c (k_j - q_i) and
    /// c (q_i - k_j).
    difference: f64,
    /// The weight of -|q_i|^2: w where the score's row constant counts, otherwise 0.
    pub query_square: f64,
}

impl Kernel {
    /// The kernel of a head of key dimension k, with its usual scale.
    #[must_use]
    pub fn new(attention: Attention, key_dim: usize) -> Self {
        Kernel::with_scale(attention, None, key_dim)
    }

    /// The kernel of a head of key dimension k with the scale c of the scores, or [the usual
    /// one](Attention::usual_scale).
    #[must_use]
    pub fn with_scale(attention: Attention, scale: Option<f64>, key_dim: usize) -> Self {
        let scale = scale.unwrap_or_else(|| attention.default_scale(key_dim));
        match attention {
            Attention::Dot | Attention::Cosine | Attention::Linear => {
                Kernel { cross: scale, key_square: 0.0, difference: 0.0, query_square: 0.0 }
            }
            Attention::L2 => Kernel { cross: 2.0 * scale, key_square: scale, difference: 1.0, query_square: 0.0 },
        }
    }

    /// The same kernel with scores that are right without a row constant.
    #[must_use]
    pub(super) fn with_row_terms(self) -> Self {
        Kernel { query_square: self.key_square, ..self }
    }

    /// s_ij from q_i and k_j, up to a row constant. For l2 nothing cancels, however far q_i and k_j are from zero.
    #[must_use]
    pub fn score(&self, q: DVectorView<'_, f64>, k: DVectorView<'_, f64>) -> f64 {
        if self.key_square == 0.0 {
            return self.cross * q.dot(&k);
        }
        -self.key_square * q.iter().zip(k.iter()).map(|(q, k)| (q - k) * (q - k)).sum::<f64>()
    }

    /// Whether the expanded form loses no digits that count, for queries and keys of at most these square norms: the
    /// error of a score is at most 1e-12, and the relative error of its exponential is the same.
    #[must_use]
    pub fn is_expandable(&self, query_square: f64, key_square: f64) -> bool {
        const MOST: f64 = 1024.0;
        self.key_square == 0.0 || self.key_square * (query_square + key_square) <= MOST
    }

    /// Entry of ds_ij/dq_i from the same entry of q_i and k_j; a_ij = Q^T ds_ij/dq_i.
    #[must_use]
    pub fn query_gradient(&self, q: f64, k: f64) -> f64 {
        self.cross * (k - self.difference * q)
    }

    /// Entry of ds_ij/dk_j from the same entry of q_i and k_j; b_ij = K^T ds_ij/dk_j.
    #[must_use]
    pub fn key_gradient(&self, q: f64, k: f64) -> f64 {
        self.cross * (q - self.difference * k)
    }
}
