//! Scores and weights of the forward pass. The rows of all maps are cut into blocks, which the threads share.

use std::ops::Range;

use nalgebra::DVectorView;

use super::forward::{Forward, Storage};
use super::product::multiply;
use super::projections::MapLayout;
use super::steps::Weighed;
use super::view::{Accumulate, Scalar, ViewMut};
use crate::experiment::InputError;
use crate::extremum::{largest, maximum};
use crate::parallel::{self, Scratch};
use crate::phrase;

/// A block of rows of a map while its weights are computed.
struct Block<'a, T> {
    map_idx: usize,
    rows: Range<usize>,
    /// As [`Forward::row_scales`].
    scales: &'a mut [(T, T)],
    /// As [`Forward::tops`].
    tops: &'a mut [u32],
    /// As [`Forward::sink_shares`]; empty without a sink.
    sink_shares: &'a mut [T],
    /// The rows of P, n numbers each; empty where they are not stored.
    weights: &'a mut [T],
    /// The slopes of these rows; empty where they are not stored or there are none.
    slopes: &'a mut [T],
    is_finite: bool,
    /// A row and a token at whose score its weight has no derivative, where this matters.
    kink: Option<(usize, usize)>,
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
        let most = |squares: &[T]| largest(squares.iter().map(|square| square.value()));
        let is_l2 = |map: &MapLayout| map.kernel.key_square != 0.0;
        let of_map = |map: &MapLayout| if is_l2(map) { squares(&map.k_rows) } else { Vec::new() };
        self.key_squares = self.maps.iter().map(of_map).collect();
        let is_separate = |(map, keys): (&MapLayout, &Vec<T>)| {
            // A weight that knows the score itself may depend on its sign: the square has one, its expanded form none.
            let is_expandable =
                map.kernel.query_square == 0.0 && map.kernel.is_expandable(most(&squares(&map.q_rows)), most(keys));
            is_l2(map) && !is_expandable
        };
        self.is_separate = self.maps.iter().zip(&self.key_squares).map(is_separate).collect();
        let zero = T::constant(0.0);
        let matrices = |len: usize| vec![vec![zero; len]; self.maps.len()];
        let mut scales = vec![vec![(zero, zero); n]; self.maps.len()];
        let mut tops = vec![vec![0; n]; self.maps.len()];
        let has_sinks = (0..self.n_heads()).any(|head_idx| self.steps.weigh.sink(head_idx).is_some());
        let mut sink_shares = if has_sinks { matrices(n) } else { Vec::new() };
        let is_kept = self.storage == Storage::Kept;
        let mut kept = if is_kept { matrices(n * n) } else { Vec::new() };
        let mut kept_slopes = if is_kept && self.steps.have_slopes() { matrices(n * n) } else { Vec::new() };
        let step = self.rows_a_block();
        // The blocks of all maps, each with its scales and, where they are stored, its rows of P.
        let mut blocks: Vec<Block<'_, T>> = Vec::with_capacity(self.maps.len() * self.n_blocks());
        let (mut kept_maps, mut slopes_of_maps) = (kept.iter_mut(), kept_slopes.iter_mut());
        let mut shares_of_maps = sink_shares.iter_mut();
        for (map_idx, (scales, tops)) in scales.iter_mut().zip(&mut tops).enumerate() {
            let mut weights = kept_maps.next().map(|kept| kept.chunks_mut(n * step));
            let mut slopes = slopes_of_maps.next().map(|slopes| slopes.chunks_mut(n * step));
            let mut shares = shares_of_maps.next().map(|shares| shares.chunks_mut(step));
            let rows = scales.chunks_mut(step).zip(tops.chunks_mut(step));
            blocks.extend(rows.enumerate().map(|(block, (scales, tops))| Block {
                map_idx,
                rows: self.block_rows(block),
                scales,
                tops,
                sink_shares: shares.as_mut().and_then(Iterator::next).unwrap_or_default(),
                weights: weights.as_mut().and_then(Iterator::next).unwrap_or_default(),
                slopes: slopes.as_mut().and_then(Iterator::next).unwrap_or_default(),
                is_finite: true,
                kink: None,
            }));
        }
        let make = || vec![zero; n * step];
        let buffers = Scratch::new(make());
        let is_plain = self.steps.have_plain_weights() && self.mask.is_reach();
        parallel::for_each(self.schedule(), &mut blocks, &|_, block| {
            buffers.with(make, |scores| {
                self.scores(block.map_idx, &block.rows, scores);
                if is_plain { self.attend_block(block, scores) } else { self.weigh_block(block, scores) }
            });
        });
        if blocks.iter().any(|block| !block.is_finite) {
            return Err(InputError::Overflow { what: phrase!("attention_scores", "The attention scores") });
        }
        if let Some((query, key)) = blocks.iter().find_map(|block| block.kink) {
            return Err(InputError::NoDerivative {
                row: query + 1,
                problem: phrase!(
                    "relu_weight_at_zero",
                    "has a score of exactly 0 for row {key}, where a ReLU weight has no derivative",
                    key = key + 1
                ),
                fix: phrase!("other_rows", "Change one of the two rows."),
            });
        }
        (self.tops, self.sink_shares) = (tops, sink_shares);
        (self.kept, self.kept_slopes) = (kept, kept_slopes);
        self.row_scales = if is_plain { scales } else { Vec::new() };
        Ok(())
    }

    /// Turns the scores of a block into weights, where these are the usual softmax of plain scores.
    fn attend_block(&self, block: &mut Block<'_, T>, buffer: &mut [T]) {
        let reach = self.reach(&block.rows);
        let columns = buffer.chunks_exact_mut(reach).zip(block.scales.iter_mut().zip(block.tops.iter_mut()));
        for (at, (row, (scores, (scale, top)))) in block.rows.clone().zip(columns).enumerate() {
            let scores = &mut scores[..self.reach(&(row..row + 1))];
            if !scores.iter().all(|s| s.value().is_finite()) {
                block.is_finite = false;
                return;
            }
            let largest = scores.iter().map(|s| s.value()).fold(f64::NEG_INFINITY, maximum);
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

    /// Turns the scores of a block into weights by the steps.
    fn weigh_block(&self, block: &mut Block<'_, T>, buffer: &mut [T]) {
        let reach = self.reach(&block.rows);
        for (at, (row, scores)) in block.rows.clone().zip(buffer.chunks_exact_mut(reach)).enumerate() {
            let place = at * self.n..at * self.n + reach;
            let slopes = if block.slopes.is_empty() { &mut [] } else { &mut block.slopes[place.clone()] };
            let Weighed { top, sink_share, is_finite, kinks } = self.weigh_row(block.map_idx, row, scores, slopes);
            let kink = kinks.into_iter().map(|j| j as usize).find(|j| self.is_kink(block.map_idx, row, *j));
            block.kink = block.kink.or(kink.map(|j| (row, j)));
            block.tops[at] = top;
            if let Some(share) = block.sink_shares.get_mut(at) {
                *share = sink_share;
            }
            if !is_finite {
                block.is_finite = false;
                return;
            }
            if self.storage == Storage::Kept {
                block.weights[place].copy_from_slice(scores);
            }
        }
    }

    /// Whether the attention has no derivative where a weight of row i for token j has none. It has one where the value is
    /// zero; and where the score has slope zero: at a query and a key that are zero, or, for L2 scores, equal.
    fn is_kink(&self, map_idx: usize, i: usize, j: usize) -> bool {
        let map = &self.maps[map_idx];
        let entries = |token_idx: usize, rows: &Range<usize>| {
            self.projections.as_slice()[token_idx * self.projections.nrows()..][rows.clone()].iter().map(|x| x.value())
        };
        let is_flat = if map.kernel.key_square != 0.0 {
            entries(i, &map.q_rows).eq(entries(j, &map.k_rows))
        } else {
            entries(i, &map.q_rows).chain(entries(j, &map.k_rows)).all(|x| x == 0.0)
        };
        !is_flat && entries(j, &map.v_rows).any(|x| x != 0.0)
    }

    /// Turns the scores of a row into weights, in place, and writes the slopes unless `slopes` is empty. Tokens outside
    /// the mask have weight and slope 0.
    pub(super) fn weigh_row(&self, map_idx: usize, row: usize, scores: &mut [T], slopes: &mut [T]) -> Weighed<T> {
        let head_idx = self.maps[map_idx].head_idx;
        self.steps.weigh_row((head_idx, row), scores, slopes, |j| self.mask.allows(row, j))
    }

    /// Writes the scores of some rows, as they are before any step on scores, reach x rows.len(), to the front of
    /// `block`. Unless the kernel has row terms, up to a row constant.
    pub(super) fn scores(&self, map_idx: usize, rows: &Range<usize>, block: &mut [T]) {
        let map = &self.maps[map_idx];
        let reach = self.reach(rows);
        if self.is_separate[map_idx] {
            return self.scores_of_differences(map, rows, block);
        }
        multiply(
            ViewMut::new(block, reach, rows.len()),
            Accumulate::Replace,
            self.projection(&map.k_rows, 0..reach).transpose(),
            self.projection(&map.q_rows, rows.clone()),
            T::constant(map.kernel.cross),
        );
        if map.kernel.key_square != 0.0 {
            let weight = T::constant(map.kernel.key_square);
            for column in block[..reach * rows.len()].chunks_exact_mut(reach) {
                for (score, square) in column.iter_mut().zip(&self.key_squares[map_idx]) {
                    *score -= *square * weight;
                }
            }
        }
        if map.kernel.query_square != 0.0 {
            let weight = T::constant(map.kernel.query_square);
            for (row, column) in rows.clone().zip(block.chunks_exact_mut(reach)) {
                let query = &self.projections.as_slice()[row * self.projections.nrows()..][map.q_rows.clone()];
                let term = query.iter().fold(T::constant(0.0), |sum, q| sum + *q * *q) * weight;
                column.iter_mut().for_each(|score| *score -= term);
            }
        }
    }

    /// Writes the same scores, computed as -w |q_i - k_j|^2: for heads where the expanded square would lose digits.
    fn scores_of_differences(&self, map: &MapLayout, rows: &Range<usize>, block: &mut [T]) {
        let weight = T::constant(map.kernel.key_square);
        let tokens = || self.projections.as_slice().chunks_exact(self.projections.nrows());
        let queries = tokens().skip(rows.start).map(|token| &token[map.q_rows.clone()]);
        for (column, query) in block.chunks_exact_mut(self.reach(rows)).zip(queries).take(rows.len()) {
            let keys = tokens().map(|token| &token[map.k_rows.clone()]);
            for (score, key) in column.iter_mut().zip(keys) {
                let square = query.iter().zip(key).fold(T::constant(0.0), |sum, (q, k)| sum + (*q - *k) * (*q - *k));
                *score = -(square * weight);
            }
        }
    }
}
