//! Gemma 2: Gemma with norms on both sides of attention and of the MLP, capped scores, and a window in every other layer.

use super::gemma::{GEMMA, KEYS as KEYS_OF_GEMMA};
use super::llama::KEYS as KEYS_OF_LLAMA;
use crate::config::activation::Activation;
use crate::config::family::{DefaultSize, Family, NumberKey, ScoreRule, SizeKey, SizeKeys, WindowRule, size};
use crate::config::keys::{COMMON, HEAD, Irrelevant, KeyUse, Used};
use crate::config::residual::Residual;

pub(super) const GEMMA2: Family = Family {
    model_type: "gemma2",
    name: "Gemma 2",
    class: Some("Gemma2"),
    attention_norms: Residual::Branch { before: Some("input_layernorm"), after: Some("post_attention_layernorm") },
    mlp_norms: Residual::Branch {
        before: Some("pre_feedforward_layernorm"),
        after: Some("post_feedforward_layernorm"),
    },
    scores: ScoreRule::RootOf(NumberKey { name: "query_pre_attn_scalar", default: Some(256.0) }),
    softcap: Some(NumberKey { name: "attn_logit_softcapping", default: Some(50.0) }),
    sizes: SizeKeys {
        d: size(&["hidden_size"], 2_304),
        layers: size(&["num_hidden_layers"], 26),
        heads: size(&["num_attention_heads"], 8),
        key_heads: SizeKey { names: &["num_key_value_heads"], default: DefaultSize::Number(4) },
        inner: size(&["intermediate_size"], 9_216),
        activation: (&["hidden_activation"], Activation::GeluTanh),
        ..GEMMA.sizes
    },
    activation_words: &[],
    keys: &[KEYS, KEYS_OF_GEMMA, KEYS_OF_LLAMA, COMMON],
    window: WindowRule::Alternate(4_096),
    ..GEMMA
};

pub(super) const KEYS: &[(&str, KeyUse)] = &[
    ("hidden_activation", Used),
    ("hidden_act", Irrelevant("Gemma 2 and 3 read hidden_activation")),
    ("query_pre_attn_scalar", Used),
    ("attn_logit_softcapping", Used),
    ("final_logit_softcapping", HEAD),
    ("sliding_window", Used),
    ("sliding_window_size", Irrelevant("Gemma 2 reads sliding_window")),
    ("layer_types", Used),
];
