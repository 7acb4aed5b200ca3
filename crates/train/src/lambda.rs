//! Lipschitz constants of the branches as differentiable functions of the weights.
//!
//! - Lambda = `kim_linf` (\[K\] Theorem 3.2) at n = T: an upper bound on the l_inf norm of L2 multi-head attention. Causal
//!   too: row i is an unmasked row of length i, and phi^-1 grows with n.
//! - Lambda_M = 1.1290 ||W_2||_inf ||W_1||_inf of the MLP, as |gelu'| <= 1.12890.

use burn_tensor::Tensor;

/// At least sup |gelu'| = 1/2 (1 + erf 1) + exp(-1)/sqrt(pi) = 1.128904.., which is reached at sqrt 2.
pub(crate) const GELU_SLOPE: f64 = 1.1290;

/// The matrices of \[K\]'s L2 multi-head attention: tokens are rows, head h owns columns h k to (h + 1) k.
pub(crate) struct L2Matrices<'a> {
    pub(crate) query: &'a Tensor<2>,
    pub(crate) value: &'a Tensor<2>,
    pub(crate) output: &'a Tensor<2>,
    pub(crate) heads: usize,
}

/// Lambda for T tokens, 1 x 1 x 1: (4 phi^-1(T-1) + 1/sqrt k) ||W_O^T||_inf max_h ||W_Q||_inf ||W_Q^T||_inf max_h ||W_V^T||_inf.
pub(crate) fn attention_constant(matrices: &L2Matrices<'_>, context: usize) -> Tensor<3> {
    let [d, columns] = matrices.query.dims();
    let k = columns / matrices.heads;
    let of_heads = |matrix: &Tensor<2>| matrix.clone().abs().reshape([d, matrices.heads, k]);
    let query = of_heads(matrices.query);
    // d x heads x k: the sum over k gives a row sum, the sum over d a column sum.
    let rows = query.clone().sum_dim(2).max_dim(0);
    let columns = query.sum_dim(0).max_dim(2);
    let value_columns = of_heads(matrices.value).sum_dim(0).max_dim(2);
    let output = matrices.output.clone().abs().sum_dim(0).max_dim(1);
    let growth = 4.0 * inverse_phi(context as f64 - 1.0) + 1.0 / (k as f64).sqrt();
    (rows * columns).max_dim(1) * value_columns.max_dim(1) * output.unsqueeze::<3>().mul_scalar(growth)
}

/// Lambda_M, 1 x 1 x 1, for x -> gelu(x `up`) `down`.
pub(crate) fn mlp_constant(up: &Tensor<2>, down: &Tensor<2>) -> Tensor<3> {
    // The columns of these matrices are the rows of the paper's.
    let largest = |matrix: &Tensor<2>| matrix.clone().abs().sum_dim(0).max_dim(1);
    (largest(up) * largest(down)).unsqueeze::<3>().mul_scalar(GELU_SLOPE)
}

/// phi^-1(y) = W_0(y/e) for phi(x) = x e^(x+1).
fn inverse_phi(y: f64) -> f64 {
    lambert_w::lambert_w0(y / std::f64::consts::E)
}
