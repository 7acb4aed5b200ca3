//! Layer norm with scale and shift: (x - mean)/sqrt(var + eps) scale + shift, over the entries of a token.

use burn_tensor::Tensor;
use nalgebra::{DMatrix, DVector};

/// Epsilon: keeps tokens with equal entries finite.
pub(crate) const EPS: f64 = 1e-5;

/// Layer norm of tokens (windows x T x d); scale and shift are 1 x d.
pub(crate) fn layer_norm(tokens: Tensor<3>, scale: Tensor<2>, shift: Tensor<2>) -> Tensor<3> {
    let centred = tokens.clone() - tokens.mean_dim(2);
    let variance = centred.clone().square().mean_dim(2);
    centred / variance.add_scalar(EPS).sqrt() * scale.unsqueeze::<3>() + shift.unsqueeze::<3>()
}

/// The same in f64.
#[derive(Clone, Debug)]
pub(crate) struct LayerNorm {
    pub(crate) scale: DVector<f64>,
    pub(crate) shift: DVector<f64>,
}

impl LayerNorm {
    /// Normalises tokens, d x n with a token in each column.
    pub(crate) fn apply(&self, tokens: &DMatrix<f64>) -> DMatrix<f64> {
        let mut out = tokens.clone();
        for mut token in out.column_iter_mut() {
            let mean = token.mean();
            token.add_scalar_mut(-mean);
            let deviation = (token.norm_squared() / token.len() as f64 + EPS).sqrt();
            token /= deviation;
            token.component_mul_assign(&self.scale);
            token += &self.shift;
        }
        out
    }
}
