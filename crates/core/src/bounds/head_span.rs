//! A of a head on the span of the rows of Q and K, outside of which a token adds nothing to A x and x.A x.

use nalgebra::DMatrix;

use super::heads::HeadNorms;
use crate::weights::{HeadWeights, Weights};

/// Directions are taken from at most this many heads, those with the largest ||V|| ||A||.
const MOST_HEADS: usize = 4;

/// A on that span.
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

/// The heads from which directions are taken, with their indices, those with the largest ||V|| ||A|| first.
pub(super) fn leading_heads(weights: &Weights, norms: &[HeadNorms]) -> Vec<(usize, HeadSpan)> {
    let mut order: Vec<usize> = (0..norms.len()).collect();
    order.sort_by(|a, b| (norms[*b].a_norm * norms[*b].v_norm).total_cmp(&(norms[*a].a_norm * norms[*a].v_norm)));
    order.truncate(MOST_HEADS);
    order.into_iter().map(|head_idx| (head_idx, HeadSpan::of(&weights.heads[head_idx]))).collect()
}

/// An orthonormal basis (d x e) of a space that holds the rows of Q and K: of their span where that is smaller than all.
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
