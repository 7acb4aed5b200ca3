//! Falcon: attention and the MLP side by side. The config chooses between four layers: those of 7B (one norm, one key and
//! value for all heads), of 40B (two norms, groups of heads), of 11B (one norm, groups) and of RW (in turn, ALiBi).

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA};
use crate::config::activation::Activation;
use crate::config::family::{
    BiasRule, BlockShape, DefaultSize, EmbeddingNames, Family, LayerNames, MlpNames, NormTensors, ProjectionNames,
    Setting, SizeKey, SizeKeys, size,
};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, TRAINING, Used};
use crate::config::residual::Residual;
use lipscope_core::experiment::Normalization;

pub(super) const FALCON: Family = Family {
    model_type: "falcon",
    name: "Falcon",
    class: Some("Falcon"),
    embeddings: EmbeddingNames { words: "word_embeddings.weight", ..LLAMA.embeddings },
    layer: LayerNames::Numbered("h"),
    projections: ProjectionNames::FusedByGroup("self_attention.query_key_value"),
    output: "self_attention.dense",
    mlp: MlpNames::Plain { widen: "mlp.dense_h_to_4h", narrow: "mlp.dense_4h_to_h" },
    mlp_norms: Residual::before("input_layernorm"),
    block: BlockShape::Parallel,
    normalization: Normalization::Layer,
    norm_tensors: NormTensors::Both,
    score_bias: BiasRule::AlibiIf("alibi"),
    multi_query: Some("multi_query"),
    sizes: SizeKeys {
        d: size(&["n_embed", "hidden_size"], 4_544),
        heads: size(&["num_attention_heads"], 71),
        key_heads: SizeKey { names: &[], default: DefaultSize::Heads },
        head_dim: SizeKey { names: &[], default: DefaultSize::WidthOfHead },
        inner: SizeKey { names: &["ffn_hidden_size"], default: DefaultSize::Widths(4) },
        vocabulary: size(&["vocab_size"], 65_024),
        eps: (&["layer_norm_epsilon"], 1e-5),
        activation: (&["activation"], Activation::GeluErf),
        ..LLAMA.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    ..LLAMA
};

pub(super) const FALCON_11B: Family = Family {
    variant: "groups, one norm",
    when: &[Setting::Is("new_decoder_architecture", "true"), Setting::Is("num_ln_in_parallel_attn", "1")],
    multi_query: None,
    sizes: SizeKeys { key_heads: SizeKey { names: &["num_kv_heads"], default: DefaultSize::Heads }, ..FALCON.sizes },
    ..FALCON
};

pub(super) const FALCON_40B: Family = Family {
    variant: "groups",
    when: &[Setting::Is("new_decoder_architecture", "true")],
    attention_norms: Residual::before("ln_attn"),
    mlp_norms: Residual::before("ln_mlp"),
    ..FALCON_11B
};

pub(super) const FALCON_IN_TURN: Family = Family {
    variant: "in turn",
    when: &[Setting::Is("parallel_attn", "false")],
    mlp_norms: Residual::before("post_attention_layernorm"),
    block: BlockShape::Sequential,
    ..FALCON
};

const KEYS: &[(&str, KeyUse)] = &[
    ("n_embed", Used),
    ("num_kv_heads", Used),
    ("multi_query", Used),
    ("new_decoder_architecture", Used),
    ("num_ln_in_parallel_attn", Used),
    ("parallel_attn", Used),
    ("alibi", Used),
    ("ffn_hidden_size", Used),
    ("activation", Used),
    ("layer_norm_epsilon", Used),
    ("bias", Irrelevant("the file has the biases, or has none")),
    ("num_key_value_heads", Irrelevant("Falcon reads num_kv_heads")),
    ("head_dim", Irrelevant("the heads of Falcon share the width evenly")),
    ("intermediate_size", Irrelevant("Falcon reads ffn_hidden_size")),
    ("hidden_act", Irrelevant("Falcon reads activation")),
    ("apply_residual_connection_post_layernorm", Irrelevant("a word of the first files, which no program reads")),
    ("hidden_dropout", TRAINING),
];
