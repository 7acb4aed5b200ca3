//! Bounds a largest eigenvalue from above without a decomposition: M <= mu I exactly if mu I - M has a Cholesky factor.
//! For 64 x 64 matrices this costs a fifth of computing the eigenvalues.

use nalgebra::{DMatrix, DVector};

use crate::attention::{View, ViewMut, multiply_gram};
use crate::spectral::is_positive_definite;

/// Upper bounds on the largest eigenvalues of similar positive semidefinite matrices, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct TopEigenvalue {
    /// An approximate eigenvector of the previous matrix, from which the next iteration starts.
    near: Option<DVector<f64>>,
    /// How often the margin of the previous matrix was doubled: the next one mostly needs as many doublings.
    doublings: usize,
}

/// Power steps for each matrix; the first one takes more.
const STEPS: usize = 6;
const FIRST_STEPS: usize = 40;
/// The margin over the value of the power steps; doubled as often as the Cholesky factor needs to exist.
const MARGIN: f64 = 5e-4;
const MOST_DOUBLINGS: usize = 12;

impl TopEigenvalue {
    /// An upper bound on the largest eigenvalue, about `MARGIN` above it.
    pub(crate) fn bound(&mut self, matrix: &DMatrix<f64>) -> f64 {
        let steps = if self.near.is_some() { STEPS } else { FIRST_STEPS };
        let mut x = self
            .near
            .take()
            .unwrap_or_else(|| DVector::from_fn(matrix.nrows(), |row, _| 1.0 + 1.0 / (row as f64 + 1.0)).normalize());
        let mut value = 0.0;
        for _ in 0..steps {
            let image = matrix * &x;
            value = image.norm();
            if !(value > 0.0 && value.is_finite()) {
                break;
            }
            x = image / value;
        }
        if value > 0.0 && value.is_finite() {
            self.near = Some(x);
            let bound = |doublings: usize| value * (1.0 + MARGIN * (1u64 << doublings) as f64);
            if let Some(doublings) = least_from(self.doublings, |doublings| is_at_most(matrix, bound(doublings))) {
                self.doublings = doublings;
                return bound(doublings);
            }
        }
        crate::spectral::largest_eigenvalue(matrix)
    }
}

/// The least number below [`MOST_DOUBLINGS`] for which `holds`, which then holds for all larger ones too. The search
/// starts at `near`: for the rows of a layer it needs about half the trials of counting up from zero.
fn least_from(near: usize, holds: impl Fn(usize) -> bool) -> Option<usize> {
    if !holds(near) {
        return (near + 1..MOST_DOUBLINGS).find(|number| holds(*number));
    }
    let below = (0..near).rev().take_while(|number| holds(*number)).last();
    Some(below.unwrap_or(near))
}

/// Whether ||M||_2 <= bound, up to rounding.
pub(crate) fn is_norm_at_most(matrix: &DMatrix<f64>, bound: f64) -> bool {
    let (rows, columns) = matrix.shape();
    let stored = View::new(matrix.as_slice(), rows, columns);
    let wide = if rows < columns { stored } else { stored.transpose() };
    // Cholesky uses only the lower entries.
    let mut gram = DMatrix::zeros(rows.min(columns), rows.min(columns));
    multiply_gram(ViewMut::new(gram.as_mut_slice(), rows.min(columns), rows.min(columns)), wide);
    bound > 0.0 && is_at_most(&gram, bound * bound)
}

/// Whether bound I - M is positive definite.
fn is_at_most(matrix: &DMatrix<f64>, bound: f64) -> bool {
    let mut rest = -matrix;
    for at in 0..rest.nrows() {
        rest[(at, at)] += bound;
    }
    is_positive_definite(&rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, Stream};

    #[test]
    fn the_bound_is_above_the_eigenvalue_and_near_it_for_similar_matrices() {
        let mut random = Random::new(8, Stream::Tokens);
        for size in [9, 20, 64] {
            for scale in [1e-140, 1.0, 1e140] {
                let mut top = TopEigenvalue::default();
                let base = DMatrix::from_fn(size, size, |_, _| random.normal());
                for step in 0..10 {
                    let moved = &base + DMatrix::from_fn(size, size, |_, _| 0.1 * random.normal());
                    let matrix = &moved * moved.transpose() * scale;
                    let (found, exact) = (top.bound(&matrix), crate::spectral::largest_eigenvalue(&matrix));
                    assert!((1.0..1.1).contains(&(found / exact)), "{size} step {step}: {found} for {exact}");
                }
            }
        }
        assert_eq!(TopEigenvalue::default().bound(&DMatrix::zeros(9, 9)), 0.0);
        assert_eq!(TopEigenvalue::default().bound(&DMatrix::from_element(9, 9, f64::INFINITY)), f64::INFINITY);
    }

    #[test]
    fn the_search_from_a_neighbour_finds_the_least_number() {
        for near in 0..MOST_DOUBLINGS {
            for least in 0..MOST_DOUBLINGS + 2 {
                let expected = Some(least).filter(|least| *least < MOST_DOUBLINGS);
                assert_eq!(least_from(near, |number| number >= least), expected, "{least} from {near}");
            }
        }
    }

    #[test]
    fn a_norm_is_compared_with_a_bound() {
        let mut random = Random::new(9, Stream::Tokens);
        for (rows, cols) in [(9, 9), (12, 30), (30, 12)] {
            let matrix = DMatrix::from_fn(rows, cols, |_, _| random.normal());
            let norm = matrix.singular_values().max();
            assert!(is_norm_at_most(&matrix, norm * (1.0 + 1e-12)) && !is_norm_at_most(&matrix, norm * (1.0 - 1e-12)));
        }
        assert!(!is_norm_at_most(&DMatrix::zeros(9, 9), 0.0));
    }
}
