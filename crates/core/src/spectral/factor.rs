//! Whether a symmetric matrix is positive definite, by its Cholesky factor.

use nalgebra::DMatrix;

/// Columns that are factored at a time, and rows of a tile: a tile of sums stays in registers.
#[cfg(any(test, target_arch = "wasm32"))]
const SIDE: usize = 4;

/// Whether a symmetric matrix has a Cholesky factor, from its lower entries.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn is_positive_definite(matrix: &DMatrix<f64>) -> bool {
    use crate::attention::clear_wide_registers;
    let factor = super::dense::view(matrix).llt(faer::Side::Lower);
    clear_wide_registers();
    factor.is_ok()
}

/// The same test without faer, which is slow in WebAssembly.
#[cfg(target_arch = "wasm32")]
pub(crate) fn is_positive_definite(matrix: &DMatrix<f64>) -> bool {
    has_factor(matrix)
}

/// Factors four columns at a time: subtracts the contribution of earlier columns in tiles, then factors the four.
#[cfg(any(test, target_arch = "wasm32"))]
fn has_factor(matrix: &DMatrix<f64>) -> bool {
    // Padded with the identity to whole tiles.
    let (n, side) = (matrix.nrows(), matrix.nrows().next_multiple_of(SIDE));
    let mut factor = vec![0.0; side * side];
    for (column, place) in matrix.column_iter().zip(factor.chunks_exact_mut(side)) {
        place[..n].copy_from_slice(column.as_slice());
    }
    (n..side).for_each(|at| factor[at * side + at] = 1.0);
    for first in (0..side).step_by(SIDE) {
        let (before, columns) = factor.split_at_mut(first * side);
        for row in (first..side).step_by(SIDE) {
            let sums = tile(before, side, row, first);
            for (column, sums) in columns.chunks_exact_mut(side).zip(&sums) {
                column[row..row + SIDE].iter_mut().zip(sums).for_each(|(x, sum)| *x -= sum);
            }
        }
        for at in 0..SIDE {
            let (earlier, column) = columns.split_at_mut(at * side);
            let column = &mut column[first..side];
            for earlier in earlier.chunks_exact(side).map(|earlier| &earlier[first..]) {
                let weight = earlier[at];
                column[at..].iter_mut().zip(&earlier[at..]).for_each(|(x, y)| *x -= weight * y);
            }
            let pivot = column[at];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            let inverse = 1.0 / pivot.sqrt();
            column[at..].iter_mut().for_each(|x| *x *= inverse);
        }
    }
    true
}

/// The sums over all columns k < `first` of L_ak L_bk, for four rows a from `row` and four rows b from `first` on; one
/// column of the tile for each b. Not inlined, for the same reason as `tile` in `attention/packed.rs`.
#[cfg(any(test, target_arch = "wasm32"))]
#[inline(never)]
fn tile(before: &[f64], side: usize, row: usize, first: usize) -> [[f64; SIDE]; SIDE] {
    let mut sums = [[0.0; SIDE]; SIDE];
    for column in before.chunks_exact(side) {
        let (Some(x), Some(y)) = (column[row..].first_chunk::<SIDE>(), column[first..].first_chunk::<SIDE>()) else {
            continue;
        };
        sums = std::array::from_fn(|b| std::array::from_fn(|a| sums[b][a] + x[a] * y[b]));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectral::largest_eigenvalue;

    #[test]
    fn both_cholesky_factors_say_what_the_eigenvalues_say() {
        for size in [1, 2, 5, 12, 63, 64] {
            let turned = DMatrix::from_fn(size, size, |r, c| ((3 * r * r + 2 * c + 1) as f64).sin());
            let gram = &turned * turned.transpose();
            let largest = largest_eigenvalue(&gram);
            for (factor, expected) in [(1.0 + 1e-9, true), (1.0 - 1e-9, false), (f64::NAN, false)] {
                let rest = DMatrix::identity(size, size) * (largest * factor) - &gram;
                let found = (is_positive_definite(&rest), has_factor(&rest));
                assert_eq!(found, (expected, expected), "{size} rows, {factor}");
            }
        }
        let infinite = DMatrix::from_diagonal_element(3, 3, f64::INFINITY);
        assert!(!is_positive_definite(&infinite) && !has_factor(&infinite));
    }
}
