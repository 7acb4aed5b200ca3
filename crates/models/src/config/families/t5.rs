//! The encoders of T5 and mT5: RMS norms, no biases, scores that are not divided, with a bias by the distance of tokens.

use super::llama::LLAMA;
use crate::config::activation::Activation;
use crate::config::family::{
    BiasRule, DefaultSize, EmbeddingNames, Family, LayerNames, MaskRule, MlpNames, ProjectionNames, ScoreRule, Setting,
    SizeKey, SizeKeys, size,
};
use crate::config::keys::{COMMON, HEAD, Irrelevant, KeyUse, Refused, TRAINING, Unsupported, Used};
use crate::config::residual::Residual;

pub(super) const T5: Family = Family {
    model_type: "t5",
    name: "T5",
    class: Some("T5"),
    embeddings: EmbeddingNames { words: "shared.weight", ..LLAMA.embeddings },
    layer: LayerNames::Numbered("encoder.block"),
    projections: ProjectionNames::Apart([
        "layer.0.SelfAttention.q",
        "layer.0.SelfAttention.k",
        "layer.0.SelfAttention.v",
    ]),
    output: "layer.0.SelfAttention.o",
    attention_norms: Residual::before("layer.0.layer_norm"),
    mlp: MlpNames::Plain { widen: "layer.1.DenseReluDense.wi", narrow: "layer.1.DenseReluDense.wo" },
    mlp_norms: Residual::before("layer.1.layer_norm"),
    score_bias: BiasRule::Table {
        tensor: "encoder.block.0.layer.0.SelfAttention.relative_attention_bias",
        rows: ("relative_attention_num_buckets", 32),
        buckets: None,
        distance: ("relative_attention_max_distance", 128),
    },
    sizes: SizeKeys {
        d: size(&["d_model", "hidden_size"], 512),
        layers: size(&["num_layers", "num_hidden_layers"], 6),
        heads: size(&["num_heads", "num_attention_heads"], 8),
        key_heads: SizeKey { names: &[], default: DefaultSize::Heads },
        head_dim: size(&["d_kv", "head_dim"], 64),
        inner: size(&["d_ff"], 2_048),
        vocabulary: size(&["vocab_size"], 32_128),
        positions: SizeKey { names: &[], default: DefaultSize::Unlimited },
        eps: (&["layer_norm_epsilon"], 1e-6),
        activation: (&["feed_forward_proj"], Activation::Relu),
        ..LLAMA.sizes
    },
    activation_words: &[
        ("gated-gelu", Activation::GeluTanh),
        ("gated-silu", Activation::Silu),
        ("gated-relu", Activation::Relu),
    ],
    keys: &[KEYS, COMMON],
    scores: ScoreRule::One,
    mask: MaskRule::Free,
    rope: None,
    ..LLAMA
};

const GATED: MlpNames = MlpNames::Gated {
    gate: "layer.1.DenseReluDense.wi_0",
    up: "layer.1.DenseReluDense.wi_1",
    down: "layer.1.DenseReluDense.wo",
};

pub(super) const T5_GATED: Family =
    Family { variant: "gated", when: &[Setting::Begins("feed_forward_proj", "gated-")], mlp: GATED, ..T5 };

pub(super) const MT5: Family = Family {
    model_type: "mt5",
    name: "mT5",
    class: Some("MT5"),
    mlp: GATED,
    sizes: SizeKeys {
        layers: size(&["num_layers", "num_hidden_layers"], 8),
        heads: size(&["num_heads", "num_attention_heads"], 6),
        inner: size(&["d_ff"], 1_024),
        vocabulary: size(&["vocab_size"], 250_112),
        activation: (&["feed_forward_proj"], Activation::GeluTanh),
        ..T5.sizes
    },
    ..T5
};

pub(super) const MT5_PLAIN: Family =
    Family { variant: "not gated", when: &[Setting::BeginsNot("feed_forward_proj", "gated-")], mlp: T5.mlp, ..MT5 };

const KEYS: &[(&str, KeyUse)] = &[
    ("d_model", Used),
    ("hidden_size", Used),
    ("num_layers", Used),
    ("num_hidden_layers", Used),
    ("num_heads", Used),
    ("num_attention_heads", Used),
    ("d_kv", Used),
    ("head_dim", Used),
    ("d_ff", Used),
    ("feed_forward_proj", Used),
    ("layer_norm_epsilon", Used),
    ("relative_attention_num_buckets", Used),
    ("relative_attention_max_distance", Used),
    ("is_encoder_decoder", Irrelevant("the encoder is measured, which runs without the decoder")),
    ("is_decoder", Refused("false", Unsupported::CrossAttention)),
    ("num_decoder_layers", Irrelevant("only the decoder, which is not measured")),
    ("dense_act_fn", Irrelevant("it follows from feed_forward_proj")),
    ("is_gated_act", Irrelevant("it follows from feed_forward_proj")),
    ("n_positions", Irrelevant("T5 has no positions that would limit a text")),
    ("scale_decoder_outputs", HEAD),
    ("dropout_rate", TRAINING),
    ("classifier_dropout", TRAINING),
    ("initializer_factor", TRAINING),
];
