//! Tokens minus the part they have in common, so that an offset of all tokens costs no digits.
//!
//! Softmax ignores a constant along a row. So the dot kernel depends on keys only through their differences, and the L2
//! kernel depends on queries and keys only through q_i - k_j. The Jacobian depends on values only through their
//! differences from the mean. So tokens x_j may be replaced by x_j - c, with one c for all tokens: K (x_j - c) and V
//! (x_j - c) are keys and values, and the queries are Q x_i for the dot kernel, Q (x_i - c) + (Q - K) c for L2. Without
//! this replacement, the rounding error of scores grows with the square of the tokens' distance from the origin, and
//! the rounding error of differences of values grows with that distance.
//!
//! c is chosen coordinate by coordinate so that x_j - c is exact. Where the entries of all tokens have one sign and lie
//! within an eighth of each other, c is the middle of their range. It is then between half and twice each entry, so
//! that the difference is exact (Sterbenz). Elsewhere c is 0: there no entry is larger than nine times the spread of
//! the entries. The mean would be a bad choice: with a group of close tokens near zero and one token far away,
//! subtracting the mean would cost the group its digits.

use std::borrow::Cow;

use nalgebra::{DMatrix, DVector};

use super::kernel::Kernel;
use super::view::Scalar;

/// Where the largest entry of a coordinate over its smallest entry is above this ratio, the coordinate has no common
/// part.
const MOST_RATIO: f64 = 1.125;

/// What the common part of all tokens counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offsets {
    /// Nothing: keys and values count only by their differences.
    Ignored,
    /// The values alone: a row of weights need not sum to 1.
    InValues,
    /// Queries, keys and values.
    Kept,
}

/// Tokens minus their common part.
#[derive(Clone, Debug)]
pub(crate) struct Centred<'a, T: Scalar> {
    /// c, d numbers; empty where the tokens have nothing in common.
    centre: Vec<T>,
    /// x_j - c, d x n.
    tokens: Cow<'a, DMatrix<T>>,
}

impl<'a, T: Scalar> Centred<'a, T> {
    /// Splits finite tokens, d x n, into common part and rest.
    pub(crate) fn of(tokens: &'a DMatrix<T>) -> Self {
        let (d, n) = tokens.shape();
        let mut range = vec![(f64::INFINITY, f64::NEG_INFINITY); d];
        for token in tokens.as_slice().chunks_exact(d.max(1)) {
            for ((least, most), x) in range.iter_mut().zip(token) {
                (*least, *most) = (least.min(x.value()), most.max(x.value()));
            }
        }
        let common = |(least, most): &(f64, f64)| {
            let (small, large) = if *least > 0.0 { (*least, *most) } else { (-most, -least) };
            if n > 0 && small > 0.0 && large <= MOST_RATIO * small { least + 0.5 * (most - least) } else { 0.0 }
        };
        let centre: Vec<f64> = range.iter().map(common).collect();
        if centre.iter().all(|c| *c == 0.0) {
            return Centred { centre: Vec::new(), tokens: Cow::Borrowed(tokens) };
        }
        // In f32 the centre has to be a number of f32, or the difference would be rounded.
        let centre: Vec<T> = centre.into_iter().map(T::constant).collect();
        let mut moved = tokens.clone();
        for token in moved.as_mut_slice().chunks_exact_mut(d) {
            token.iter_mut().zip(&centre).for_each(|(x, c)| *x -= *c);
        }
        Centred { centre, tokens: Cow::Owned(moved) }
    }

    /// x_j - c, d x n.
    pub(crate) fn tokens(&self) -> &DMatrix<T> {
        &self.tokens
    }

    /// |c|.
    pub(crate) fn centre_norm(&self) -> f64 {
        self.centre.iter().map(|c| c.value() * c.value()).sum::<f64>().sqrt()
    }

    /// Whether c is not zero.
    pub(super) fn is_moved(&self) -> bool {
        !self.centre.is_empty()
    }

    /// c; empty where the tokens have nothing in common.
    pub(super) fn into_centre(self) -> Vec<T> {
        self.centre
    }

    /// The term that Q (x_i - c) lacks as a query, k numbers: Q c for the dot kernel, (Q - K) c for L2.
    /// `None` if c = 0.
    pub(crate) fn missing_in_queries(&self, kernel: Kernel, q: &DMatrix<T>, k: &DMatrix<T>) -> Option<DVector<T>> {
        if !self.is_moved() {
            return None;
        }
        // For L2 the term is exactly zero where Q = K.
        let entry = |row: usize, col: usize| match kernel.key_square {
            0.0 => q[(row, col)],
            _ => q[(row, col)] - k[(row, col)],
        };
        Some(self.of_centre(&DMatrix::from_fn(q.nrows(), q.ncols(), entry)))
    }

    /// A matrix times c.
    pub(super) fn of_centre(&self, matrix: &DMatrix<T>) -> DVector<T> {
        let zero = T::constant(0.0);
        let sum = |row: usize| self.centre.iter().enumerate().fold(zero, |sum, (col, c)| sum + matrix[(row, col)] * *c);
        DVector::from_iterator(matrix.nrows(), (0..matrix.nrows()).map(sum))
    }
}

impl Centred<'_, f64> {
    /// The columns x_j - c, followed by the column c: d x (n + 1). Without a common part, the tokens alone.
    pub(crate) fn with_centre(&self) -> Cow<'_, DMatrix<f64>> {
        if !self.is_moved() {
            return Cow::Borrowed(self.tokens());
        }
        let mut columns = self.tokens().clone().insert_column(self.tokens().ncols(), 0.0);
        columns.column_mut(self.tokens().ncols()).copy_from_slice(&self.centre);
        Cow::Owned(columns)
    }

    /// The queries of a head, k x n.
    pub(crate) fn queries(&self, kernel: Kernel, q: &DMatrix<f64>, k: &DMatrix<f64>) -> DMatrix<f64> {
        let mut queries = q * self.tokens();
        if let Some(missing) = self.missing_in_queries(kernel, q, k) {
            queries.column_iter_mut().for_each(|mut query| query += &missing);
        }
        queries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Attention;

    #[test]
    fn a_common_offset_is_taken_off_without_rounding_and_all_else_stays() {
        let tokens = DMatrix::from_row_slice(3, 3, &[1e7 + 0.125, 1e7, 1e7 - 3.5, -0.1, 0.2, 0.3, -8.0, -8.5, -8.25]);
        let centred = Centred::of(&tokens);
        let back = DMatrix::from_fn(3, 3, |row, col| centred.tokens()[(row, col)] + centred.centre[row]);
        assert_eq!(back, tokens);
        assert!(centred.tokens().row(0).amax() < 4.0 && centred.tokens().row(2).amax() <= 0.25);
        assert_eq!(centred.tokens().row(1), tokens.row(1));
        let near_zero = DMatrix::from_row_slice(1, 3, &[1e-9, 2e-9, 1e7]);
        assert_eq!(*Centred::of(&near_zero).tokens(), near_zero);
    }

    #[test]
    fn queries_are_those_that_the_kernel_sees() {
        let tokens = DMatrix::from_row_slice(2, 2, &[1e6, 1e6 + 1.0, -1.0, 2.0]);
        let (q, k) = (DMatrix::from_row_slice(1, 2, &[0.5, 1.0]), DMatrix::from_row_slice(1, 2, &[0.25, -1.0]));
        let centred = Centred::of(&tokens);
        let keys = &k * centred.tokens();
        for attention in [Attention::Dot, Attention::L2] {
            let kernel = Kernel::new(attention, 1);
            let queries = centred.queries(kernel, &q, &k);
            let difference = |i: usize, j: usize| (&q * tokens.column(i) - &k * tokens.column(j))[(0, 0)];
            let product = |i: usize, j: usize| (&q * tokens.column(i))[(0, 0)] * (&k * tokens.column(j))[(0, 0)];
            for i in 0..2 {
                let score = |j: usize| kernel.score(queries.column(i), keys.column(j));
                let expected = match attention {
                    Attention::Dot => product(i, 0) - product(i, 1),
                    _ => difference(i, 1).powi(2) - difference(i, 0).powi(2),
                };
                let found = score(0) - score(1);
                assert!((found - expected).abs() <= 1e-3 * expected.abs(), "{attention:?} {i}: {found} for {expected}");
            }
        }
        assert_eq!(centred.missing_in_queries(Kernel::new(Attention::L2, 1), &q, &q), Some(DVector::zeros(1)));
    }
}
