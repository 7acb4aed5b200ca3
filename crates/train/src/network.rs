//! The network on tensors: embeddings, blocks, head. Tokens are rows: windows x T x d.
//!
//! x = embedding + position; in every block x -> x + attention(norm x), x -> x + MLP(norm x); logits = norm(x) W + b.

use burn_tensor::Tensor;
use burn_tensor::activation::log_softmax;

use super::attention::attention;
use super::gelu::{GELU_SLOPE, gelu};
use super::product::product;
use super::tensors::Tensors;

/// Epsilon of a layer norm: keeps tokens with equal entries finite.
pub(crate) const EPS: f64 = 1e-5;

/// The mean cross entropy of the predicted characters, in nats; one number.
pub(crate) fn cross_entropy(tensors: &Tensors<'_>, ids: &[u32], next: &[u32]) -> Tensor<1> {
    log_softmax(logits(tensors, ids), 1).gather(1, tensors.indices(next).unsqueeze_dim(1)).mean().neg()
}

/// Logits of windows of T characters, window after window: (windows T) x vocabulary.
fn logits(tensors: &Tensors<'_>, ids: &[u32]) -> Tensor<2> {
    let (n, d) = (tensors.plan.context, tensors.plan.width);
    let windows = ids.len() / n;
    let embedded = tensors.matrix("embedding").clone().select(0, tensors.indices(ids)).reshape([windows, n, d]);
    let mut tokens = embedded + tensors.matrix("position").clone().unsqueeze::<3>();
    for block in 0..tensors.plan.blocks {
        let normed = if tensors.plan.norm_before_attention() {
            let part = |part| tensors.of_block(block, part).clone();
            layer_norm(tokens.clone(), part("attention.norm.scale"), part("attention.norm.shift"))
        } else {
            tokens.clone()
        };
        tokens = tokens + attention(tensors, block, &normed);
        tokens = tokens.clone() + mlp(tensors, block, tokens);
    }
    if tensors.plan.norm_elsewhere() {
        tokens = layer_norm(tokens, tensors.matrix("norm.scale").clone(), tensors.matrix("norm.shift").clone());
    }
    product(tokens.reshape([windows * n, d]), tensors.matrix("head").clone()) + tensors.matrix("head_bias").clone()
}

/// The output of a block's MLP, which is added to its tokens (windows x T x d).
fn mlp(tensors: &Tensors<'_>, block: usize, tokens: Tensor<3>) -> Tensor<3> {
    let part = |part| tensors.of_block(block, part).clone();
    let [windows, n, d] = tokens.dims();
    let normed = if tensors.plan.norm_elsewhere() {
        layer_norm(tokens, part("mlp.norm.scale"), part("mlp.norm.shift"))
    } else {
        tokens
    };
    let inner = gelu(product(normed.reshape([windows * n, d]), part("mlp.up")) + part("mlp.up_bias"));
    let out = (product(inner, part("mlp.down")) + part("mlp.down_bias")).reshape([windows, n, d]);
    if !tensors.plan.mlp_is_contraction() {
        return out;
    }
    let constant = mlp_constant(tensors.of_block(block, "mlp.up"), tensors.of_block(block, "mlp.down"));
    out.mul_scalar(tensors.plan.c) / constant
}

/// Layer norm of tokens (windows x T x d): (x - mean)/sqrt(var + eps) scale + shift over the entries of a token; scale
/// and shift are 1 x d.
fn layer_norm(tokens: Tensor<3>, scale: Tensor<2>, shift: Tensor<2>) -> Tensor<3> {
    let centred = tokens.clone() - tokens.mean_dim(2);
    let variance = centred.clone().square().mean_dim(2);
    centred / variance.add_scalar(EPS).sqrt() * scale.unsqueeze::<3>() + shift.unsqueeze::<3>()
}

/// Lambda_M = 1.1290 ||W_2||_inf ||W_1||_inf, 1 x 1 x 1, for the MLP x -> gelu(x `up`) `down`, as a differentiable
/// function of the weights.
fn mlp_constant(up: &Tensor<2>, down: &Tensor<2>) -> Tensor<3> {
    // The infinity norm, the largest row sum, is that of matrices that act on tokens as columns. Tokens are rows here,
    // so those rows are the columns of `up` and `down`.
    let largest = |matrix: &Tensor<2>| matrix.clone().abs().sum_dim(0).max_dim(1);
    (largest(up) * largest(down)).unsqueeze::<3>().mul_scalar(GELU_SLOPE)
}
