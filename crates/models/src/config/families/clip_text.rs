//! The text halves of CLIP (causal) and SigLIP (not): layer norm before attention and the MLP, positions that are added.

use super::gpt2::GPT2;
use crate::config::activation::Activation;
use crate::config::family::{
    EmbeddingNames, Family, Initial, LayerNames, Layout, MaskRule, MlpNames, ProjectionNames, ScoreRule, SizeKeys, size,
};
use crate::config::keys::{COMMON, HEAD, Irrelevant, KeyUse, TRAINING, Used};
use crate::config::residual::Residual;

pub(super) const CLIP_TEXT: Family = Family {
    model_type: "clip_text_model",
    name: "CLIP (text)",
    class: Some("CLIPText"),
    embeddings: EmbeddingNames {
        words: "embeddings.token_embedding.weight",
        positions: Some("embeddings.position_embedding.weight"),
        ..GPT2.embeddings
    },
    layer: LayerNames::Numbered("encoder.layers"),
    projections: ProjectionNames::Apart(["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"]),
    output: "self_attn.out_proj",
    attention_norms: Residual::before("layer_norm1"),
    mlp: MlpNames::Plain { widen: "mlp.fc1", narrow: "mlp.fc2" },
    mlp_norms: Residual::before("layer_norm2"),
    layout: Layout::OutputsByInputs,
    sizes: SizeKeys {
        d: size(&["hidden_size"], 512),
        layers: size(&["num_hidden_layers"], 12),
        heads: size(&["num_attention_heads"], 8),
        inner: size(&["intermediate_size"], 2_048),
        vocabulary: size(&["vocab_size"], 49_408),
        positions: size(&["max_position_embeddings"], 77),
        eps: (&["layer_norm_eps"], 1e-5),
        activation: (&["hidden_act"], Activation::QuickGelu),
        ..GPT2.sizes
    },
    keys: &[KEYS, COMMON],
    scores: ScoreRule::Root,
    initial: Initial::Plain,
    ..GPT2
};

pub(super) const SIGLIP_TEXT: Family = Family {
    model_type: "siglip_text_model",
    name: "SigLIP (text)",
    class: Some("SiglipText"),
    sizes: SizeKeys {
        d: size(&["hidden_size"], 768),
        heads: size(&["num_attention_heads"], 12),
        inner: size(&["intermediate_size"], 3_072),
        vocabulary: size(&["vocab_size"], 32_000),
        positions: size(&["max_position_embeddings"], 64),
        eps: (&["layer_norm_eps"], 1e-6),
        activation: (&["hidden_act"], Activation::GeluTanh),
        ..CLIP_TEXT.sizes
    },
    mask: MaskRule::Free,
    ..CLIP_TEXT
};

const KEYS: &[(&str, KeyUse)] = &[
    ("is_decoder", Irrelevant("the mask of the family is the same either way")),
    ("hidden_size", Used),
    ("num_hidden_layers", Used),
    ("num_attention_heads", Used),
    ("intermediate_size", Used),
    ("hidden_act", Used),
    ("max_position_embeddings", Used),
    ("layer_norm_eps", Used),
    ("projection_dim", HEAD),
    ("projection_size", HEAD),
    ("attention_dropout", TRAINING),
    ("dropout", TRAINING),
    ("initializer_factor", TRAINING),
];
