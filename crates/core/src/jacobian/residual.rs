//! The Jacobian I + J of a map with its residual connection, x + F(x).

use super::LinearOperator;

/// I + J as an operator, for a J with as many rows as columns.
pub struct WithResidual<'a, O: ?Sized>(pub &'a mut O);

impl<O: LinearOperator<f64> + ?Sized> LinearOperator<f64> for WithResidual<'_, O> {
    fn n_inputs(&self) -> usize {
        self.0.n_inputs()
    }

    fn n_outputs(&self) -> usize {
        self.0.n_outputs()
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        self.0.apply(v, out);
        out.iter_mut().zip(v).for_each(|(y, x)| *y += x);
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        self.0.apply_transpose(u, out);
        out.iter_mut().zip(u).for_each(|(y, x)| *y += x);
    }
}
