//! Cohere's Command R: attention and the MLP side by side after one norm without a shift, and rotary positions whose pairs
//! are neighbours.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA, ROPE};
use crate::config::family::{BlockShape, Family, NormTensors, RopeRule, SizeKeys, size};
use crate::config::keys::{COMMON, HEAD, Irrelevant, KeyUse, Refused, Unsupported, Used};
use crate::config::residual::Residual;
use lipscope_core::experiment::{Normalization, RopeLayout};

pub(super) const COHERE: Family = Family {
    model_type: "cohere",
    name: "Cohere",
    class: Some("Cohere"),
    mlp_norms: Residual::before("input_layernorm"),
    block: BlockShape::Parallel,
    normalization: Normalization::Layer,
    norm_tensors: NormTensors::Gain,
    sizes: SizeKeys {
        d: size(&["hidden_size"], 8_192),
        layers: size(&["num_hidden_layers"], 40),
        heads: size(&["num_attention_heads"], 64),
        inner: size(&["intermediate_size"], 22_528),
        vocabulary: size(&["vocab_size"], 256_000),
        positions: size(&["max_position_embeddings"], 8_192),
        eps: (&["layer_norm_eps"], 1e-5),
        ..LLAMA.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    rope: Some(RopeRule { theta: (&["rope_theta"], 5e5), layout: RopeLayout::Interleaved, ..ROPE }),
    ..LLAMA
};

const KEYS: &[(&str, KeyUse)] = &[
    ("layer_norm_eps", Used),
    ("logit_scale", HEAD),
    ("model_max_length", Irrelevant("a limit of the tokenizer")),
    ("use_qk_norm", Refused("false", Unsupported::NormsOfHeads)),
];
