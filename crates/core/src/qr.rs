//! QR decompositions of matrices whose entries may be of any size.

use nalgebra::DMatrix;

/// Q and R of the thin QR decomposition. The columns are first multiplied by powers of two, so that the squares of their
/// entries neither overflow nor underflow: nalgebra takes a column whose squares underflow for zero. R has the same digits
/// as without.
pub(crate) fn thin_qr(mut matrix: DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let scales: Vec<f64> = matrix.column_iter().map(|column| power_of_two(column.amax())).collect();
    matrix.column_iter_mut().zip(&scales).for_each(|(mut column, scale)| column /= *scale);
    let (q, mut r) = matrix.qr().unpack();
    r.column_iter_mut().zip(&scales).for_each(|(mut column, scale)| column *= *scale);
    (q, r)
}

/// R of [`thin_qr`]: |R x| = |M x| for every x.
pub(crate) fn triangle(matrix: DMatrix<f64>) -> DMatrix<f64> {
    thin_qr(matrix).1
}

/// A matrix with at most as many rows as columns whose products have the same lengths: M itself, or R of [`thin_qr`].
pub(crate) fn without_more_rows(matrix: DMatrix<f64>) -> DMatrix<f64> {
    if matrix.nrows() > matrix.ncols() { triangle(matrix) } else { matrix }
}

/// A power of two near a size; 1 for sizes of zero, and for ones that are not finite.
pub(crate) fn power_of_two(size: f64) -> f64 {
    if size > 0.0 && size.is_finite() { size.log2().floor().min(1023.0).exp2() } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_of_two_near_the_largest_number_is_finite() {
        assert_eq!(power_of_two(f64::MAX), 2f64.powi(1023));
        assert_eq!(power_of_two(3.0), 2.0);
    }

    #[test]
    fn columns_whose_squares_underflow_or_overflow_keep_their_digits() {
        let matrix = DMatrix::from_row_slice(3, 2, &[3.0, 1.0, 0.0, 2.0, 4.0, -5.0]);
        let (q, r) = thin_qr(matrix.clone());
        let most = |matrix: DMatrix<f64>| matrix.amax();
        assert!(most(&q * &r - &matrix) < 1e-14 && most(q.tr_mul(&q) - DMatrix::identity(2, 2)) < 1e-14);
        for scales in [[2f64.powi(-700), 1.0], [1.0, 2f64.powi(800)], [2f64.powi(900), 2f64.powi(-1000)], [0.0, 1.0]] {
            let mut scaled = matrix.clone();
            scaled.column_iter_mut().zip(scales).for_each(|(mut column, scale)| column *= scale);
            let found = triangle(scaled);
            for (column, scale) in [0, 1].into_iter().zip(scales) {
                let expected: f64 = matrix.column(column).norm() * scale;
                let parts = found.column(column);
                let length = parts[0].hypot(parts[1]);
                assert!((length - expected).abs() <= 1e-14 * expected, "{scales:?}: {length} for {expected}");
            }
        }
    }

    #[test]
    fn the_digits_of_ordinary_columns_are_those_without_scales() {
        let matrix =
            DMatrix::from_fn(5, 3, |row, column| ((row * 3 + column) as f64).sin() * 10f64.powi(column as i32));
        let (q, r) = matrix.clone().qr().unpack();
        assert_eq!(thin_qr(matrix), (q, r));
    }
}
