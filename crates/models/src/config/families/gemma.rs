//! Gemma: Llama with gains of 1 + w, embeddings times sqrt(d), and GELU by tanh whatever the config says.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA};
use crate::config::activation::Activation;
use crate::config::family::{EmbeddingFactor, Family, GainRule, SizeKeys, size};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Refused, Unsupported};

pub(super) const GEMMA: Family = Family {
    model_type: "gemma",
    name: "Gemma",
    class: Some("Gemma"),
    gains: GainRule::MinusOne,
    embedding_factor: EmbeddingFactor::RootOfWidth,
    sizes: SizeKeys {
        d: size(&["hidden_size"], 3_072),
        layers: size(&["num_hidden_layers"], 28),
        heads: size(&["num_attention_heads"], 16),
        head_dim: size(&["head_dim"], 256),
        inner: size(&["intermediate_size"], 24_576),
        vocabulary: size(&["vocab_size"], 256_000),
        positions: size(&["max_position_embeddings"], 8_192),
        activation: (&["hidden_act"], Activation::GeluTanh),
        ..LLAMA.sizes
    },
    // The first files say "gelu" and mean the one by tanh, which transformers takes.
    activation_words: &[("gelu", Activation::GeluTanh)],
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    ..LLAMA
};

pub(super) const KEYS: &[(&str, KeyUse)] = &[
    ("hidden_activation", Irrelevant("Gemma 1 reads hidden_act")),
    ("use_bidirectional_attention", Refused("false", Unsupported::Bidirectional)),
];
