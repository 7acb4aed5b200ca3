//! A diagonal matrix as an operator: its singular values are known to tests.

use crate::jacobian::LinearOperator;

/// The entries on the diagonal.
pub(super) struct Diagonal(pub(super) Vec<f64>);

impl LinearOperator<f64> for Diagonal {
    fn n_inputs(&self) -> usize {
        self.0.len()
    }

    fn n_outputs(&self) -> usize {
        self.0.len()
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(v).zip(&self.0).for_each(|((out, v), s)| *out = v * s);
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        self.apply(u, out);
    }
}
