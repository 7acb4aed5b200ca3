//! OPT: GPT-2 with three projections, ReLU, and positions that begin at row 2. OPT-350m has its norms last.

use super::gpt2::GPT2;
use crate::config::activation::Activation;
use crate::config::family::{
    Biases, DefaultSize, EmbeddingNames, EmbeddingProjection, Family, FirstPosition, Initial, LayerNames, Layout,
    MlpNames, Presence, Projected, ProjectionNames, ScoreRule, Setting, SizeKey, SizeKeys, size,
};
use crate::config::keys::{COMMON, HEAD, Irrelevant, KeyUse, Refused, TRAINING, Unsupported, Used};
use crate::config::residual::Residual;

pub(super) const OPT: Family = Family {
    model_type: "opt",
    name: "OPT",
    class: Some("OPT"),
    embeddings: EmbeddingNames {
        words: "embed_tokens.weight",
        positions: Some("embed_positions.weight"),
        projection: Some(EmbeddingProjection {
            name: "project_in",
            of: Projected::Words,
            presence: Presence::IfWidthsDiffer,
        }),
        ..GPT2.embeddings
    },
    first_position: FirstPosition::Beyond(2),
    layer: LayerNames::Numbered("layers"),
    projections: ProjectionNames::Apart(["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"]),
    output: "self_attn.out_proj",
    attention_norms: Residual::before("self_attn_layer_norm"),
    mlp: MlpNames::Plain { widen: "fc1", narrow: "fc2" },
    mlp_norms: Residual::before("final_layer_norm"),
    layout: Layout::OutputsByInputs,
    biases: Biases::Optional,
    sizes: SizeKeys {
        d: size(&["hidden_size"], 768),
        layers: size(&["num_hidden_layers"], 12),
        heads: size(&["num_attention_heads"], 12),
        inner: size(&["ffn_dim"], 3_072),
        vocabulary: size(&["vocab_size"], 50_272),
        positions: size(&["max_position_embeddings"], 2_048),
        embedding: SizeKey { names: &["word_embed_proj_dim"], default: DefaultSize::Widths(1) },
        eps: (&[], 1e-5),
        activation: (&["activation_function"], Activation::Relu),
        ..GPT2.sizes
    },
    keys: &[KEYS, COMMON],
    scores: ScoreRule::Root,
    initial: Initial::Plain,
    ..GPT2
};

pub(super) const OPT_NORM_LAST: Family = Family {
    variant: "norm last",
    when: &[Setting::Is("do_layer_norm_before", "false")],
    attention_norms: Residual::Sum("self_attn_layer_norm"),
    mlp_norms: Residual::Sum("final_layer_norm"),
    ..OPT
};

const KEYS: &[(&str, KeyUse)] = &[
    ("is_decoder", Irrelevant("the mask of the family is the same either way")),
    ("hidden_size", Used),
    ("is_causal", Refused("true", Unsupported::Bidirectional)),
    ("num_hidden_layers", Used),
    ("num_attention_heads", Used),
    ("ffn_dim", Used),
    ("max_position_embeddings", Used),
    ("word_embed_proj_dim", Used),
    ("activation_function", Used),
    ("do_layer_norm_before", Used),
    ("layer_norm_elementwise_affine", Refused("true", Unsupported::NormsWithoutGains)),
    ("enable_bias", Irrelevant("the file has the biases, or has none")),
    ("_remove_final_layer_norm", HEAD),
    ("dropout", TRAINING),
    ("attention_dropout", TRAINING),
    ("activation_dropout", TRAINING),
    ("layerdrop", TRAINING),
    ("init_std", TRAINING),
];
