//! Phi 1 and 2: attention and the MLP side by side after one norm, and rotary positions that turn half of each head.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA, ROPE};
use crate::config::activation::Activation;
use crate::config::family::{BlockShape, Family, MlpNames, NormTensors, RopeRule, RotaryDim, SizeKeys, size};
use crate::config::keys::{COMMON, KeyUse, Refused, TRAINING, Unsupported, Used};
use crate::config::residual::Residual;
use lipscope_core::experiment::Normalization;

pub(super) const PHI: Family = Family {
    model_type: "phi",
    name: "Phi",
    class: Some("Phi"),
    output: "self_attn.dense",
    mlp: MlpNames::Plain { widen: "mlp.fc1", narrow: "mlp.fc2" },
    mlp_norms: Residual::before("input_layernorm"),
    block: BlockShape::Parallel,
    normalization: Normalization::Layer,
    norm_tensors: NormTensors::Both,
    sizes: SizeKeys {
        d: size(&["hidden_size"], 2_048),
        layers: size(&["num_hidden_layers"], 24),
        inner: size(&["intermediate_size"], 8_192),
        vocabulary: size(&["vocab_size"], 51_200),
        eps: (&["layer_norm_eps"], 1e-5),
        activation: (&["hidden_act"], Activation::GeluTanh),
        ..LLAMA.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    rope: Some(RopeRule { rotary_dim: RotaryDim::Share("partial_rotary_factor", 0.5), ..ROPE }),
    ..LLAMA
};

const KEYS: &[(&str, KeyUse)] = &[
    ("layer_norm_eps", Used),
    ("qk_layernorm", Refused("false", Unsupported::NormsOfHeads)),
    ("resid_pdrop", TRAINING),
    ("embd_pdrop", TRAINING),
];
