//! The local Lipschitz constant of every layer's attention while a model is trained.

use lipscope_core::bounds::{Combination, LocalBound};
use lipscope_core::experiment::InputError;
use lipscope_core::jacobian::JacobianOperator;
use lipscope_core::phrase;
use lipscope_core::spectral::{Lanczos, LanczosOptions};
use nalgebra::DMatrix;

use super::stack::{Block, Stack};

/// The attention of one layer at one window. The map is the branch without its layer norm (c F/Lambda for a
/// contraction), at the tokens that attention sees; the norm is that of the map's Jacobian J.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerConstant {
    /// The block, counted from 0.
    pub layer: usize,
    /// ||J||_2, by Lanczos: never above the exact value, and short of it by about `residual`^2 relatively.
    pub norm: f64,
    /// |J^T u - s v|/s of the vectors found.
    pub residual: f64,
    /// Steps of the iteration.
    pub steps: usize,
    /// An upper bound on ||J||_2 at these tokens: the smaller of `local` and `local_blocks`.
    pub bound: f64,
    /// c, an upper bound on the l_inf norm of J at all tokens; absent where the branch is no contraction.
    pub linf_bound: Option<f64>,
}

/// The relative residual at which the norms count as found: the norm's own relative error is about its square.
const TOLERANCE: f64 = 1e-5;

/// Measures the attention of every layer at a window of at most T characters.
///
/// # Errors
/// [`InputError::Overflow`] where tokens, scores or the Jacobian overflow, or where Lambda is 0, so that c F/Lambda is
/// undefined.
pub fn measure_layers(stack: &Stack, window: &[u32]) -> Result<Vec<LayerConstant>, InputError> {
    let states = stack.states(window)?;
    let blocks = stack.blocks().iter().zip(states.iter().step_by(2)).enumerate();
    let measure = |(layer, (block, tokens)): (usize, (&Block, &DMatrix<f64>))| {
        let branch = &block.attention;
        let forward = branch.forward(&branch.inputs(tokens))?;
        let mut local = LocalBound::new(&forward, branch.weights());
        while !local.step(&forward) {}
        let local = local.finish(Combination::Sum);
        let mut operator = JacobianOperator::new(forward);
        let options = LanczosOptions { tolerance: TOLERANCE, ..LanczosOptions::default() };
        let found = Lanczos::new(tokens.len(), options).run(&mut operator);
        let norm = branch.factor() * found.value;
        if !norm.is_finite() {
            return Err(InputError::Overflow { what: phrase!("entries_jacobian", "The entries of the Jacobian") });
        }
        Ok(LayerConstant {
            layer,
            norm,
            residual: found.relative_residual,
            steps: found.iterations,
            bound: branch.factor() * local.blocks.unwrap_or(local.value).min(local.value),
            linf_bound: branch.contraction,
        })
    };
    blocks.map(measure).collect()
}
