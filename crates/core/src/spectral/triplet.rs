//! A singular value with its vectors.

use super::vectors::{add, norm};
use crate::jacobian::LinearOperator;

/// A singular value with its vectors and their residual.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularTriplet {
    /// s, never above ||J||_2.
    pub value: f64,
    /// Unit left vector.
    pub left: Vec<f64>,
    /// Unit right vector.
    pub right: Vec<f64>,
    /// Steps taken.
    pub iterations: usize,
    /// |J^T u - s v| / s, computed from the vectors; 0 if J v = 0 for every start.
    pub relative_residual: f64,
}

impl SingularTriplet {
    /// The triplet of a given right vector (of any length), with one product with J and one with J^T.
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
        left.iter_mut().for_each(|x| *x /= value);
        let mut back = vec![0.0; operator.n_inputs()];
        operator.apply_transpose(&left, &mut back);
        add(&mut back, -value, &right);
        let relative_residual = norm(&back) / value;
        SingularTriplet { value, left, right, iterations, relative_residual }
    }
}
