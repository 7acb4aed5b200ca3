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

/// A diagonal matrix whose products fail after some good ones: one entry is then another number, such as NaN.
pub(super) struct Failing {
    pub(super) matrix: Diagonal,
    /// How many products are left before the failure.
    pub(super) good_products: usize,
    /// The wrong entry.
    pub(super) entry: f64,
}

impl LinearOperator<f64> for Failing {
    fn n_inputs(&self) -> usize {
        self.matrix.n_inputs()
    }

    fn n_outputs(&self) -> usize {
        self.matrix.n_outputs()
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        self.matrix.apply(v, out);
        match self.good_products.checked_sub(1) {
            Some(left) => self.good_products = left,
            None => out[0] = self.entry,
        }
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        self.apply(u, out);
    }
}
