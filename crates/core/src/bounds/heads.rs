//! The norms of single heads, and how the bounds of heads combine.

use super::logarithms::ln_sum;
use crate::attention::Forward;
use crate::spectral::norm_of_product;
use crate::weights::{HeadWeights, Weights};
use nalgebra::DMatrix;

/// The constants of one head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadNorms {
    /// ||A||_2.
    pub a_norm: f64,
    /// ||V||_2, or ||O_h V||_2 where there is an output matrix.
    pub v_norm: f64,
}

/// How the bounds of single heads combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// With an output matrix: the sum.
    Sum,
    /// Concatenated: the root of the sum of squares.
    RootOfSquares,
}

impl Combination {
    /// How the heads of a forward pass combine: an output matrix adds them.
    #[must_use]
    pub fn of(forward: &Forward<f64>) -> Self {
        if forward.output.is_some() { Combination::Sum } else { Combination::RootOfSquares }
    }

    /// ln of the combined bound from ln of the heads' bounds.
    pub(super) fn ln_combine(self, ln_heads: &[f64]) -> f64 {
        match self {
            Combination::Sum => ln_sum(ln_heads.iter().copied()),
            Combination::RootOfSquares => 0.5 * ln_sum(ln_heads.iter().map(|ln| 2.0 * ln)),
        }
    }
}

/// The constants of every head.
pub(super) fn head_norms(weights: &Weights) -> Vec<HeadNorms> {
    let values = weights.values_through_output();
    weights
        .heads
        .iter()
        .zip(values)
        .map(|(head, (outer, value))| HeadNorms {
            // A = K^T Q / sqrt(k).
            a_norm: norm_of_product(&head.k, &head.q) / (head.q.nrows() as f64).sqrt(),
            v_norm: norm_of_product(&outer, value),
        })
        .collect()
}

/// Lower bounds take directions from at most this many heads: those with the largest ||V|| ||A||.
const MOST_HEADS: usize = 4;

/// A head's A in the basis of [`row_basis`], a space that holds the rows of Q and K.
pub(super) struct HeadSpan {
    /// d x e with orthonormal columns.
    pub(super) basis: DMatrix<f64>,
    /// e x e.
    pub(super) a: DMatrix<f64>,
}

impl HeadSpan {
    pub(super) fn of(head: &HeadWeights) -> Self {
        let basis = row_basis(head);
        let a = (&head.k * &basis).tr_mul(&(&head.q * &basis)) / (head.q.nrows() as f64).sqrt();
        HeadSpan { basis, a }
    }
}

/// The heads from which lower bounds take directions, with their indices. The head with the largest ||V|| ||A|| comes
/// first.
pub(super) fn leading_heads(weights: &Weights, norms: &[HeadNorms]) -> Vec<(usize, HeadSpan)> {
    let mut order: Vec<usize> = (0..norms.len()).collect();
    order.sort_by(|a, b| (norms[*b].a_norm * norms[*b].v_norm).total_cmp(&(norms[*a].a_norm * norms[*a].v_norm)));
    order.truncate(MOST_HEADS);
    order.into_iter().map(|head_idx| (head_idx, HeadSpan::of(&weights.heads[head_idx]))).collect()
}

/// An orthonormal basis (d x e) of a space that holds the rows of Q and K: their span where 2 k < d, otherwise the
/// whole space.
fn row_basis(head: &HeadWeights) -> DMatrix<f64> {
    let (k, d) = head.q.shape();
    if 2 * k >= d {
        return DMatrix::identity(d, d);
    }
    let mut rows = DMatrix::zeros(d, 2 * k);
    rows.columns_mut(0, k).copy_from(&head.q.transpose());
    rows.columns_mut(k, k).copy_from(&head.k.transpose());
    rows.qr().q()
}
