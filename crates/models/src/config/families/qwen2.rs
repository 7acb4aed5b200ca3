//! Qwen 2 and 2.5: Llama with biases on queries, keys and values, and with windows in late layers where the config turns
//! them on.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA};
use crate::config::family::{Family, SizeKeys, WindowRule, size};
use crate::config::keys::{COMMON, KeyUse, Refused, Unsupported, Used};

pub(super) const QWEN2: Family = Family {
    model_type: "qwen2",
    name: "Qwen 2",
    class: Some("Qwen2"),
    sizes: SizeKeys {
        inner: size(&["intermediate_size"], 22_016),
        vocabulary: size(&["vocab_size"], 151_936),
        positions: size(&["max_position_embeddings"], 32_768),
        ..LLAMA.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    window: WindowRule::IfUsed { width: 4_096, from: 28 },
    ..LLAMA
};

pub(super) const KEYS: &[(&str, KeyUse)] = &[
    ("sliding_window", Used),
    ("use_sliding_window", Used),
    ("max_window_layers", Used),
    ("layer_types", Used),
    ("use_mrope", Refused("false", Unsupported::OtherPositions)),
];
