//! Mistral: Llama whose tokens see only a window of earlier ones.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA};
use crate::config::family::{Family, SizeKeys, WindowRule, size};
use crate::config::keys::{COMMON, KeyUse, Used};

pub(super) const MISTRAL: Family = Family {
    model_type: "mistral",
    name: "Mistral",
    class: Some("Mistral"),
    sizes: SizeKeys {
        key_heads: size(&["num_key_value_heads"], 8),
        inner: size(&["intermediate_size"], 14_336),
        positions: size(&["max_position_embeddings"], 131_072),
        ..LLAMA.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    window: WindowRule::All(Some(4_096)),
    ..LLAMA
};

const KEYS: &[(&str, KeyUse)] = &[("sliding_window", Used)];
