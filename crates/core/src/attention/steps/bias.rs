//! The bias of a score, B_ij: ALiBi -h |i - j| with one slope h a head, a matrix for all heads, or what a trained model
//! adds by the distance j - i. It has no part in the derivative. At a token measure, the logarithm of the number of
//! tokens at a position is a bias of its column.

use std::sync::Arc;

use super::super::view::Scalar;
use crate::experiment::{Rows, Score};
use crate::extremum::maximum;

/// What a trained model adds to a score by the distance j - i from token i to token j, for each head.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum DistanceBias {
    /// Nothing.
    #[default]
    None,
    /// h (j - i), with h of each head.
    Slopes(Vec<f64>),
    /// For each head an odd number of entries: those for the distances -D to D, of which the first and the last also
    /// stand for all distances beyond.
    Tables(Vec<Vec<f64>>),
}

impl DistanceBias {
    /// Adds the biases to the first scores of row i of a head.
    pub(crate) fn add<T: Scalar>(&self, head_idx: usize, i: usize, scores: &mut [T]) {
        if *self != DistanceBias::None {
            for (j, score) in scores.iter_mut().enumerate() {
                *score += T::constant(self.at(head_idx, i, j));
            }
        }
    }

    /// The bias of the score of token i for token j in a head.
    fn at(&self, head_idx: usize, i: usize, j: usize) -> f64 {
        match self {
            DistanceBias::None => 0.0,
            DistanceBias::Slopes(slopes) => slopes[head_idx] * (j as f64 - i as f64),
            DistanceBias::Tables(tables) => {
                let table = &tables[head_idx];
                let (middle, last) = (table.len() / 2, table.len() - 1);
                table[(middle + j).saturating_sub(i).min(last)]
            }
        }
    }
}

/// The biases of all heads; none by default.
#[derive(Clone, Debug, Default)]
pub(super) struct Bias {
    /// h of each head; empty without ALiBi.
    slopes: Vec<f64>,
    /// n x n, row by row.
    matrix: Option<Arc<Rows>>,
    /// ln N_j of each position of a token measure; empty at a list of tokens.
    ln_sizes: Vec<f64>,
    by_distance: DistanceBias,
}

impl Bias {
    /// The biases of `heads` heads.
    pub(super) fn of(score: &Score, heads: usize) -> Self {
        let slopes = score.alibi.as_ref().map(|alibi| (0..heads).map(|head| alibi.slope(head, heads)).collect());
        let matrix = score.bias.clone().map(Arc::new);
        Bias { slopes: slopes.unwrap_or_default(), matrix, ..Bias::default() }
    }

    /// The biases that a trained model gives.
    pub(super) fn given(by_distance: DistanceBias) -> Self {
        Bias { by_distance, ..Bias::default() }
    }

    /// The same biases at a token measure.
    pub(super) fn with_sizes(self, ln_sizes: &[f64]) -> Self {
        Bias { ln_sizes: ln_sizes.to_vec(), ..self }
    }

    /// Whether there is none.
    pub(super) fn is_absent(&self) -> bool {
        let is_by_place = !self.slopes.is_empty() || self.matrix.is_some() || !self.ln_sizes.is_empty();
        !is_by_place && self.by_distance == DistanceBias::None
    }

    /// Adds the biases to the first scores of row i of a head, less what all of the tokens that the row sees have in
    /// common: the largest of their biases, which is returned. So a row filled with one number, however large, moves no
    /// score.
    pub(super) fn add_but_common<T: Scalar>(
        &self,
        (head_idx, i): (usize, usize),
        scores: &mut [T],
        allows: impl Fn(usize) -> bool,
    ) -> f64 {
        if self.is_absent() {
            return 0.0;
        }
        let seen = (0..scores.len()).filter(|j| allows(*j));
        let common = seen.map(|j| self.at(head_idx, i, j)).fold(f64::NEG_INFINITY, maximum);
        if common == f64::NEG_INFINITY {
            // The row sees no token.
            return 0.0;
        }
        for (j, score) in scores.iter_mut().enumerate() {
            // The difference of two finite numbers may overflow.
            *score += T::constant((self.at(head_idx, i, j) - common).max(-f64::MAX));
        }
        common
    }

    /// Adds the biases to the first scores of row i of a head.
    pub(super) fn add<T: Scalar>(&self, head_idx: usize, i: usize, scores: &mut [T]) {
        if !self.is_absent() {
            for (j, score) in scores.iter_mut().enumerate() {
                *score += T::constant(self.at(head_idx, i, j));
            }
        }
    }

    /// The bias of the score of token i for token j in a head.
    fn at(&self, head_idx: usize, i: usize, j: usize) -> f64 {
        let alibi = self.slopes.get(head_idx).map_or(0.0, |slope| slope * i.abs_diff(j) as f64);
        let ln_size = self.ln_sizes.get(j).copied().unwrap_or(0.0);
        let entry = self.matrix.as_ref().map_or(0.0, |matrix| matrix.entries()[i * matrix.n_columns() + j]);
        self.by_distance.at(head_idx, i, j) + entry + ln_size - alibi
    }
}
