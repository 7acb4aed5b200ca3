//! The attention branch of a block on tensors: heads, causal scores, softmax, output matrix.
//!
//! Scores are those of `lipscope-core` (`Kernel`): c q_i.k_j - w |k_j|^2, up to a constant along a row. For the tied kinds
//! keys are queries, and the values of head h are x A_h W_V,h with A_h = W_Q,h W_Q,h^T/sqrt(k).

use burn_tensor::{Tensor, activation::softmax};
use lipscope_core::attention::Kernel;

use super::lambda::{L2Matrices, attention_constant};
use super::product::product;
use super::tensors::Tensors;

/// Added to a score that the causal mask forbids: its exponential is 0 in f32 and f64.
const FORBIDDEN: f64 = -1e30;

/// The output of attention for the tokens (windows x T x d) of a block, which are already normalised where the plan
/// says so.
pub(crate) fn attention(tensors: &Tensors<'_>, block: usize, tokens: &Tensor<3>) -> Tensor<3> {
    let plan = tensors.plan;
    let matrix = |part| tensors.of_block(block, part);
    let [windows, n, d] = tokens.dims();
    let (heads, k) = (plan.heads, plan.head_width());
    let flat = tokens.clone().reshape([windows * n, d]);
    let split = |projected: Tensor<2>| projected.reshape([windows, n, heads, k]).swap_dims(1, 2);
    let queries = split(product(flat.clone(), matrix("attention.query").clone()));
    let (keys, values) = if plan.kind.is_tied() {
        let value = tied_values(matrix("attention.query"), matrix("attention.value"), heads);
        (queries.clone(), split(product(flat, value)))
    } else {
        let keys = split(product(flat.clone(), matrix("attention.key").clone()));
        (keys, split(product(flat, matrix("attention.value").clone())))
    };
    let kernel = Kernel::new(plan.kind.kernel(), k);
    let mut scores = product(queries, keys.clone().swap_dims(2, 3)).mul_scalar(kernel.cross);
    if kernel.key_square != 0.0 {
        scores = scores - keys.square().sum_dim(3).swap_dims(2, 3).mul_scalar(kernel.key_square);
    }
    let weights = softmax(scores + tensors.numbers(&causal(n), [n, n]).unsqueeze::<4>(), 3);
    let heads_out = product(weights, values).swap_dims(1, 2).reshape([windows * n, d]);
    let out = product(heads_out, matrix("attention.output").clone()).reshape([windows, n, d]);
    if !plan.kind.is_contraction() {
        return out;
    }
    let matrices = L2Matrices {
        query: matrix("attention.query"),
        value: matrix("attention.value"),
        output: matrix("attention.output"),
        heads,
    };
    out.mul_scalar(plan.c) / attention_constant(&matrices, plan.context)
}

/// [A_1 W_V,1, .., A_H W_V,H], d x d.
fn tied_values(query: &Tensor<2>, value: &Tensor<2>, heads: usize) -> Tensor<2> {
    let [d, columns] = query.dims();
    let k = columns / heads;
    let of_heads = |matrix: &Tensor<2>| matrix.clone().reshape([d, heads, k]).swap_dims(0, 1);
    let (query, value) = (of_heads(query), of_heads(value));
    // A product: burn's division by a number has a gradient of f32 precision, in f64 too.
    let inner = product(query.clone().swap_dims(1, 2), value).mul_scalar(1.0 / (k as f64).sqrt());
    product(query, inner).swap_dims(0, 1).reshape([d, columns])
}

/// n x n, row i: 0 up to column i, then [`FORBIDDEN`].
fn causal(n: usize) -> Vec<f64> {
    (0..n * n).map(|at| if at % n <= at / n { 0.0 } else { FORBIDDEN }).collect()
}
