//! The bias of a score, B_ij: ALiBi -h |i - j| with one slope h a head, and a matrix for all heads. It has no part in
//! the derivative. At a token measure, the logarithm of the number of tokens at a position is a bias of its column.

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
    /// ln N_j of each position of a token measure; empty at a list of tokens.
    ln_sizes: Vec<f64>,
}

impl Bias {
    /// The biases of `heads` heads.
    pub(super) fn of(score: &Score, heads: usize) -> Self {
        let slopes = score.alibi.as_ref().map(|alibi| (0..heads).map(|head| alibi.slope(head, heads)).collect());
        Bias { slopes: slopes.unwrap_or_default(), matrix: score.bias.clone().map(Arc::new), ln_sizes: Vec::new() }
    }

    /// The same biases at a token measure.
    pub(super) fn with_sizes(self, ln_sizes: &[f64]) -> Self {
        Bias { ln_sizes: ln_sizes.to_vec(), ..self }
    }

    /// Whether there is none.
    pub(super) fn is_absent(&self) -> bool {
        self.slopes.is_empty() && self.matrix.is_none() && self.ln_sizes.is_empty()
    }

    /// Adds the biases to the first scores of row i of a head.
    pub(super) fn add<T: Scalar>(&self, head_idx: usize, i: usize, scores: &mut [T]) {
        if let Some(slope) = self.slopes.get(head_idx) {
            for (j, score) in scores.iter_mut().enumerate() {
                *score -= T::constant(slope * i.abs_diff(j) as f64);
            }
        }
        scores.iter_mut().zip(&self.ln_sizes).for_each(|(score, ln)| *score += T::constant(*ln));
        if let Some(matrix) = &self.matrix {
            let row = &matrix.entries()[i * matrix.n_columns()..];
            scores.iter_mut().zip(row).for_each(|(score, bias)| *score += T::constant(*bias));
        }
    }
}
