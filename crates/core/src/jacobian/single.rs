//! Adapts an operator in f32 to vectors in f64.
//!
//! The vectors of an iteration, their products and the small matrix stay in f64; only J v and J^T u are rounded, to
//! about seven digits.

use super::LinearOperator;

/// The tightest tolerance for an iteration on products in f32: below it, the rounding of the products decides the
/// residual.
pub const SINGLE_TOLERANCE: f64 = 1e-6;

/// An operator in f32, with the buffers of its inputs and outputs.
#[derive(Debug)]
pub struct Single<O> {
    operator: O,
    inputs: Vec<f32>,
    outputs: Vec<f32>,
}

impl<O: LinearOperator<f32>> Single<O> {
    /// Wraps an operator in f32, so that an iteration on f64 vectors can use it.
    pub fn new(operator: O) -> Self {
        let (inputs, outputs) = (vec![0.0; operator.n_inputs()], vec![0.0; operator.n_outputs()]);
        Single { operator, inputs, outputs }
    }
}

impl<O: LinearOperator<f32>> LinearOperator<f64> for Single<O> {
    fn n_inputs(&self) -> usize {
        self.inputs.len()
    }

    fn n_outputs(&self) -> usize {
        self.outputs.len()
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        narrow(v, &mut self.inputs);
        self.operator.apply(&self.inputs, &mut self.outputs);
        widen(&self.outputs, out);
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        narrow(u, &mut self.outputs);
        self.operator.apply_transpose(&self.outputs, &mut self.inputs);
        widen(&self.inputs, out);
    }
}

fn narrow(from: &[f64], to: &mut [f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from as f32);
}

fn widen(from: &[f32], to: &mut [f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = f64::from(*from));
}
