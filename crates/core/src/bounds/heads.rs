//! The norms of single heads, and how the bounds of heads combine.

use super::logarithms::ln_sum;
use crate::spectral::norm_of_product;
use crate::weights::Weights;

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
