//! BERT and MiniLM: layer norm after attention and after the feed-forward network.

use crate::activation::Activation;
use crate::config_keys::{COMMON, HEAD, Irrelevant, KeyUse, TRAINING, Used};
use crate::family::{
    AfterBranch, BiasRule, Biases, BlockShape, EmbeddingFactor, EmbeddingNames, Family, FirstNorm, FirstPosition,
    GainRule, Initial, LayerNames, MaskRule, MlpNames, NormTensors, ProjectionNames, ScoreRule, SizeKey, SizeKeys,
    Usual, WindowRule, size,
};
use crate::map_kind::MapKind;
use crate::residual::Residual;
use crate::safetensors::Layout;
use lipscope_core::experiment::Normalization;

pub(crate) const BERT: Family = Family {
    model_type: "bert",
    variant: "",
    when: &[],
    name: "BERT",
    class: Some("Bert"),
    prefix: "bert",
    embeddings: EmbeddingNames {
        words: "embeddings.word_embeddings.weight",
        positions: Some("embeddings.position_embeddings.weight"),
        kinds: Some("embeddings.token_type_embeddings.weight"),
        norm: Some("embeddings.LayerNorm"),
        projection: None,
    },
    images: None,
    first_position: FirstPosition::Zero,
    layer: LayerNames::Numbered("encoder.layer"),
    projections: ProjectionNames::Apart(["attention.self.query", "attention.self.key", "attention.self.value"]),
    output: "attention.output.dense",
    qk_norm: None,
    sinks: None,
    attention_norms: Residual::Sum("attention.output.LayerNorm"),
    after_branch: AfterBranch::Norm,
    first_norm: FirstNorm::Present,
    mlp: MlpNames::Plain { widen: "intermediate.dense", narrow: "output.dense" },
    mlp_norms: Residual::Sum("output.LayerNorm"),
    experts: None,
    block: BlockShape::InTurn,
    normalization: Normalization::Layer,
    norm_tensors: NormTensors::Both,
    gains: GainRule::Whole,
    embedding_factor: EmbeddingFactor::One,
    residual_factor: None,
    softcap: None,
    score_bias: BiasRule::None,
    layout: Layout::OutputsByInputs,
    biases: Biases::Required,
    sizes: SizeKeys {
        d: size(&["hidden_size"], 768),
        layers: size(&["num_hidden_layers"], 12),
        heads: size(&["num_attention_heads"], 12),
        key_heads: SizeKey { names: &[], default: Usual::Heads },
        head_dim: SizeKey { names: &[], default: Usual::WidthOfHead },
        inner: size(&["intermediate_size"], 3_072),
        inner_ratio: None,
        vocabulary: size(&["vocab_size"], 30_522),
        token_types: size(&["type_vocab_size"], 2),
        positions: size(&["max_position_embeddings"], 512),
        groups: SizeKey { names: &[], default: Usual::Layers },
        embedding: SizeKey { names: &[], default: Usual::Widths(1) },
        eps: (&["layer_norm_eps"], 1e-12),
        activation: (&["hidden_act"], Activation::GeluErf),
    },
    multi_query: None,
    activation_words: &[],
    keys: &[KEYS, COMMON],
    scores: ScoreRule::Root,
    // A decoder BERT has the mask of GPT-2.
    mask: MaskRule::CausalIfDecoder,
    window: WindowRule::None,
    rope: None,
    initial: Initial::ZeroPadding,
    usual_map: MapKind::Attention,
};

pub(super) const KEYS: &[(&str, KeyUse)] = &[
    ("hidden_size", Used),
    ("num_hidden_layers", Used),
    ("num_attention_heads", Used),
    ("intermediate_size", Used),
    ("hidden_act", Used),
    ("max_position_embeddings", Used),
    ("type_vocab_size", Used),
    ("layer_norm_eps", Used),
    ("is_decoder", Used),
    ("hidden_dropout_prob", TRAINING),
    ("attention_probs_dropout_prob", TRAINING),
    ("classifier_dropout", TRAINING),
    ("directionality", Irrelevant("a word of Google's first files, which no program reads")),
    ("pooler_fc_size", HEAD),
    ("pooler_num_attention_heads", HEAD),
    ("pooler_num_fc_layers", HEAD),
    ("pooler_size_per_head", HEAD),
    ("pooler_type", HEAD),
];
