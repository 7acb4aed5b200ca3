//! The norms of single heads, and how the bounds of heads combine.

use super::logarithms::ln_sum;
use crate::attention::Forward;
use crate::identity::multiple_of_identity;
use crate::spectral::{largest_eigenvalue, length, norm_of_product, triangle_of_columns};
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

    /// The combined bound from the heads' bounds.
    pub(crate) fn combine(self, heads: &[f64]) -> f64 {
        match self {
            Combination::Sum => heads.iter().sum(),
            Combination::RootOfSquares => length(heads),
        }
    }

    /// ln of the combined bound from ln of the heads' bounds.
    pub(crate) fn ln_combine(self, ln_heads: &[f64]) -> f64 {
        match self {
            Combination::Sum => ln_sum(ln_heads.iter().copied()),
            Combination::RootOfSquares => 0.5 * ln_sum(ln_heads.iter().map(|ln| 2.0 * ln)),
        }
    }
}

/// A way to bound several heads behind an output matrix (docs/theory.md, "Heads"): with B_h = O_h V_h and any theta_h > 0,
/// ||J|| <= ||[theta_h B_h]|| (sum_h l_h^2/theta_h^2)^(1/2), where l_h is the bound of head h for V = I.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mixing {
    /// ln ||[theta_h B_h]||.
    ln_norm: f64,
    /// ln theta_h; infinite for a head with B_h = 0.
    ln_thetas: Vec<f64>,
}

/// For outputs of more dimensions the norms take too long; the heads' bounds are then added.
const MOST_OUTPUTS: usize = 128;

impl Mixing {
    /// A few ways for the weights, whose heads have these norms; none for one head, and without an output matrix.
    pub(crate) fn of(weights: &Weights, norms: &[HeadNorms]) -> Vec<Self> {
        let d_out = weights.output.as_ref().map_or(0, DMatrix::nrows);
        if norms.len() < 2 || d_out == 0 || d_out > MOST_OUTPUTS {
            return Vec::new();
        }
        let through: Vec<DMatrix<f64>> =
            weights.values_through_output().map(|(outer, value)| outer.tr_mul(value)).collect();
        let lengths: Vec<f64> = weights.heads.iter().map(|head| length(head.v.as_slice())).collect();
        // With theta_h^2 = l_h/||B_h|| the bound is never above the sum of the heads' bounds; l_h is near 1 for small
        // scores and in proportion to ||A_h|| for large ones. With theta_h = 1/||V_h|| it is near ||O|| times the root of
        // the sum of squares.
        let small = |h: usize| -0.5 * norms[h].v_norm.ln();
        let large = |h: usize| 0.5 * (norms[h].a_norm.ln() - norms[h].v_norm.ln());
        let even = |h: usize| -lengths[h].ln();
        let ways: [&dyn Fn(usize) -> f64; 3] = [&small, &large, &even];
        ways.into_iter().filter_map(|ln_theta| Mixing::with(&through, norms, ln_theta)).collect()
    }

    /// `None` where a factor is zero or leaves the range of f64.
    fn with(through: &[DMatrix<f64>], norms: &[HeadNorms], ln_theta: &dyn Fn(usize) -> f64) -> Option<Self> {
        let is_used = |h: usize| norms[h].v_norm != 0.0;
        let ln_thetas: Vec<f64> =
            (0..norms.len()).map(|h| if is_used(h) { ln_theta(h) } else { f64::INFINITY }).collect();
        let mut sum = DMatrix::zeros(through[0].nrows(), through[0].nrows());
        for (h, of_head) in through.iter().enumerate().filter(|(h, _)| is_used(*h)) {
            // Multiplied before it is squared: the squares alone may underflow.
            let scaled = of_head * ln_thetas[h].exp();
            sum += &scaled * scaled.transpose();
        }
        // Covers the rounding of the sum and of its eigenvalue.
        let ln_norm = 0.5 * largest_eigenvalue(&sum).ln() + 1e-12;
        let is_usable = ln_norm.is_finite() && ln_thetas.iter().all(|ln| *ln > f64::NEG_INFINITY && !ln.is_nan());
        is_usable.then_some(Mixing { ln_norm, ln_thetas })
    }

    /// ln of the bound from ln l_h.
    pub(crate) fn ln_combine(&self, ln_heads: &[f64]) -> f64 {
        let terms = ln_heads.iter().zip(&self.ln_thetas).map(|(ln, ln_theta)| 2.0 * (ln - ln_theta));
        self.ln_norm + 0.5 * ln_sum(terms)
    }
}

/// The constants of every head.
pub(crate) fn head_norms(weights: &Weights) -> Vec<HeadNorms> {
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

/// [`head_norms`] for tokens of these lengths. NaN, which states nothing, stands for an ||A|| that underflows where such
/// tokens would make ordinary scores of it.
pub(crate) fn head_norms_at(weights: &Weights, radius: f64) -> Vec<HeadNorms> {
    /// ||A|| R^2 is below 1e-100 for an ||A|| that underflows and a smaller R.
    const LARGE: f64 = 1e100;
    let underflows = |q: &DMatrix<f64>, k: &DMatrix<f64>| {
        q.amax() > 0.0 && k.amax() > 0.0 && norm_of_product(k, q) < f64::MIN_POSITIVE
    };
    let mut all = head_norms(weights);
    for (norms, head) in all.iter_mut().zip(&weights.heads).filter(|_| radius > LARGE) {
        let is_second_lost = head.second.as_ref().is_some_and(|second| underflows(&second.q, &second.k));
        if is_second_lost || underflows(&head.q, &head.k) {
            norms.a_norm = f64::NAN;
        }
    }
    all
}

/// Whether A is a multiple of the identity, as its factors say.
pub(crate) fn has_isotropic_scores(head: &HeadWeights) -> bool {
    head.q.ncols() == 1 || [&head.q, &head.k].into_iter().all(|matrix| multiple_of_identity(matrix).is_some())
}

/// Lower bounds take directions from at most this many heads: those with the largest ||V|| ||A||.
const MOST_HEADS: usize = 4;

/// A head's A in the basis of [`row_basis`], a space that holds the rows of Q and K.
pub(crate) struct HeadSpan {
    /// d x e with orthonormal columns.
    pub(crate) basis: DMatrix<f64>,
    /// e x e.
    pub(crate) a: DMatrix<f64>,
}

impl HeadSpan {
    pub(crate) fn of(head: &HeadWeights) -> Self {
        let basis = row_basis(head);
        let a = (&head.k * &basis).tr_mul(&(&head.q * &basis)) / (head.q.nrows() as f64).sqrt();
        HeadSpan { basis, a }
    }
}

/// A in some orthonormal basis of a space that holds the rows of Q and K, for heads of which no direction is needed: the
/// basis is not formed.
pub(crate) fn a_on_span(head: &HeadWeights) -> DMatrix<f64> {
    let (k, d) = head.q.shape();
    let root = (k as f64).sqrt();
    if 2 * k >= d {
        return head.k.tr_mul(&head.q) / root;
    }
    // Q^T and K^T are the basis times the two halves of a triangle.
    let triangle = triangle_of_columns(&rows_of(head));
    triangle.columns(k, k) * triangle.columns(0, k).transpose() / root
}

/// The heads from which lower bounds take directions, with their indices. The head with the largest ||V|| ||A|| comes
/// first.
pub(crate) fn leading_heads(weights: &Weights, norms: &[HeadNorms]) -> Vec<(usize, HeadSpan)> {
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
    rows_of(head).qr().q()
}

/// The rows of Q and K as columns, d x 2k.
fn rows_of(head: &HeadWeights) -> DMatrix<f64> {
    let (k, d) = head.q.shape();
    let mut rows = DMatrix::zeros(d, 2 * k);
    rows.columns_mut(0, k).copy_from(&head.q.transpose());
    rows.columns_mut(k, k).copy_from(&head.k.transpose());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A head whose norm is NaN was left out, as a head of norm 0 is.
    #[test]
    fn heads_do_not_combine_where_a_norm_is_nan() {
        let through = [DMatrix::identity(2, 2), DMatrix::identity(2, 2)];
        let norms = |v_norm: f64| [HeadNorms { a_norm: 1.0, v_norm: 1.0 }, HeadNorms { a_norm: 1.0, v_norm }];
        let mixing = |norms: [HeadNorms; 2]| Mixing::with(&through, &norms, &|h| -0.5 * norms[h].v_norm.ln());
        assert!(mixing(norms(1.0)).is_some() && mixing(norms(0.0)).is_some());
        assert_eq!(mixing(norms(f64::NAN)), None);
    }

    #[test]
    fn equal_heads_behind_an_orthogonal_matrix_combine_as_concatenated_ones() {
        let head = || HeadWeights {
            q: DMatrix::identity(2, 2),
            k: DMatrix::identity(2, 2),
            v: DMatrix::identity(2, 2) * 3.0,
            second: None,
        };
        let heads: Vec<HeadWeights> = (0..3).map(|_| head()).collect();
        let output = DMatrix::from_fn(6, 6, |i, j| f64::from(u8::from((i + 2) % 6 == j)));
        let weights = Weights { heads, shared: Vec::new(), output: Some(output), l2_mha: None };
        let norms = head_norms(&weights);
        let ln_ones = [0.7f64; 3].map(f64::ln);
        let mixings = Mixing::of(&weights, &norms);
        assert_eq!(mixings.len(), 3);
        for mixing in mixings {
            let found = mixing.ln_combine(&ln_ones).exp();
            assert!((found / (3.0 * 0.7 * 3f64.sqrt()) - 1.0).abs() < 1e-10, "{found}");
        }
        let alone = Weights { heads: vec![head()], output: Some(DMatrix::identity(2, 2)), ..weights };
        assert!(Mixing::of(&alone, &head_norms(&alone)).is_empty());
    }
}
