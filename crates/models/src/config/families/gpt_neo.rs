//! GPT-Neo: GPT-2 with three projections, scores that are not divided, and a window in every other layer.

use super::gpt2::GPT2;
use crate::config::family::{
    Biases, DefaultSize, Family, Initial, Layout, ProjectionNames, ScoreRule, SizeKey, SizeKeys, WindowRule, size,
};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, SUMMARY, TRAINING, Used};

pub(super) const GPT_NEO: Family = Family {
    model_type: "gpt_neo",
    name: "GPT-Neo",
    class: Some("GPTNeo"),
    projections: ProjectionNames::Apart(["attn.attention.q_proj", "attn.attention.k_proj", "attn.attention.v_proj"]),
    output: "attn.attention.out_proj",
    layout: Layout::OutputsByInputs,
    biases: Biases::Optional,
    sizes: SizeKeys {
        d: size(&["hidden_size"], 2_048),
        layers: size(&["num_layers", "num_hidden_layers"], 24),
        heads: size(&["num_heads", "num_attention_heads"], 16),
        inner: SizeKey { names: &["intermediate_size"], default: DefaultSize::Widths(4) },
        positions: size(&["max_position_embeddings"], 2_048),
        ..GPT2.sizes
    },
    keys: &[KEYS, SUMMARY, COMMON],
    scores: ScoreRule::One,
    window: WindowRule::Named(256),
    initial: Initial::Plain,
    ..GPT2
};

const KEYS: &[(&str, KeyUse)] = &[
    ("is_decoder", Irrelevant("the mask of the family is the same either way")),
    ("hidden_size", Used),
    ("num_layers", Used),
    ("num_hidden_layers", Used),
    ("num_heads", Used),
    ("num_attention_heads", Used),
    ("intermediate_size", Used),
    ("max_position_embeddings", Used),
    ("activation_function", Used),
    ("layer_norm_epsilon", Used),
    ("attention_types", Used),
    ("attention_layers", Used),
    ("window_size", Used),
    ("embed_dropout", TRAINING),
    ("resid_dropout", TRAINING),
    ("attention_dropout", TRAINING),
    ("classifier_dropout", TRAINING),
];
