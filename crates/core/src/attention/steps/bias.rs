//! The bias of a score, B_ij: ALiBi -h |i - j| with one slope h a head, and a matrix for all heads. It has no part in
//! the derivative.

use std::sync::Arc;

use super::super::view::Scalar;
use crate::experiment::{Rows, Score};

/// The biases of all heads; none by default.
#[derive(Clone, Debug, Default)]
pub(super) struct Bias {
    /// h of each head; empty without ALiBi.
    slopes: Vec<f64>,
    /// n x n, row by row.
    matrix: Option<Arc<Rows>>,
}

impl Bias {
    /// The biases of `heads` heads.
    pub(super) fn of(score: &Score, heads: usize) -> Self {
        let slopes = score.alibi.as_ref().map(|alibi| (0..heads).map(|head| alibi.slope(head, heads)).collect());
        Bias { slopes: slopes.unwrap_or_default(), matrix: score.bias.clone().map(Arc::new) }
    }

    /// Whether there is none.
    pub(super) fn is_absent(&self) -> bool {
        self.slopes.is_empty() && self.matrix.is_none()
    }

    /// Adds the biases to the first scores of row i of a head.
    pub(super) fn add<T: Scalar>(&self, head_idx: usize, i: usize, scores: &mut [T]) {
        if let Some(slope) = self.slopes.get(head_idx) {
            for (j, score) in scores.iter_mut().enumerate() {
                *score -= T::constant(slope * i.abs_diff(j) as f64);
            }
        }
        if let Some(matrix) = &self.matrix {
            let row = &matrix.entries()[i * matrix.n_columns()..];
            scores.iter_mut().zip(row).for_each(|(score, bias)| *score += T::constant(*bias));
        }
    }
}
