//! SmolLM 3: Llama without positions in every fourth layer.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA, ROPE};
use crate::config::family::{Family, RopeLayers, RopeRule, SizeKeys, WindowRule, size};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Used};

pub(super) const SMOLLM3: Family = Family {
    model_type: "smollm3",
    name: "SmolLM 3",
    class: Some("SmolLM3"),
    sizes: SizeKeys {
        d: size(&["hidden_size"], 2_048),
        layers: size(&["num_hidden_layers"], 36),
        heads: size(&["num_attention_heads"], 16),
        key_heads: size(&["num_key_value_heads"], 4),
        vocabulary: size(&["vocab_size"], 128_256),
        positions: size(&["max_position_embeddings"], 32_768),
        ..LLAMA.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    window: WindowRule::IfUsedWithoutRope,
    rope: Some(RopeRule { theta: (&["rope_theta"], 2e6), layers: RopeLayers::Listed, ..ROPE }),
    ..LLAMA
};

const KEYS: &[(&str, KeyUse)] = &[
    ("no_rope_layers", Used),
    ("no_rope_layer_interval", Used),
    ("sliding_window", Used),
    ("use_sliding_window", Used),
    ("layer_types", Used),
    ("max_window_layers", Irrelevant("a word of Qwen, which SmolLM 3 does not read")),
];
