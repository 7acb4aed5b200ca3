//! Scores and softmax of the forward pass. The rows of all heads are cut into blocks, which the threads share.

use std::ops::Range;

use nalgebra::DVectorView;

use super::forward::{Forward, Storage};
use super::product::multiply;
use super::projections::HeadLayout;
use super::view::{Accumulate, Scalar, ViewMut};
use crate::experiment::InputError;
use crate::parallel::{self, Scratch};
use crate::phrase;

/// A block of rows of a head while its softmax is computed.
struct Block<'a, T> {
    head_idx: usize,
    rows: Range<usize>,
    /// As [`Forward::row_scales`].
    scales: &'a mut [(T, T)],
    /// As [`Forward::tops`].
    tops: &'a mut [u32],
    /// The rows of P, n numbers each; empty where they are not stored.
    weights: &'a mut [T],
    is_finite: bool,
}

impl<T: Scalar> Forward<T> {
    /// Computes the scores and the row sums of all heads, and P where it is stored.
    pub(super) fn attend(&mut self) -> Result<(), InputError> {
        let n = self.n;
        let squares = |rows: &Range<usize>| -> Vec<T> {
            let square = |token: DVectorView<'_, T>| {
                rows.clone().fold(T::constant(0.0), |sum, row| sum + token[row] * token[row])
            };
            self.projections.column_iter().map(square).collect()
        };
        let most = |squares: &[T]| squares.iter().map(|square| square.value()).fold(0.0, f64::max);
        let is_l2 = |head: &HeadLayout| head.kernel.key_square != 0.0;
        let of_head = |head: &HeadLayout| if is_l2(head) { squares(&head.k_rows) } else { Vec::new() };
        self.key_squares = self.heads.iter().map(of_head).collect();
        let is_apart = |(head, keys): (&HeadLayout, &Vec<T>)| {
            is_l2(head) && !head.kernel.is_expandable(most(&squares(&head.q_rows)), most(keys))
        };
        self.is_apart = self.heads.iter().zip(&self.key_squares).map(is_apart).collect();
        let mut scales = vec![vec![(T::constant(0.0), T::constant(0.0)); n]; self.heads.len()];
        let mut tops = vec![vec![0; n]; self.heads.len()];
        let mut kept = match self.storage {
            Storage::Kept => vec![vec![T::constant(0.0); n * n]; self.heads.len()],
            Storage::Recomputed => Vec::new(),
        };
        let step = self.rows_a_block();
        // The blocks of all heads, each with its scales and, where they are stored, its rows of P.
        let mut blocks: Vec<Block<'_, T>> = Vec::with_capacity(self.heads.len() * self.n_blocks());
        let mut kept_heads = kept.iter_mut();
        for (head_idx, (scales, tops)) in scales.iter_mut().zip(&mut tops).enumerate() {
            let mut weights = kept_heads.next().map(|kept| kept.chunks_mut(n * step));
            let rows = scales.chunks_mut(step).zip(tops.chunks_mut(step));
            blocks.extend(rows.enumerate().map(|(block, (scales, tops))| Block {
                head_idx,
                rows: self.block_rows(block),
                scales,
                tops,
                weights: weights.as_mut().and_then(Iterator::next).unwrap_or_default(),
                is_finite: true,
            }));
        }
        let make = || vec![T::constant(0.0); n * step];
        let buffers = Scratch::new(make());
        parallel::for_each(self.schedule(), &mut blocks, &|_, block| {
            buffers.with(make, |scores| self.attend_block(block, scores));
        });
        if blocks.iter().any(|block| !block.is_finite) {
            return Err(InputError::Overflow { what: phrase!("attention_scores", "The attention scores") });
        }
        (self.row_scales, self.tops, self.kept) = (scales, tops, kept);
        Ok(())
    }

    fn attend_block(&self, block: &mut Block<'_, T>, buffer: &mut [T]) {
        self.scores(block.head_idx, &block.rows, buffer);
        let reach = self.reach(&block.rows);
        let columns = buffer.chunks_exact_mut(reach).zip(block.scales.iter_mut().zip(block.tops.iter_mut()));
        for (at, (row, (scores, (scale, top)))) in block.rows.clone().zip(columns).enumerate() {
            let scores = &mut scores[..self.reach(&(row..row + 1))];
            // f64::max ignores NaN, so each score is tested.
            if !scores.iter().all(|s| s.value().is_finite()) {
                block.is_finite = false;
                return;
            }
            let largest = scores.iter().map(|s| s.value()).fold(f64::NEG_INFINITY, f64::max);
            *top = scores.iter().position(|s| s.value() == largest).unwrap_or(0) as u32;
            let shift = T::constant(largest);
            let mut sum = T::constant(0.0);
            for score in scores.iter_mut() {
                *score = (*score - shift).exp();
                sum += *score;
            }
            let inverse = T::constant(1.0) / sum;
            *scale = (shift, inverse);
            if self.storage == Storage::Kept {
                let row_of_p = &mut block.weights[at * self.n..][..scores.len()];
                for (p, score) in row_of_p.iter_mut().zip(scores.iter()) {
                    *p = *score * inverse;
                }
            }
        }
    }

    /// Writes the scores of some rows (up to a row constant), reach x rows.len(), to the front of `block`.
    pub(super) fn scores(&self, head_idx: usize, rows: &Range<usize>, block: &mut [T]) {
        let head = &self.heads[head_idx];
        let reach = self.reach(rows);
        if self.is_apart[head_idx] {
            return self.scores_of_differences(head, rows, block);
        }
        multiply(
            ViewMut::new(block, reach, rows.len()),
            Accumulate::Replace,
            self.projection(&head.k_rows, 0..reach).transpose(),
            self.projection(&head.q_rows, rows.clone()),
            T::constant(head.kernel.cross),
        );
        if head.kernel.key_square != 0.0 {
            let weight = T::constant(head.kernel.key_square);
            for column in block[..reach * rows.len()].chunks_exact_mut(reach) {
                for (score, square) in column.iter_mut().zip(&self.key_squares[head_idx]) {
                    *score -= *square * weight;
                }
            }
        }
    }

    /// Writes the same scores, computed as -w |q_i - k_j|^2: for heads where the expanded square would lose digits.
    fn scores_of_differences(&self, head: &HeadLayout, rows: &Range<usize>, block: &mut [T]) {
        let weight = T::constant(head.kernel.key_square);
        let tokens = || self.projections.as_slice().chunks_exact(self.projections.nrows());
        let queries = tokens().skip(rows.start).map(|token| &token[head.q_rows.clone()]);
        for (column, query) in block.chunks_exact_mut(self.reach(rows)).zip(queries).take(rows.len()) {
            let keys = tokens().map(|token| &token[head.k_rows.clone()]);
            for (score, key) in column.iter_mut().zip(keys) {
                let square = query.iter().zip(key).fold(T::constant(0.0), |sum, (q, k)| sum + (*q - *k) * (*q - *k));
                *score = -(square * weight);
            }
        }
    }
}
