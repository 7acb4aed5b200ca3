//! Norms and singular value decompositions of dense matrices.

use faer::MatRef;
use nalgebra::{DMatrix, DMatrixView, DVector};

use super::SingularTriplet;
use crate::attention::clear_wide_registers;
use crate::extremum::{largest, maximum};
use crate::identity::multiple_of_identity;
use crate::parallel::{self, Schedule};
use crate::qr::power_of_two;

/// Norms that need every entry of a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DenseNorms {
    /// Root of the sum of squares.
    pub frobenius: f64,
    /// Largest absolute row sum.
    pub linf: f64,
    /// Largest absolute column sum.
    pub l1: f64,
}

/// Frobenius, l_inf and l_1 norm of a matrix; NaN if an entry is NaN.
#[must_use]
pub fn dense_norms(matrix: &DMatrix<f64>) -> DenseNorms {
    let mut row_sums = vec![0.0; matrix.nrows()];
    let mut l1 = 0.0f64;
    let mut squares = 0.0;
    for column in matrix.column_iter() {
        // Four partial sums each, so that the compiler vectorises.
        let (mut sums, mut sums_of_squares) = ([0.0; 4], [0.0; 4]);
        let (column_chunks, column_tail) = column.as_slice().as_chunks::<4>();
        let (row_chunks, row_tail) = row_sums.as_chunks_mut::<4>();
        for (row_sums, x) in row_chunks.iter_mut().zip(column_chunks) {
            for lane in 0..4 {
                row_sums[lane] += x[lane].abs();
                sums[lane] += x[lane].abs();
                sums_of_squares[lane] += x[lane] * x[lane];
            }
        }
        for (row_sum, x) in row_tail.iter_mut().zip(column_tail) {
            *row_sum += x.abs();
            sums[0] += x.abs();
            sums_of_squares[0] += x * x;
        }
        squares += sums_of_squares.iter().sum::<f64>();
        l1 = maximum(l1, sums.iter().sum());
    }
    let mut frobenius = squares.sqrt();
    // Squares of entries near the limits of f64 have overflowed or underflowed: the matrix is scaled and the sum
    // repeated.
    if !(1e-280..1e280).contains(&squares) {
        let scale = largest(matrix.iter().map(|x| x.abs()));
        frobenius = match scale > 0.0 && scale.is_finite() {
            true => scale * matrix.iter().map(|x| (x / scale) * (x / scale)).sum::<f64>().sqrt(),
            false => scale,
        };
    }
    DenseNorms { frobenius, linf: largest(row_sums), l1 }
}

/// The singular values, largest first; `None` if an entry is not finite or the iteration does not converge.
#[must_use]
pub fn singular_values(matrix: &DMatrix<f64>) -> Option<Vec<f64>> {
    let (scaled, scale) = scaled(matrix)?;
    if scale == 0.0 {
        return Some(vec![0.0; matrix.nrows().min(matrix.ncols())]);
    }
    let values = view(&scaled).singular_values().ok()?;
    Some(values.into_iter().map(|s| s * scale).collect())
}

/// The largest singular value with its vectors, from a full decomposition; `None` if an entry is not finite or the
/// iteration does not converge.
#[must_use]
pub fn largest_triplet(matrix: &DMatrix<f64>) -> Option<SingularTriplet> {
    let unit = |len: usize| (0..len).map(|at| if at == 0 { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    if matrix.iter().all(|x| *x == 0.0) {
        let (left, right) = (unit(matrix.nrows()), unit(matrix.ncols()));
        return Some(SingularTriplet { value: 0.0, left, right, iterations: 0, relative_residual: 0.0 });
    }
    let (left, right, values) = full_svd(matrix)?;
    let left: DVector<f64> = left.column(0).into_owned();
    let right: DVector<f64> = right.row(0).transpose();
    let value = values[0];
    let relative_residual = (matrix.tr_mul(&left) - &right * value).norm() / value;
    let (left, right) = (left.as_slice().to_vec(), right.as_slice().to_vec());
    Some(SingularTriplet { value, left, right, iterations: 0, relative_residual })
}

/// Left vectors (columns), right vectors (rows) and singular values, largest first; `None` for a zero matrix and in the
/// cases of [`singular_values`].
///
/// Uses faer: nalgebra 0.35's SVD is off by up to 2e-11 on some of the clustered matrices that a restarted Lanczos
/// iteration produces (see the test in `lanczos.rs`), which made the estimated residual a hundred times too small.
pub(crate) fn full_svd(matrix: &DMatrix<f64>) -> Option<(DMatrix<f64>, DMatrix<f64>, Vec<f64>)> {
    let (scaled, scale) = scaled(matrix)?;
    if scale == 0.0 {
        return None;
    }
    let svd = view(&scaled).svd().ok()?;
    let (left, right) = (svd.U(), svd.V());
    Some((
        DMatrix::from_fn(left.nrows(), left.ncols(), |row, col| left[(row, col)]),
        DMatrix::from_fn(right.ncols(), right.nrows(), |row, col| right[(col, row)]),
        svd.S().column_vector().iter().map(|s| s * scale).collect(),
    ))
}

pub(super) fn view(matrix: &DMatrix<f64>) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(matrix.as_slice(), matrix.nrows(), matrix.ncols())
}

/// Up to this many rows or columns the largest singular value comes from the Gram matrix, in a fifth of the time of a
/// decomposition. The largest value alone loses no digits by squaring.
const FEW_COLUMNS: usize = 8;

/// The spectral norm; if the SVD does not converge, the Frobenius norm, which is never smaller. Infinite or NaN where an
/// entry is.
#[must_use]
pub fn largest_singular_value(matrix: &DMatrix<f64>) -> f64 {
    if let Some(factor) = multiple_of_identity(matrix) {
        return factor.abs();
    }
    let (n_rows, n_columns) = matrix.shape();
    if n_rows.min(n_columns) <= FEW_COLUMNS && matrix.iter().all(|x| x.is_finite()) {
        return norm_from_gram(matrix);
    }
    singular_values(matrix)
        .map_or_else(|| dense_norms(matrix).frobenius, |values| values.first().copied().unwrap_or(0.0))
}

/// The spectral norm from the smaller Gram matrix of the scaled entries, which neither overflow nor underflow when they are
/// squared; infinity if an entry is not finite.
pub(crate) fn norm_from_gram(matrix: &DMatrix<f64>) -> f64 {
    let Some((scaled, scale)) = scaled(matrix) else {
        return f64::INFINITY;
    };
    let gram = if scaled.nrows() < scaled.ncols() { &scaled * scaled.transpose() } else { scaled.tr_mul(&scaled) };
    let square = if gram.nrows() == 1 { gram[(0, 0)] } else { largest_eigenvalue(&gram) };
    scale * square.sqrt()
}

/// The largest eigenvalue of a positive semidefinite matrix; infinity if an entry is not finite.
///
/// Uses nalgebra: faer's symmetric eigenvalues alone add 150 KB to the compressed WebAssembly.
#[must_use]
pub fn largest_eigenvalue(matrix: &DMatrix<f64>) -> f64 {
    match scaled(matrix) {
        Some((scaled, scale)) => largest(scaled.symmetric_eigenvalues().iter().copied()) * scale,
        None => f64::INFINITY,
    }
}

/// The eigenvector of the largest eigenvalue of a symmetric matrix with at least one row and finite entries.
pub(crate) fn leading_eigenvector(matrix: DMatrix<f64>) -> DVector<f64> {
    let eigen = matrix.symmetric_eigen();
    eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned()
}

/// ||L^T R||_2 for L (k x m) and R (k x n) with few rows, from QR factors of their transposes. The m x n matrix is not
/// formed.
/// A factor s I is not decomposed.
#[must_use]
pub fn norm_of_product(left: &DMatrix<f64>, right: &DMatrix<f64>) -> f64 {
    for (one, other) in [(left, right), (right, left)] {
        if let Some(factor) = multiple_of_identity(one) {
            return factor.abs() * norm_of_wide(other);
        }
    }
    let triangle = |matrix: &DMatrix<f64>| {
        // M^T = Z T with orthonormal columns in Z, so the norm depends on T only.
        if matrix.ncols() > matrix.nrows() { triangle_of_columns(&matrix.transpose()) } else { matrix.transpose() }
    };
    // L^T R = Z_l T_l T_r^T Z_r^T has the norm of T_l T_r^T.
    largest_singular_value(&(triangle(left) * triangle(right).transpose()))
}

/// The most blocks whose norms are computed, each by a small SVD.
const MOST_BLOCKS: usize = 20_000;

/// max_i sum_j ||J_ij||_2 over blocks of d_out rows and d columns; `None` where there are too many blocks, and NaN if an
/// entry is NaN.
pub(crate) fn max_token(jacobian: &DMatrix<f64>, (d_out, d): (usize, usize)) -> Option<f64> {
    let (n, n_rows) = (jacobian.ncols() / d, jacobian.nrows() / d_out);
    if d.min(d_out) > 1 && n * n_rows > MOST_BLOCKS {
        return None;
    }
    let row_sum = |i: usize| -> f64 {
        let block = |j: usize| jacobian.view((i * d_out, j * d), (d_out, d));
        (0..n)
            .map(|j| match d.min(d_out) {
                1 => length_of(block(j)),
                _ => largest_singular_value(&block(j).into_owned()),
            })
            .sum()
    };
    let operations = 20 * jacobian.len() * d.min(d_out);
    let sums = parallel::map(Schedule::of(operations as u64), n_rows, &row_sum);
    Some(largest(sums))
}

/// The length of a row or column, also where its squares underflow or overflow.
fn length_of(vector: DMatrixView<'_, f64>) -> f64 {
    let length = vector.norm();
    if (1e-140..1e140).contains(&length) {
        return length;
    }
    let scale = vector.amax();
    if scale > 0.0 && scale.is_finite() { (vector / scale).norm() * scale } else { length }
}

/// The matrix divided by its largest absolute entry, and that entry; `None` if an entry is not finite.
fn scaled(matrix: &DMatrix<f64>) -> Option<(DMatrix<f64>, f64)> {
    let scale = matrix.amax();
    if matrix.iter().any(|x| !x.is_finite()) {
        return None;
    }
    Some((if scale > 0.0 { matrix / scale } else { matrix.clone() }, scale))
}

/// R of the QR decomposition of a matrix with more rows than columns. The matrix is first divided by a power of two: faer
/// takes columns below the smallest normal number for zero.
pub(crate) fn triangle_of_columns(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let unit = power_of_two(matrix.amax());
    let factors = view(&(matrix / unit)).qr();
    clear_wide_registers();
    let r = factors.thin_R();
    DMatrix::from_fn(r.nrows(), r.ncols(), |row, col| if row <= col { r[(row, col)] * unit } else { 0.0 })
}

/// The spectral norm of a matrix that may have far more columns than rows, through its triangular factor.
fn norm_of_wide(matrix: &DMatrix<f64>) -> f64 {
    match matrix.ncols() > matrix.nrows() {
        true => largest_singular_value(&triangle_of_columns(&matrix.transpose())),
        false => largest_singular_value(matrix),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_norms_of_a_two_by_two_matrix_are_right() {
        let matrix = DMatrix::from_row_slice(2, 2, &[3.0, -4.0, 0.0, 5.0]);
        let norms = dense_norms(&matrix);
        assert_eq!((norms.linf, norms.l1), (7.0, 9.0));
        assert!((norms.frobenius - 50f64.sqrt()).abs() < 1e-14);
        let values = singular_values(&matrix).expect("a small matrix");
        assert!((values[0] - 45f64.sqrt()).abs() < 1e-13 && (values[1] - 5f64.sqrt()).abs() < 1e-13, "{values:?}");
    }

    #[test]
    fn norms_of_huge_and_tiny_entries_neither_overflow_nor_underflow() {
        for scale in [1e-200, 1e200] {
            let matrix = DMatrix::from_row_slice(2, 2, &[3.0 * scale, -4.0 * scale, 0.0, 5.0 * scale]);
            let norm = largest_singular_value(&matrix);
            assert!((norm / scale - 45f64.sqrt()).abs() < 1e-12, "{norm}");
            assert!((dense_norms(&matrix).frobenius / scale - 50f64.sqrt()).abs() < 1e-12);
        }
    }

    #[test]
    fn an_entry_that_is_not_finite_makes_no_norm_finite() {
        for (n_rows, n_columns) in [(1, 1), (2, 5), (12, 12)] {
            for (row, column) in [(0, 0), (n_rows - 1, n_columns - 1)] {
                let mut matrix = DMatrix::from_element(n_rows, n_columns, 1.0);
                matrix[(row, column)] = f64::INFINITY;
                let DenseNorms { frobenius, linf, l1 } = dense_norms(&matrix);
                let largest = largest_singular_value(&matrix);
                assert_eq!([frobenius, linf, l1, largest], [f64::INFINITY; 4], "{n_rows} x {n_columns}");
                for nan in [f64::NAN, -f64::NAN] {
                    matrix[(row, column)] = nan;
                    let DenseNorms { frobenius, linf, l1 } = dense_norms(&matrix);
                    let token = max_token(&matrix, (1, 1)).expect("few blocks");
                    for found in [frobenius, linf, l1, token, largest_singular_value(&matrix)] {
                        assert!(found.is_nan(), "{n_rows} x {n_columns}: {found}");
                    }
                    assert_eq!(singular_values(&matrix), None);
                    assert_eq!(largest_triplet(&matrix), None);
                }
            }
        }
    }

    #[test]
    fn norm_of_product_equals_the_norm_of_the_multiplied_matrix() {
        let left = DMatrix::from_fn(2, 5, |r, c| ((3 * r + 2 * c) as f64).sin());
        for n_columns in [1, 2, 7] {
            let right = DMatrix::from_fn(2, n_columns, |r, c| ((r + 5 * c) as f64).cos());
            let formed = largest_singular_value(&(left.transpose() * &right));
            let found = norm_of_product(&left, &right);
            assert!((formed - found).abs() < 1e-12 * formed, "{formed} {found}");
        }
    }

    #[test]
    fn the_norm_of_a_product_keeps_numbers_below_the_smallest_normal_one() {
        let left = DMatrix::from_fn(2, 5, |r, c| ((3 * r + 2 * c) as f64).sin());
        let right = DMatrix::from_fn(2, 3, |r, c| ((r + 5 * c) as f64).cos());
        let ordinary = norm_of_product(&left, &right);
        for (scale, within) in [(2f64.powi(-1000), 1e-14), (2f64.powi(-1030), 1e-12), (2f64.powi(1000), 1e-14)] {
            for (left, right) in [(&left * scale, right.clone()), (left.clone(), &right * scale)] {
                let found = norm_of_product(&left, &right) / scale;
                assert!((found / ordinary - 1.0).abs() < within, "{scale}: {found} for {ordinary}");
            }
        }
    }

    #[test]
    fn multiples_of_the_identity_have_the_norm_of_their_decomposition() {
        let turned = DMatrix::from_fn(5, 5, |r, c| ((3 * r + 2 * c) as f64).sin());
        for factor in [-2.5, 0.0, 1.0, 31.622776601683793] {
            let multiple = DMatrix::identity(5, 5) * factor;
            let formed = singular_values(&(multiple.transpose() * &turned)).expect("finite")[0];
            for found in [norm_of_product(&multiple, &turned), norm_of_product(&turned, &multiple)] {
                assert!((found - formed).abs() <= 1e-14 * formed, "{factor}: {found} for {formed}");
            }
            assert_eq!(largest_singular_value(&multiple), singular_values(&multiple).expect("finite")[0]);
        }
    }

    #[test]
    fn a_zero_matrix_has_norm_zero() {
        assert_eq!(largest_singular_value(&DMatrix::zeros(3, 2)), 0.0);
        let triplet = largest_triplet(&DMatrix::zeros(3, 2)).expect("finite");
        assert_eq!((triplet.value, triplet.left.len(), triplet.right.len()), (0.0, 3, 2));
    }

    #[test]
    fn the_largest_triplet_satisfies_its_equations() {
        let matrix = DMatrix::from_fn(5, 3, |r, c| ((3 * r + 7 * c) as f64).sin());
        let SingularTriplet { value, left, right, relative_residual, .. } = largest_triplet(&matrix).expect("finite");
        let image = &matrix * DVector::from_vec(right);
        assert!((image - DVector::from_vec(left) * value).norm() < 1e-14 * value && relative_residual < 1e-14);
        assert!((value - largest_singular_value(&matrix)).abs() < 1e-14 * value);
    }
}
