//! BLOOM: layer norm before attention and the MLP, no positions but ALiBi, which adds slope times distance to a score.

use super::gpt2::GPT2;
use crate::config::activation::Activation;
use crate::config::family::{
    BiasRule, Biases, DefaultSize, EmbeddingNames, Family, Initial, Layout, MlpNames, ProjectionNames, ScoreRule,
    SizeKey, SizeKeys, size,
};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Refused, STORAGE, TRAINING, Unsupported, Used};
use crate::config::residual::Residual;

pub(super) const BLOOM: Family = Family {
    model_type: "bloom",
    name: "BLOOM",
    class: Some("Bloom"),
    embeddings: EmbeddingNames {
        words: "word_embeddings.weight",
        positions: None,
        norm: Some("word_embeddings_layernorm"),
        ..GPT2.embeddings
    },
    projections: ProjectionNames::FusedByGroup("self_attention.query_key_value"),
    output: "self_attention.dense",
    attention_norms: Residual::before("input_layernorm"),
    mlp: MlpNames::Plain { widen: "mlp.dense_h_to_4h", narrow: "mlp.dense_4h_to_h" },
    mlp_norms: Residual::before("post_attention_layernorm"),
    score_bias: BiasRule::Alibi,
    layout: Layout::OutputsByInputs,
    biases: Biases::Required,
    sizes: SizeKeys {
        d: size(&["n_embed", "hidden_size"], 64),
        layers: size(&["n_layer", "num_hidden_layers"], 2),
        heads: size(&["n_head", "num_attention_heads"], 8),
        inner: SizeKey { names: &[], default: DefaultSize::Widths(4) },
        vocabulary: size(&["vocab_size"], 250_880),
        positions: SizeKey { names: &[], default: DefaultSize::Unlimited },
        activation: (&[], Activation::GeluBloom),
        ..GPT2.sizes
    },
    keys: &[KEYS, COMMON],
    scores: ScoreRule::Root,
    initial: Initial::Plain,
    ..GPT2
};

const KEYS: &[(&str, KeyUse)] = &[
    ("is_decoder", Irrelevant("the mask of the family is the same either way")),
    ("n_embed", Used),
    ("is_causal", Refused("true", Unsupported::Bidirectional)),
    ("hidden_size", Used),
    ("n_layer", Used),
    ("num_hidden_layers", Used),
    ("n_head", Used),
    ("num_attention_heads", Used),
    ("layer_norm_epsilon", Used),
    ("apply_residual_connection_post_layernorm", Refused("false", Unsupported::OtherBlock)),
    ("slow_but_exact", Refused("false", Unsupported::OtherBlock)),
    ("pretraining_tp", Irrelevant("the same products, in pieces")),
    ("seq_length", Irrelevant("BLOOM has no positions that would limit a text")),
    ("offset_alibi", Irrelevant("a word of the first files, which no program reads")),
    ("skip_bias_add", STORAGE),
    ("skip_bias_add_qkv", STORAGE),
    ("attention_softmax_in_fp32", STORAGE),
    ("masked_softmax_fusion", STORAGE),
    ("bias_dropout_fusion", STORAGE),
    ("unk_token_id", Irrelevant("only which id a special token has; the tokenizer's files say so")),
    ("hidden_dropout", TRAINING),
    ("attention_dropout", TRAINING),
];
