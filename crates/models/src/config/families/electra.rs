//! ELECTRA: BERT whose embeddings may have a width of their own.

use super::bert::{BERT, KEYS as KEYS_OF_BERT};
use crate::config::family::{
    DefaultSize, EmbeddingNames, EmbeddingProjection, Family, Presence, Projected, SizeKey, SizeKeys, size,
};
use crate::config::keys::{COMMON, KeyUse, SUMMARY, Used};

pub(super) const ELECTRA: Family = Family {
    model_type: "electra",
    name: "ELECTRA",
    class: Some("Electra"),
    prefix: "electra",
    embeddings: EmbeddingNames {
        projection: Some(EmbeddingProjection {
            name: "embeddings_project",
            of: Projected::Sum,
            presence: Presence::IfWidthsDiffer,
        }),
        ..BERT.embeddings
    },
    sizes: SizeKeys {
        d: size(&["hidden_size"], 256),
        heads: size(&["num_attention_heads"], 4),
        inner: size(&["intermediate_size"], 1_024),
        embedding: SizeKey { names: &["embedding_size"], default: DefaultSize::Number(128) },
        ..BERT.sizes
    },
    keys: &[KEYS, KEYS_OF_BERT, SUMMARY, COMMON],
    ..BERT
};

const KEYS: &[(&str, KeyUse)] = &[("embedding_size", Used)];
