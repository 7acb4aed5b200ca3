//! ALBERT: BERT whose layers share their weights, with embeddings of a width of their own.

use super::bert::{BERT, KEYS as KEYS_OF_BERT};
use crate::config::activation::Activation;
use crate::config::family::{
    DefaultSize, EmbeddingNames, EmbeddingProjection, Family, LayerNames, MaskRule, MlpNames, Presence, Projected,
    ProjectionNames, SizeKey, SizeKeys, size,
};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Refused, TRAINING, Unsupported, Used};
use crate::config::residual::Residual;

pub(super) const ALBERT: Family = Family {
    model_type: "albert",
    name: "ALBERT",
    class: Some("Albert"),
    prefix: "albert",
    embeddings: EmbeddingNames {
        projection: Some(EmbeddingProjection {
            name: "encoder.embedding_hidden_mapping_in",
            of: Projected::Sum,
            presence: Presence::Always,
        }),
        ..BERT.embeddings
    },
    layer: LayerNames::Shared { before: "encoder.albert_layer_groups", after: "albert_layers.0" },
    projections: ProjectionNames::Apart(["attention.query", "attention.key", "attention.value"]),
    output: "attention.dense",
    attention_norms: Residual::Sum("attention.LayerNorm"),
    mlp: MlpNames::Plain { widen: "ffn", narrow: "ffn_output" },
    mlp_norms: Residual::Sum("full_layer_layer_norm"),
    sizes: SizeKeys {
        d: size(&["hidden_size"], 4_096),
        heads: size(&["num_attention_heads"], 64),
        inner: size(&["intermediate_size"], 16_384),
        vocabulary: size(&["vocab_size"], 30_000),
        groups: size(&["num_hidden_groups"], 1),
        embedding: SizeKey { names: &["embedding_size"], default: DefaultSize::Number(128) },
        activation: (&["hidden_act"], Activation::GeluTanh),
        ..BERT.sizes
    },
    keys: &[KEYS, KEYS_OF_BERT, COMMON],
    mask: MaskRule::Free,
    ..BERT
};

const KEYS: &[(&str, KeyUse)] = &[
    ("embedding_size", Used),
    ("num_hidden_groups", Used),
    ("inner_group_num", Refused("1", Unsupported::LayersInLayers)),
    ("is_decoder", Irrelevant("ALBERT has no mask either way")),
    ("classifier_dropout_prob", TRAINING),
    ("down_scale_factor", Irrelevant("a word of Google's first files, which no program reads")),
    ("layers_to_keep", Irrelevant("a word of Google's first files, which no program reads")),
    ("gap_size", Irrelevant("a word of Google's first files, which no program reads")),
    ("net_structure_type", Irrelevant("a word of Google's first files, which no program reads")),
    ("num_memory_blocks", Irrelevant("a word of Google's first files, which no program reads")),
];
