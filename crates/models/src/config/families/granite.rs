//! Granite: Llama whose embeddings, scores and residual branches are multiplied by numbers of the config.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA};
use crate::config::family::{EmbeddingFactor, Family, NumberKey, ScoreRule};
use crate::config::keys::{COMMON, HEAD, KeyUse, Used};

pub(super) const GRANITE: Family = Family {
    model_type: "granite",
    name: "Granite",
    class: Some("Granite"),
    embedding_factor: EmbeddingFactor::Key(NumberKey { name: "embedding_multiplier", default: Some(1.0) }),
    residual_factor: Some(NumberKey { name: "residual_multiplier", default: Some(1.0) }),
    scores: ScoreRule::Factor(NumberKey { name: "attention_multiplier", default: Some(1.0) }),
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    ..LLAMA
};

const KEYS: &[(&str, KeyUse)] = &[
    ("embedding_multiplier", Used),
    ("residual_multiplier", Used),
    ("attention_multiplier", Used),
    ("logits_scaling", HEAD),
];
