//! What the scores and the weights of an attention map are like: its largest score, the entropies of its rows, and the
//! attention that each token receives.

use std::ops::Range;

use nalgebra::DVector;

use super::forward::Forward;
use crate::extremum::{maximum, minimum};

/// The entropies of the rows of a map, each divided by the logarithm of the number of tokens that the row sees: 1 for equal
/// attention, 0 for attention to one token. Rows that see one token are left out. The weights of a row are divided by their
/// sum, of which a sink has a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowEntropies {
    /// Their mean.
    pub mean: f64,
    /// The smallest.
    pub least: f64,
}

impl Forward<f64> {
    /// The largest score of a map among the pairs that the mask allows, as it becomes a weight: after a soft cap and a bias;
    /// `None` if it allows none.
    #[must_use]
    pub fn max_logit(&self, map_idx: usize) -> Option<f64> {
        let common = self.common_key(map_idx);
        let mut block = vec![0.0; self.n() * self.rows_a_block()];
        let mut most = f64::NEG_INFINITY;
        for rows in self.row_blocks() {
            self.scores(map_idx, &rows, &mut block);
            let columns = block.chunks_exact_mut(self.reach(&rows));
            for (row, scores) in rows.clone().zip(columns) {
                let left_out = self.row_constant((map_idx, row), common.as_ref());
                scores.iter_mut().for_each(|score| *score += left_out);
                most = maximum(most, self.largest_of_row(map_idx, row, scores));
            }
        }
        (most != f64::NEG_INFINITY).then_some(most)
    }

    /// The entropies of the rows of a map; `None` if no row sees two tokens.
    #[must_use]
    pub fn row_entropies(&self, map_idx: usize) -> Option<RowEntropies> {
        let (mut sum, mut least, mut count) = (0.0, f64::INFINITY, 0);
        self.for_rows(map_idx, |row, weights| {
            if let Some(entropy) = self.entropy(row, weights) {
                (sum, least, count) = (sum + entropy, minimum(least, entropy), count + 1);
            }
        });
        (count > 0).then(|| RowEntropies { mean: sum / f64::from(count), least })
    }

    /// The column sums of a map's matrix P: the attention that each token receives.
    #[must_use]
    pub fn column_sums(&self, map_idx: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.n()];
        self.for_rows(map_idx, |_, weights| sums.iter_mut().zip(weights).for_each(|(sum, p)| *sum += p));
        sums
    }

    /// Calls `f` with the number and the weights of every row of a map.
    fn for_rows(&self, map_idx: usize, mut f: impl FnMut(usize, &[f64])) {
        let mut buffer = self.row_buffer();
        for rows in self.row_blocks() {
            let block = self.rows_of_p(map_idx, rows.clone(), &mut buffer);
            rows.zip(block.weights.chunks(block.stride)).for_each(|(row, weights)| f(row, weights));
        }
    }

    /// The entropy of a row over that of equal weights; `None` for a row that sees one token, or without weight.
    fn entropy(&self, row: usize, weights: &[f64]) -> Option<f64> {
        let seen = (0..weights.len()).filter(|j| self.mask.allows(row, *j)).count();
        let total: f64 = weights.iter().sum();
        if seen < 2 || total <= 0.0 {
            return None;
        }
        let shares = weights.iter().map(|weight| weight / total).filter(|share| *share > 0.0);
        let entropy: f64 = shares.map(|share| -share * share.ln()).sum();
        Some(entropy / (seen as f64).ln())
    }

    /// The largest of a row's scores, given before the steps on scores, among the tokens that it sees.
    fn largest_of_row(&self, map_idx: usize, row: usize, scores: &mut [f64]) -> f64 {
        self.steps.finish_scores((self.maps[map_idx].head_idx, row), scores);
        let seen = scores.iter().enumerate().filter(|(j, _)| self.mask.allows(row, *j));
        seen.map(|(_, score)| *score).fold(f64::NEG_INFINITY, maximum)
    }

    /// K c of a map of dot products, where keys are computed without the common part c of the tokens.
    fn common_key(&self, map_idx: usize) -> Option<DVector<f64>> {
        let map = &self.maps[map_idx];
        let is_left_out = map.kernel.key_square == 0.0 && !self.centre().is_empty();
        is_left_out.then(|| self.stacked.rows(&map.k_rows) * DVector::from_column_slice(self.centre()))
    }

    /// What the scores of a row lack, the same for all tokens, since softmax ignores it.
    fn row_constant(&self, (map_idx, row): (usize, usize), common_key: Option<&DVector<f64>>) -> f64 {
        let map = &self.maps[map_idx];
        let query = self.query(&map.q_rows, row);
        if let Some(common) = common_key {
            return map.kernel.cross * query.iter().zip(common.iter()).map(|(q, k)| q * k).sum::<f64>();
        }
        if map.kernel.query_square != 0.0 || self.scores_differences(map_idx) {
            return 0.0;
        }
        -map.kernel.key_square * query.iter().map(|q| q * q).sum::<f64>()
    }

    fn query(&self, q_rows: &Range<usize>, row: usize) -> &[f64] {
        &self.projections.as_slice()[row * self.projections.nrows()..][q_rows.clone()]
    }
}
