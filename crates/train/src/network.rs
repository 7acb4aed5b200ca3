//! The network on burn's tensors: embeddings, blocks, head. Tokens are rows: windows x T x d.
//!
//! x = embedding + position; in every block x -> x + attention(norm x), x -> x + MLP(norm x); logits = norm(x) W + b.

use std::collections::BTreeMap;

use burn_tensor::{Device, Int, Tensor, TensorData};

use super::attention::attention;
use super::lambda::mlp_constant;
use super::layer_norm::layer_norm;
use super::number::Number;
use super::parameters::{Parameters, in_block};
use super::plan::Plan;

/// The weights as tensors, for one forward pass.
pub(crate) struct Network<'a> {
    pub(crate) plan: &'a Plan,
    device: Device,
    dtype: burn_tensor::DType,
    matrices: BTreeMap<&'a str, Tensor<2>>,
}

/// Whether a forward pass is recorded for its gradients.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    Gradients,
    Nothing,
}

impl<'a> Network<'a> {
    pub(crate) fn new<E: Number>(plan: &'a Plan, parameters: &'a Parameters<E>, record: Record) -> Self {
        let device = match record {
            Record::Gradients => Device::flex().autodiff(),
            Record::Nothing => Device::flex(),
        };
        let matrices = parameters.iter().map(|parameter| {
            let data = E::data(parameter.values.clone(), &[parameter.rows, parameter.columns]);
            let tensor = Tensor::<2>::from_data(data, (&device, E::DTYPE));
            (parameter.name.as_str(), if record == Record::Gradients { tensor.require_grad() } else { tensor })
        });
        Network { plan, dtype: E::DTYPE, matrices: matrices.collect(), device }
    }

    /// The matrix of that name.
    ///
    /// # Panics
    /// If the network has none: weights and forward pass are built from one plan.
    pub(crate) fn matrix(&self, name: &str) -> &Tensor<2> {
        self.matrices.get(name).unwrap_or_else(|| panic!("the network has no matrix {name}"))
    }

    /// The matrix of a block.
    ///
    /// # Panics
    /// As [`Network::matrix`].
    pub(crate) fn of_block(&self, block: usize, part: &str) -> &Tensor<2> {
        self.matrix(&in_block(block, part))
    }

    /// Constants as a tensor of the network's kind of numbers.
    pub(crate) fn numbers(&self, values: &[f64], shape: [usize; 2]) -> Tensor<2> {
        Tensor::from_data(TensorData::new(values.to_vec(), shape), (&self.device, self.dtype))
    }

    /// Logits of windows of T characters, window after window: (windows T) x vocabulary.
    pub(crate) fn logits(&self, ids: &[u32]) -> Tensor<2> {
        let (n, d) = (self.plan.context, self.plan.width);
        let windows = ids.len() / n;
        let embedded = self.matrix("embedding").clone().select(0, self.indices(ids)).reshape([windows, n, d]);
        let mut tokens = embedded + self.matrix("position").clone().unsqueeze::<3>();
        for block in 0..self.plan.blocks {
            let normed = if self.plan.norm_before_attention() {
                let part = |part| self.of_block(block, part).clone();
                layer_norm(tokens.clone(), part("attention.norm.scale"), part("attention.norm.shift"))
            } else {
                tokens.clone()
            };
            tokens = tokens + attention(self, block, &normed);
            tokens = tokens.clone() + self.mlp(block, tokens);
        }
        if self.plan.norm_elsewhere() {
            tokens = layer_norm(tokens, self.matrix("norm.scale").clone(), self.matrix("norm.shift").clone());
        }
        tokens.reshape([windows * n, d]).matmul(self.matrix("head").clone()) + self.matrix("head_bias").clone()
    }

    /// The mean cross entropy of the characters that follow, in nats; one number.
    pub(crate) fn loss(&self, ids: &[u32], next: &[u32]) -> Tensor<1> {
        let log_probabilities = burn_tensor::activation::log_softmax(self.logits(ids), 1);
        log_probabilities.gather(1, self.indices(next).unsqueeze_dim(1)).mean().neg()
    }

    /// What the MLP of a block adds to its tokens (windows x T x d).
    fn mlp(&self, block: usize, tokens: Tensor<3>) -> Tensor<3> {
        let part = |part| self.of_block(block, part).clone();
        let [windows, n, d] = tokens.dims();
        let normed = if self.plan.norm_elsewhere() {
            layer_norm(tokens, part("mlp.norm.scale"), part("mlp.norm.shift"))
        } else {
            tokens
        };
        let inner = gelu(normed.reshape([windows * n, d]).matmul(part("mlp.up")) + part("mlp.up_bias"));
        let out = (inner.matmul(part("mlp.down")) + part("mlp.down_bias")).reshape([windows, n, d]);
        if !self.plan.mlp_is_contraction() {
            return out;
        }
        let constant = mlp_constant(self.of_block(block, "mlp.up"), self.of_block(block, "mlp.down"));
        out.mul_scalar(self.plan.c) / constant
    }

    fn indices(&self, ids: &[u32]) -> Tensor<1, Int> {
        let ids: Vec<i64> = ids.iter().map(|id| i64::from(*id)).collect();
        let len = ids.len();
        Tensor::from_data(TensorData::new(ids, [len]), &self.device)
    }
}

/// x (1 + erf(x/sqrt 2))/2. burn's own has the slope of another function: that of its approximation by tanh.
fn gelu(x: Tensor<2>) -> Tensor<2> {
    let erf = x.clone().mul_scalar(std::f64::consts::FRAC_1_SQRT_2).erf();
    x * erf.add_scalar(1.0).mul_scalar(0.5)
}
