//! The attention branch of a block on tensors: heads, causal scores, weights, output matrix, and the Lipschitz constant
//! of a contraction.
//!
//! Scores are those of `lipscope-core` (`Kernel`): c q_i.k_j - w |k_j|^2, up to a constant along a row. Of the engine's
//! steps those that [a kind has](super::kind::Kind::steps) are here: qk-norm `rms` without gains, RoPE, the cap, and
//! sigmoid weights. For the tied kinds keys are queries, and the values of head h are x A_h W_V,h with
//! A_h = W_Q,h W_Q,h^T/sqrt(k).

use burn_tensor::Tensor;
use burn_tensor::activation::{sigmoid, softmax};
use lipscope_core::attention::Kernel;
use lipscope_core::experiment::{Rope, Score, Weighting};

use super::product::product;
use super::tensors::Tensors;

/// Added to a score that the causal mask forbids: its exponential and its sigmoid are 0 in f32 and f64.
const FORBIDDEN: f64 = -1e30;

/// The output of attention for the tokens (windows x T x d) of a block. If the plan has a layer norm before attention,
/// the caller has applied it.
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
    let steps = plan.kind.steps(plan.context);
    let (queries, keys) = (turned(tensors, &steps.score, queries), turned(tensors, &steps.score, keys));
    let kernel = Kernel::new(plan.kind.kernel(), k);
    let mut scores = product(queries, keys.clone().swap_dims(2, 3)).mul_scalar(kernel.cross);
    if kernel.key_square != 0.0 {
        scores = scores - keys.square().sum_dim(3).swap_dims(2, 3).mul_scalar(kernel.key_square);
    }
    if let Some(tau) = steps.score.softcap {
        scores = scores.mul_scalar(1.0 / tau).tanh().mul_scalar(tau);
    }
    let allowed = scores + tensors.numbers(&causal(n), [n, n]).unsqueeze::<4>();
    let weights = match steps.weighting {
        Weighting::Sigmoid { bias } => sigmoid(allowed.add_scalar(bias.unwrap_or_else(|| -(n as f64).ln()))),
        _ => softmax(allowed, 3),
    };
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

/// Queries or keys (windows x heads x T x k) after their steps.
fn turned(tensors: &Tensors<'_>, score: &Score, mut vectors: Tensor<4>) -> Tensor<4> {
    if let Some(norm) = &score.qk_norm {
        vectors = vectors.clone() / vectors.square().mean_dim(3).add_scalar(norm.eps).sqrt();
    }
    match score.rope {
        Some(rope) => rotated(tensors, rope, vectors),
        None => vectors,
    }
}

/// Queries or keys (windows x heads x T x k), each pair of entries turned by the angle of its position: cos * z + sin *
/// (z J), where J takes a pair (x, y) to (-y, x).
fn rotated(tensors: &Tensors<'_>, rope: Rope, vectors: Tensor<4>) -> Tensor<4> {
    let [windows, heads, n, k] = vectors.dims();
    let r = rope.turned(k);
    let (mut cosines, mut sines, mut quarter_turn) = (vec![1.0; n * k], vec![0.0; n * k], vec![0.0; k * k]);
    for m in 0..r / 2 {
        let (x, y) = rope.layout.pair(m, r);
        (quarter_turn[y * k + x], quarter_turn[x * k + y]) = (-1.0, 1.0);
        for position in 0..n {
            let (sin, cos) = libm::sincos(position as f64 * rope.angle(m, r));
            for entry in [x, y] {
                (cosines[position * k + entry], sines[position * k + entry]) = (cos, sin);
            }
        }
    }
    let flat = vectors.clone().reshape([windows * heads * n, k]);
    let across = product(flat, tensors.numbers(&quarter_turn, [k, k])).reshape([windows, heads, n, k]);
    let of_positions = |numbers: &[f64]| tensors.numbers(numbers, [n, k]).unsqueeze::<4>();
    vectors * of_positions(&cosines) + across * of_positions(&sines)
}

/// [A_1 W_V,1, .., A_H W_V,H], d x d.
fn tied_values(query: &Tensor<2>, value: &Tensor<2>, heads: usize) -> Tensor<2> {
    let [d, columns] = query.dims();
    let k = columns / heads;
    let of_heads = |matrix: &Tensor<2>| matrix.clone().reshape([d, heads, k]).swap_dims(0, 1);
    let (query, value) = (of_heads(query), of_heads(value));
    // Multiplies instead of dividing: in f64 too, the gradient of burn's division by a number has only f32 precision.
    let inner = product(query.clone().swap_dims(1, 2), value).mul_scalar(1.0 / (k as f64).sqrt());
    product(query, inner).swap_dims(0, 1).reshape([d, columns])
}

/// n x n, row i: 0 up to column i, then [`FORBIDDEN`].
fn causal(n: usize) -> Vec<f64> {
    (0..n * n).map(|at| if at % n <= at / n { 0.0 } else { FORBIDDEN }).collect()
}

/// The matrices of \[K\]'s L2 multi-head attention: tokens are rows, head h owns columns h k to (h + 1) k.
struct L2Matrices<'a> {
    query: &'a Tensor<2>,
    value: &'a Tensor<2>,
    output: &'a Tensor<2>,
    heads: usize,
}

/// Lambda for T tokens as a differentiable function of the weights: `kim_linf` (\[K\] Theorem 3.2) at n = T, an upper
/// bound on the l_inf norm of L2 multi-head attention. It holds with the causal mask too: row i is a row of unmasked
/// attention over i tokens, and phi^-1 grows with n.
///
/// 1 x 1 x 1: (4 phi^-1(T-1) + 1/sqrt k) ||W_O^T||_inf max_h ||W_Q||_inf ||W_Q^T||_inf max_h ||W_V^T||_inf.
fn attention_constant(matrices: &L2Matrices<'_>, context: usize) -> Tensor<3> {
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

/// phi^-1(y) = W_0(y/e) for phi(x) = x e^(x+1).
fn inverse_phi(y: f64) -> f64 {
    lambert_w::lambert_w0(y / std::f64::consts::E)
}
