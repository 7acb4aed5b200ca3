//! GPT-NeoX and Pythia: attention and the MLP side by side, and rotary positions that turn a part of each head.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA, ROPE};
use crate::config::activation::Activation;
use crate::config::family::{
    BlockShape, DefaultSize, EmbeddingNames, Family, MlpNames, NormTensors, ProjectionNames, RopeRule, RotaryDim,
    Setting, SizeKey, SizeKeys, size,
};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Refused, TRAINING, Unsupported, Used};
use lipscope_core::experiment::Normalization;

pub(super) const GPT_NEOX: Family = Family {
    model_type: "gpt_neox",
    name: "GPT-NeoX",
    class: Some("GPTNeoX"),
    prefix: "gpt_neox",
    embeddings: EmbeddingNames { words: "embed_in.weight", ..LLAMA.embeddings },
    projections: ProjectionNames::FusedByGroup("attention.query_key_value"),
    output: "attention.dense",
    mlp: MlpNames::Plain { widen: "mlp.dense_h_to_4h", narrow: "mlp.dense_4h_to_h" },
    block: BlockShape::Parallel,
    normalization: Normalization::Layer,
    norm_tensors: NormTensors::Both,
    sizes: SizeKeys {
        d: size(&["hidden_size"], 6_144),
        layers: size(&["num_hidden_layers"], 44),
        heads: size(&["num_attention_heads"], 64),
        key_heads: SizeKey { names: &[], default: DefaultSize::Heads },
        head_dim: SizeKey { names: &[], default: DefaultSize::WidthOfHead },
        inner: size(&["intermediate_size"], 24_576),
        vocabulary: size(&["vocab_size"], 50_432),
        eps: (&["layer_norm_eps"], 1e-5),
        activation: (&["hidden_act"], Activation::GeluErf),
        ..LLAMA.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    rope: Some(RopeRule {
        theta: (&["rotary_emb_base"], 1e4),
        rotary_dim: RotaryDim::Share("rotary_pct", 0.25),
        ..ROPE
    }),
    ..LLAMA
};

pub(super) const GPT_NEOX_IN_TURN: Family = Family {
    variant: "in turn",
    when: &[Setting::Is("use_parallel_residual", "false")],
    block: BlockShape::Sequential,
    ..GPT_NEOX
};

const KEYS: &[(&str, KeyUse)] = &[
    ("layer_norm_eps", Used),
    ("rotary_emb_base", Used),
    ("rotary_pct", Used),
    ("use_parallel_residual", Used),
    ("rope_theta", Irrelevant("GPT-NeoX reads rotary_emb_base")),
    ("partial_rotary_factor", Irrelevant("GPT-NeoX reads rotary_pct")),
    ("num_key_value_heads", Irrelevant("every head of GPT-NeoX has keys and values of its own")),
    ("head_dim", Refused("null", Unsupported::OtherPositions)),
    ("hidden_dropout", TRAINING),
    ("hidden_dropout_prob", TRAINING),
    ("attention_probs_dropout_prob", TRAINING),
    ("classifier_dropout", TRAINING),
];
