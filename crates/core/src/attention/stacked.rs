//! The projections of all heads as one matrix, [Q_1; K_1; V_1; Q_2; ..], p x d, where heads may share rows. Where d is large and every block is a
//! multiple of the identity, only the factors are stored, so that products read no matrices of d^2 numbers.

use std::ops::Range;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::product::multiply_tokens;
use super::view::{Accumulate, Scalar, View};
use crate::identity::{SMALL, multiple_of_identity};

/// The stacked projections; cloning copies only pointers.
#[derive(Clone, Debug)]
pub(crate) enum Stacked<T: Scalar> {
    /// p x d.
    Dense(Arc<DMatrix<T>>),
    /// The blocks s I, d x d each, by their s.
    Multiples {
        /// The dimension of a token.
        d: usize,
        /// s of each block.
        factors: Arc<[T]>,
    },
}

impl<T: Scalar> Stacked<T> {
    /// Stacks matrices with d columns.
    pub(super) fn of(matrices: &[&DMatrix<f64>], d: usize) -> Self {
        // For small d a dense product costs next to nothing, and the order of its sums stays the same for all weights.
        let factors = (d > SMALL)
            .then(|| matrices.iter().copied().map(multiple_of_identity).collect::<Option<Vec<f64>>>())
            .flatten();
        if let Some(factors) = factors {
            return Stacked::Multiples { d, factors: factors.into_iter().map(T::constant).collect() };
        }
        let p = matrices.iter().map(|matrix| matrix.nrows()).sum();
        let mut stacked = DMatrix::from_element(p, d, T::constant(0.0));
        let mut row = 0;
        for matrix in matrices {
            stacked.rows_mut(row, matrix.nrows()).copy_from(&matrix.map(T::constant));
            row += matrix.nrows();
        }
        Stacked::Dense(Arc::new(stacked))
    }

    /// p and d.
    pub(crate) fn shape(&self) -> (usize, usize) {
        match self {
            Stacked::Dense(matrix) => matrix.shape(),
            Stacked::Multiples { d, factors } => (d * factors.len(), *d),
        }
    }

    /// out (p x n) = S x, or out + S x, for x of d x n.
    pub(crate) fn apply(&self, out: &mut [T], accumulate: Accumulate, x: &[T], n: usize) {
        let (p, d) = self.shape();
        match self {
            Stacked::Dense(matrix) => {
                multiply_tokens(out, accumulate, View::new(matrix.as_slice(), p, d), x, n);
            }
            Stacked::Multiples { factors, .. } => {
                for (out, x) in out.chunks_exact_mut(p).zip(x.chunks_exact(d)) {
                    for (block, factor) in out.chunks_exact_mut(d).zip(factors.iter()) {
                        for (out, x) in block.iter_mut().zip(x) {
                            let before = if accumulate == Accumulate::Add { *out } else { T::constant(0.0) };
                            *out = before + *x * *factor;
                        }
                    }
                }
            }
        }
    }

    /// out (d x n) = S^T y for y of p x n.
    pub(crate) fn apply_transpose(&self, out: &mut [T], y: &[T], n: usize) {
        let (p, d) = self.shape();
        match self {
            Stacked::Dense(matrix) => {
                multiply_tokens(out, Accumulate::Replace, View::new(matrix.as_slice(), p, d).transpose(), y, n);
            }
            Stacked::Multiples { factors, .. } => {
                out.fill(T::constant(0.0));
                for (out, y) in out.chunks_exact_mut(d).zip(y.chunks_exact(p)) {
                    for (block, factor) in y.chunks_exact(d).zip(factors.iter()) {
                        out.iter_mut().zip(block).for_each(|(out, y)| *out += *y * *factor);
                    }
                }
            }
        }
    }

    /// Some rows as a matrix.
    pub(crate) fn rows(&self, rows: &Range<usize>) -> DMatrix<T> {
        match self {
            Stacked::Dense(matrix) => matrix.rows(rows.start, rows.len()).into_owned(),
            Stacked::Multiples { d, factors } => DMatrix::from_fn(rows.len(), *d, |row, col| {
                let at = rows.start + row;
                if at % d == col { factors[at / d] } else { T::constant(0.0) }
            }),
        }
    }
}
