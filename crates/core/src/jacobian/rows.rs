//! From changes of the scores of a row to changes of its weights, and back: one row of dP = D g ds - P sum_j P_j g_j ds_j,
//! with the slopes g of the steps. The second term is that of softmax.

use std::ops::Range;

use crate::attention::{Forward, RowBlock, Scalar};

/// The rules of a block of rows.
#[derive(Debug)]
pub(super) struct RowRule<'a, T> {
    block: &'a RowBlock<'a, T>,
    tops: &'a [u32],
    /// The sink's share of each row; empty without a sink.
    sink_shares: &'a [T],
    is_elementwise: bool,
}

impl<'a, T: Scalar> RowRule<'a, T> {
    /// The rules of some rows of a map, whose weights `block` holds.
    pub(super) fn of(forward: &'a Forward<T>, map_idx: usize, block: &'a RowBlock<'a, T>, rows: &Range<usize>) -> Self {
        RowRule {
            block,
            tops: &forward.tops[map_idx][rows.clone()],
            sink_shares: forward.sink_shares.get(map_idx).map_or(&[][..], |shares| &shares[rows.clone()]),
            is_elementwise: forward.steps.weigh.is_elementwise(),
        }
    }

    /// Replaces the changes of the scores of row number `at` by those of its weights.
    pub(super) fn to_weights(&self, at: usize, row: &mut [T]) {
        self.take_slopes(at, row);
        self.center(at, row);
    }

    /// Replaces the gradient at the weights of row number `at` by that at its scores.
    pub(super) fn to_scores(&self, at: usize, row: &mut [T]) {
        self.center(at, row);
        self.take_slopes(at, row);
    }

    fn take_slopes(&self, at: usize, row: &mut [T]) {
        if !self.block.slopes.is_empty() {
            let slopes = &self.block.slopes[at * self.block.stride..];
            row.iter_mut().zip(slopes).for_each(|(x, slope)| *x *= *slope);
        }
    }

    /// With softmax, replaces ds by P (ds - sum P ds); this map is its own transpose. The code subtracts the ds of the
    /// token with the largest weight first, so that the row sums to zero up to the rounding of these differences,
    /// however large ds is. With a sink, whose own ds is zero, the weights sum to 1 minus its share.
    fn center(&self, at: usize, ds: &mut [T]) {
        if self.is_elementwise {
            return;
        }
        let p_row = &self.block.weights[at * self.block.stride..][..ds.len()];
        let top = self.tops[at] as usize;
        let share = self.sink_shares.get(at);
        // A sink with the largest weight is that token, and its ds is zero.
        let is_sink = share.zip(p_row.get(top)).is_some_and(|(share, p)| share.value() > p.value());
        let pivot = if is_sink { None } else { ds.get(top).copied() };
        if let Some(pivot) = pivot {
            ds.iter_mut().for_each(|ds| *ds -= pivot);
        }
        let mut mean = dot(ds, p_row);
        if let (Some(share), Some(pivot)) = (share, pivot) {
            mean -= *share * pivot;
        }
        for (ds, p) in ds.iter_mut().zip(p_row) {
            *ds = *p * (*ds - mean);
        }
    }
}

/// The scalar product of a and b, in four partial sums, so that the compiler vectorises it.
pub(super) fn dot<T: Scalar>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::constant(0.0); 4];
    let (a_chunks, b_chunks) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail = a_chunks.remainder().iter().zip(b_chunks.remainder()).fold(T::constant(0.0), |s, (x, y)| s + *x * *y);
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}
