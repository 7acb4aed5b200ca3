//! Operations on vectors stored as slices, and a singular value with its vectors.

use nalgebra::DMatrix;

use crate::extremum::largest;
use crate::jacobian::LinearOperator;
use crate::parallel::{self, Schedule, for_parts};

/// Subtracts the projection of a vector onto the span of an orthonormal basis; returns the coefficients.
///
/// If most of the vector is removed, the rest has lost digits and is orthogonalised a second time (Daniel, Gragg,
/// Kaufman and Stewart, "Reorthogonalization and stable algorithms for updating the Gram-Schmidt QR factorization",
/// Math. Comp. 30, 1976). Testing whether a second pass is needed halves the work on most steps. A pass computes all
/// coefficients before it subtracts any projection, so that threads can share both kinds of work.
pub(super) fn orthogonalize(vector: &mut [f64], basis: &[Vec<f64>], passes: Passes) -> Vec<f64> {
    /// The second pass runs if less than this part of the norm is left: one binary digit was lost.
    const KEPT_PART: f64 = 0.5;
    let mut coefficients = vec![0.0; basis.len()];
    let schedule = Schedule::of(4 * (vector.len() as u64) * basis.len() as u64);
    let before = norm(vector);
    for _ in 0..2 {
        let along = parallel::map(schedule, basis.len(), &|at| dot(vector, &basis[at]));
        in_parts(schedule, vector, &|part, numbers| {
            for (along, unit) in along.iter().zip(basis) {
                add(numbers, -along, &unit[part * PART..][..numbers.len()]);
            }
        });
        coefficients.iter_mut().zip(&along).for_each(|(sum, along)| *sum += along);
        if passes == Passes::AsNeeded && norm(vector) > KEPT_PART * before {
            break;
        }
    }
    coefficients
}

/// How often a vector is orthogonalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passes {
    /// A second time where most of it was removed. Over many steps a basis loses up to four digits of its orthogonality.
    AsNeeded,
    /// Always twice, which keeps a basis orthogonal to rounding.
    Two,
}

/// Numbers of a vector that are worked on at a time: 8 KiB, which stay in the first-level cache.
pub(super) const PART: usize = 1024;

/// target += weight * vector.
pub(super) fn add(target: &mut [f64], weight: f64, vector: &[f64]) {
    for (x, y) in target.iter_mut().zip(vector) {
        *x += weight * y;
    }
}

/// The scalar product of a and b, in eight partial sums: these are faster and round less than one sum.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + tail
}

/// Euclidean norm, safe from overflow and underflow; NaN if an entry is NaN.
pub(crate) fn norm(vector: &[f64]) -> f64 {
    // A square that overflows puts the sum outside this range; one that underflows is too small beside the sum to
    // matter.
    let square = dot(vector, vector);
    if (1e-280..1e280).contains(&square) {
        return square.sqrt();
    }
    let scale = largest(vector.iter().map(|x| x.abs()));
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    scale * vector.iter().map(|x| (x / scale) * (x / scale)).sum::<f64>().sqrt()
}

/// The lengths of the columns.
pub(crate) fn column_lengths(matrix: &DMatrix<f64>) -> impl Iterator<Item = f64> {
    matrix.column_iter().map(|column| norm(column.as_slice()))
}

/// A singular value with its vectors and their residual.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularTriplet {
    /// s, never above ||J||_2; infinite or NaN where a product with J is.
    pub value: f64,
    /// Unit left vector.
    pub left: Vec<f64>,
    /// Unit right vector.
    pub right: Vec<f64>,
    /// Steps taken.
    pub iterations: usize,
    /// |J^T u - s v| / s, computed from the vectors; 0 if J v = 0, and NaN where a product is not finite.
    pub relative_residual: f64,
}

impl SingularTriplet {
    /// The triplet of a given right vector (of any norm), with one product with J and one with J^T.
    #[must_use]
    pub fn at(
        mut right: Vec<f64>,
        iterations: usize,
        operator: &mut (impl LinearOperator<f64> + ?Sized),
    ) -> SingularTriplet {
        let length = norm(&right);
        if length > 0.0 {
            right.iter_mut().for_each(|x| *x /= length);
        }
        let mut left = vec![0.0; operator.n_outputs()];
        operator.apply(&right, &mut left);
        let value = norm(&left);
        if value == 0.0 {
            return SingularTriplet { value, left, right, iterations, relative_residual: 0.0 };
        }
        if !value.is_finite() {
            return SingularTriplet { value, left, right, iterations, relative_residual: f64::NAN };
        }
        left.iter_mut().for_each(|x| *x /= value);
        let mut back = vec![0.0; operator.n_inputs()];
        operator.apply_transpose(&left, &mut back);
        add(&mut back, -value, &right);
        let relative_residual = norm(&back) / value;
        SingularTriplet { value, left, right, iterations, relative_residual }
    }
}

/// Calls `job` with the parts of a vector, [`PART`] numbers each.
fn in_parts(schedule: Schedule, vector: &mut [f64], job: &(impl Fn(usize, &mut [f64]) + Sync)) {
    let len = vector.len();
    for_parts(schedule, 0..len.div_ceil(PART), vector, &|part| (part * PART).min(len), job);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectral::diagonal::{Diagonal, Failing};

    #[test]
    fn the_length_of_a_vector_with_a_nan_is_nan_and_of_one_with_an_infinity_infinite() {
        for len in [1, 7, 8, 9, 40] {
            for nan in [f64::NAN, -f64::NAN] {
                assert!(norm(&vec![nan; len]).is_nan(), "all of {len}");
                for rest in [0.0, 1.0, 1e300, f64::INFINITY] {
                    let mut vector = vec![rest; len];
                    vector[len / 2] = nan;
                    assert!(norm(&vector).is_nan(), "{rest} and one of {len}");
                }
            }
            let mut vector = vec![1.0; len];
            vector[len - 1] = f64::NEG_INFINITY;
            assert_eq!(norm(&vector), f64::INFINITY);
            assert_eq!(norm(&vec![0.0; len]), 0.0);
        }
    }

    /// The residual of a value that is not finite was 0 for a NaN, as if it were exact.
    #[test]
    fn a_triplet_of_products_that_are_not_finite_has_no_finite_residual() {
        for entry in [f64::NAN, f64::INFINITY] {
            for good_products in 0..2 {
                let mut operator = Failing { matrix: Diagonal(vec![2.0, 1.0, 0.5]), good_products, entry };
                let found = SingularTriplet::at(vec![1.0, 1.0, 1.0], 0, &mut operator);
                assert!(!found.relative_residual.is_finite(), "{entry} after {good_products}: {found:?}");
                assert_eq!(found.value.is_finite(), good_products == 1, "{entry} after {good_products}: {found:?}");
                assert_eq!(found.value.is_nan(), entry.is_nan() && good_products == 0, "{found:?}");
            }
        }
    }
}
