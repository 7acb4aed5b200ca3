//! StableLM: Llama with layer norms, and rotary positions that turn a part of each head.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA, ROPE};
use crate::config::family::{
    BlockShape, DefaultSize, Family, NormTensors, RopeRule, RotaryDim, Setting, SizeKey, SizeKeys, size,
};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Refused, TRAINING, Unsupported, Used};
use crate::config::residual::Residual;
use lipscope_core::experiment::Normalization;

pub(super) const STABLELM: Family = Family {
    model_type: "stablelm",
    name: "StableLM",
    class: Some("StableLm"),
    normalization: Normalization::Layer,
    norm_tensors: NormTensors::Both,
    sizes: SizeKeys {
        d: size(&["hidden_size"], 2_560),
        key_heads: size(&["num_key_value_heads"], 32),
        head_dim: SizeKey { names: &[], default: DefaultSize::WidthOfHead },
        inner: size(&["intermediate_size"], 6_912),
        vocabulary: size(&["vocab_size"], 50_304),
        positions: size(&["max_position_embeddings"], 4_096),
        eps: (&["layer_norm_eps"], 1e-5),
        ..LLAMA.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    rope: Some(RopeRule { rotary_dim: RotaryDim::Share("partial_rotary_factor", 0.25), ..ROPE }),
    ..LLAMA
};

pub(super) const STABLELM_SIDE_BY_SIDE: Family = Family {
    variant: "side by side",
    when: &[Setting::Is("use_parallel_residual", "true")],
    mlp_norms: Residual::before("input_layernorm"),
    block: BlockShape::Parallel,
    ..STABLELM
};

const KEYS: &[(&str, KeyUse)] = &[
    ("layer_norm_eps", Used),
    ("use_parallel_residual", Used),
    ("qk_layernorm", Refused("false", Unsupported::NormsOfHeads)),
    ("head_dim", Irrelevant("the heads of StableLM share the width evenly")),
    ("use_qkv_bias", Irrelevant("the file has the biases, or has none")),
    ("hidden_dropout", TRAINING),
    ("model_max_length", Irrelevant("a limit of the tokenizer")),
];
