//! Gemma 3: Gemma 2 with norms of queries and keys, five layers with a window for one without, and rotary positions of
//! two kinds. The models that also take images have the text model's config within theirs.

use super::gemma::KEYS as KEYS_OF_GEMMA;
use super::gemma2::{GEMMA2, KEYS as KEYS_OF_GEMMA2};
use super::llama::{KEYS as KEYS_OF_LLAMA, ROPE};
use crate::config::family::{Family, NormScope, QkNormNames, RopeRule, SizeKeys, WindowRule, size};
use crate::config::keys::{COMMON, KeyUse, Refused, STORAGE, Unsupported, Used};

pub(super) const GEMMA3: Family = Family {
    model_type: "gemma3_text",
    name: "Gemma 3",
    class: Some("Gemma3"),
    qk_norm: Some(QkNormNames { query: "self_attn.q_norm", key: "self_attn.k_norm", scope: NormScope::Head }),
    softcap: None,
    sizes: SizeKeys {
        vocabulary: size(&["vocab_size"], 262_208),
        positions: size(&["max_position_embeddings"], 131_072),
        ..GEMMA2.sizes
    },
    keys: &[KEYS, KEYS_OF_GEMMA2, KEYS_OF_GEMMA, KEYS_OF_LLAMA, COMMON],
    window: WindowRule::Pattern { width: 4_096, every: 6 },
    rope: Some(RopeRule { theta: (&["rope_theta"], 1e6), local: Some(("rope_local_base_freq", 1e4)), ..ROPE }),
    ..GEMMA2
};

const KEYS: &[(&str, KeyUse)] = &[
    ("rope_local_base_freq", Used),
    ("attn_logit_softcapping", Refused("null", Unsupported::UnusedCap)),
    ("sliding_window_pattern", Used),
    ("_sliding_window_pattern", Used),
    ("cache_implementation", STORAGE),
];
