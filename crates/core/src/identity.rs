//! Multiples of the identity, which need no decomposition.

use nalgebra::DMatrix;

/// Up to this dimension decompositions and products cost next to nothing, so multiples of the identity get no special
/// treatment.
pub const SMALL: usize = 64;

/// The number s for which a matrix is s I; `None` for any other matrix, and for entries that are not finite. Most
/// matrices differ from s I in their first column, so a few comparisons are enough.
#[must_use]
pub fn multiple_of_identity(matrix: &DMatrix<f64>) -> Option<f64> {
    let factor = *matrix.get((0, 0)).filter(|x| x.is_finite())?;
    let is_multiple = |(col, column): (usize, &[f64])| {
        column.iter().enumerate().all(|(row, x)| *x == if row == col { factor } else { 0.0 })
    };
    let mut columns = matrix.as_slice().chunks_exact(matrix.nrows()).enumerate();
    (matrix.is_square() && columns.all(is_multiple)).then_some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_of_the_identity_are_told_apart_from_what_is_near_them() {
        for factor in [-2.5, 0.0, 1.0, 31.622776601683793] {
            let multiple = DMatrix::identity(5, 5) * factor;
            assert_eq!(multiple_of_identity(&multiple), Some(factor));
            let mut near = multiple.clone();
            near[(4, 3)] = 1e-300;
            assert_eq!(multiple_of_identity(&near), None);
            near = multiple;
            near[(4, 4)] += 1e-9;
            assert_eq!(multiple_of_identity(&near), None);
        }
        assert_eq!(multiple_of_identity(&DMatrix::identity(2, 3)), None);
        assert_eq!(multiple_of_identity(&DMatrix::from_element(1, 1, f64::NAN)), None);
        assert_eq!(multiple_of_identity(&DMatrix::zeros(0, 0)), None);
    }
}
