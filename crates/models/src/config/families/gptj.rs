//! GPT-J: attention and the MLP side by side after one norm, and rotary positions whose pairs are neighbours.

use super::gpt2::{GPT2, KEYS as KEYS_OF_GPT2};
use super::llama::ROPE;
use crate::config::family::{
    Biases, BlockShape, EmbeddingNames, Family, Initial, Layout, MlpNames, ProjectionNames, RopeRule, RotaryDim,
    ScoreRule, SizeKeys, size,
};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Refused, SUMMARY, Unsupported, Used};
use crate::config::residual::Residual;
use lipscope_core::experiment::RopeLayout;

pub(super) const GPTJ: Family = Family {
    model_type: "gptj",
    name: "GPT-J",
    class: Some("GPTJ"),
    embeddings: EmbeddingNames { positions: None, ..GPT2.embeddings },
    projections: ProjectionNames::Apart(["attn.q_proj", "attn.k_proj", "attn.v_proj"]),
    output: "attn.out_proj",
    mlp: MlpNames::Plain { widen: "mlp.fc_in", narrow: "mlp.fc_out" },
    mlp_norms: Residual::before("ln_1"),
    block: BlockShape::Parallel,
    layout: Layout::OutputsByInputs,
    biases: Biases::Optional,
    sizes: SizeKeys {
        d: size(&["n_embd", "hidden_size"], 4_096),
        layers: size(&["n_layer", "num_hidden_layers"], 28),
        heads: size(&["n_head", "num_attention_heads"], 16),
        vocabulary: size(&["vocab_size"], 50_400),
        positions: size(&["n_positions", "max_position_embeddings"], 2_048),
        ..GPT2.sizes
    },
    keys: &[KEYS, KEYS_OF_GPT2, SUMMARY, COMMON],
    scores: ScoreRule::Root,
    rope: Some(RopeRule {
        theta: (&[], 1e4),
        rotary_dim: RotaryDim::Number("rotary_dim", 64),
        layout: RopeLayout::Interleaved,
        ..ROPE
    }),
    initial: Initial::Plain,
    ..GPT2
};

const KEYS: &[(&str, KeyUse)] = &[
    ("rotary_dim", Used),
    ("rope_parameters", Refused("null", Unsupported::OtherPositions)),
    ("rope_scaling", Refused("null", Unsupported::OtherPositions)),
    ("rope_theta", Irrelevant("GPT-J's theta is 10000 whatever the config says")),
    ("rotary", Irrelevant("GPT-J has rotary positions whatever the config says")),
    ("scale_attn_weights", Irrelevant("GPT-J divides its scores by sqrt(k) whatever the config says")),
];
