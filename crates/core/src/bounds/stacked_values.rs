//! Several heads behind an output matrix, bounded together (ours; docs/theory.md, "Heads"). Write V_h = T_h W_h, where the
//! rows of W_h are orthonormal, and F_h = O_h T_h. With J'_h the Jacobian of head h with W_h in place of V_h, and any
//! theta_h > 0, J = [theta_1 F_1 .. theta_H F_H] [J'_1/theta_1; ..; J'_H/theta_H], so
//!
//! ||J|| <= ||sum_h theta_h^2 F_h F_h^T||^(1/2) (sum_h l_h^2/theta_h^2)^(1/2), where l_h >= ||J'_h||.
//!
//! F_h F_h^T = O_h V_h (O_h V_h)^T, so this is the statement for V = I, whose l_h is never below that for W_h. With
//! theta_h^2 = l_h/||F_h|| it is at most sum_h l_h ||F_h||.

use std::ops::Range;

use nalgebra::DMatrix;

use crate::extremum::{largest, or_infinity};
use crate::qr::thin_qr;
use crate::spectral::{length, norm_from_gram};
use crate::weights::Weights;

/// The matrices F_h of all heads side by side.
#[derive(Clone, Debug)]
pub(crate) struct StackedValues {
    /// [F_1 .. F_H], d_out x (sum of the ranks).
    factors: DMatrix<f64>,
    /// The columns of each head.
    columns: Vec<Range<usize>>,
}

/// Above this size of the smaller Gram matrix its norm takes too long; the heads' bounds are then added.
pub(crate) const MOST_STACKED: usize = 1024;
/// Covers the rounding of a Gram matrix of up to [`MOST_STACKED`] rows and of its eigenvalue.
const ROUNDING: f64 = 1.0 + 1e-12;

impl StackedValues {
    /// The matrices F_h of some weights, and W_h (rank x d) of each head; `None` for one head, without an output matrix,
    /// and where the matrices are too large.
    pub(crate) fn of(weights: &Weights) -> Option<(Self, Vec<DMatrix<f64>>)> {
        let output = weights.output.as_ref().filter(|_| weights.heads.len() > 1)?;
        if output.ncols().min(weights.heads.len() * weights.d()).min(output.nrows()) > MOST_STACKED {
            return None;
        }
        let ranks: Vec<usize> = weights.heads.iter().map(|head| head.v.nrows().min(head.v.ncols())).collect();
        let total: usize = ranks.iter().sum();
        let mut factors = DMatrix::zeros(output.nrows(), total);
        let (mut columns, mut bases) = (Vec::with_capacity(ranks.len()), Vec::with_capacity(ranks.len()));
        let mut first = 0;
        for ((head, (outer, value)), rank) in weights.heads.iter().zip(weights.values_through_output()).zip(ranks) {
            let (triangle, basis) = if value.nrows() < value.ncols() {
                let (q, r) = thin_qr(head.v.transpose());
                (r.transpose(), q.transpose())
            } else {
                (value.clone(), DMatrix::identity(value.ncols(), value.ncols()))
            };
            factors.columns_mut(first, rank).copy_from(&outer.tr_mul(&triangle));
            columns.push(first..first + rank);
            bases.push(basis);
            first += rank;
        }
        Some((StackedValues { factors, columns }, bases))
    }

    /// The bound from l_h and ||F_h|| of each head; infinite where a factor leaves the range of f64.
    pub(crate) fn combine(&self, heads: &[f64], norms: &[f64]) -> f64 {
        let is_used = |h: usize| norms[h] != 0.0;
        let squares: Vec<f64> = (0..heads.len()).map(|h| if is_used(h) { heads[h] / norms[h] } else { 0.0 }).collect();
        let most = largest(squares.iter().copied());
        if most == 0.0 {
            return 0.0;
        }
        let mut scaled = self.factors.clone();
        let mut lengths = vec![0.0; heads.len()];
        for (h, columns) in self.columns.iter().enumerate().filter(|(h, _)| is_used(*h)) {
            // theta_h, as a share of the largest.
            let theta = (squares[h] / most).sqrt();
            scaled.columns_mut(columns.start, columns.len()).scale_mut(theta);
            lengths[h] = heads[h] / theta;
        }
        or_infinity(norm_from_gram(&scaled) * length(&lengths) * ROUNDING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, Stream};
    use crate::spectral::norm_of_product;
    use crate::weights::HeadWeights;

    fn drawn(random: &mut Random, rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| random.normal())
    }

    #[test]
    fn the_bound_is_between_the_norm_of_a_product_and_the_sum_over_heads() {
        let mut random = Random::new(3, Stream::Tokens);
        for (heads, d, d_v, d_out) in [(2, 3, 3, 3), (4, 8, 2, 8), (3, 2, 5, 4), (12, 24, 2, 6)] {
            for _ in 0..40 {
                let heads: Vec<HeadWeights> = (0..heads)
                    .map(|h| HeadWeights {
                        q: DMatrix::identity(1, d),
                        k: DMatrix::identity(1, d),
                        v: drawn(&mut random, d_v, d) * if h == 0 { 0.0 } else { f64::from(h as u32) },
                        second: None,
                    })
                    .collect();
                let output = Some(drawn(&mut random, d_out, heads.len() * d_v));
                let weights = Weights { heads, shared: Vec::new(), output, l2_mha: None };
                let (stacked, bases) = StackedValues::of(&weights).expect("several heads");
                // Any maps of the tokens in place of the heads' Jacobians.
                let maps: Vec<DMatrix<f64>> = weights.heads.iter().map(|_| drawn(&mut random, d, 6)).collect();
                let norm = |matrix: &DMatrix<f64>| matrix.clone().svd(false, false).singular_values.max();
                let whole: DMatrix<f64> = weights
                    .values_through_output()
                    .zip(&maps)
                    .map(|((outer, value), map)| outer.tr_mul(value) * map)
                    .sum();
                let of_heads: Vec<f64> = bases.iter().zip(&maps).map(|(basis, map)| norm(&(basis * map))).collect();
                let norms: Vec<f64> =
                    weights.values_through_output().map(|(outer, value)| norm_of_product(&outer, value)).collect();
                let found = stacked.combine(&of_heads, &norms);
                let sum: f64 = of_heads.iter().zip(&norms).map(|(head, norm)| head * norm).sum();
                assert!(norm(&whole) <= found && found <= sum * (1.0 + 1e-9), "{} {found} {sum}", norm(&whole));
            }
        }
    }

    #[test]
    fn there_is_none_for_one_head_or_without_an_output_matrix() {
        let head = |d: usize| HeadWeights {
            q: DMatrix::identity(d, d),
            k: DMatrix::identity(d, d),
            v: DMatrix::identity(d, d),
            second: None,
        };
        let of = |heads: usize, output: Option<DMatrix<f64>>| {
            let heads = (0..heads).map(|_| head(2)).collect();
            StackedValues::of(&Weights { heads, shared: Vec::new(), output, l2_mha: None })
        };
        assert!(of(1, Some(DMatrix::identity(2, 2))).is_none() && of(2, None).is_none());
        let (zero, _) = of(2, Some(DMatrix::zeros(2, 4))).expect("two heads");
        assert_eq!(zero.combine(&[1.0, 2.0], &[0.0, 0.0]), 0.0);
    }
}
