//! GPT-2: layer norm before attention and before the feed-forward network; causal.

use super::bert::BERT;
use crate::config::activation::Activation;
use crate::config::family::{
    DefaultSize, EmbeddingNames, Family, Initial, LayerNames, Layout, MaskRule, MlpNames, ProjectionNames, ScoreRule,
    SizeKey, SizeKeys, size,
};
use crate::config::keys::{COMMON, HEAD, Irrelevant, KeyUse, Refused, SUMMARY, TRAINING, Unsupported, Used};
use crate::config::map_kind::MapKind;
use crate::config::residual::Residual;

pub(crate) const GPT2: Family = Family {
    model_type: "gpt2",
    name: "GPT-2",
    class: Some("GPT2"),
    embeddings: EmbeddingNames {
        words: "wte.weight",
        positions: Some("wpe.weight"),
        kinds: None,
        norm: None,
        projection: None,
    },
    prefix: "",
    layer: LayerNames::Numbered("h"),
    projections: ProjectionNames::Fused("attn.c_attn"),
    output: "attn.c_proj",
    attention_norms: Residual::before("ln_1"),
    mlp: MlpNames::Plain { widen: "mlp.c_fc", narrow: "mlp.c_proj" },
    mlp_norms: Residual::before("ln_2"),
    layout: Layout::InputsByOutputs,
    sizes: SizeKeys {
        d: size(&["n_embd", "hidden_size"], 768),
        layers: size(&["n_layer", "num_hidden_layers"], 12),
        heads: size(&["n_head", "num_attention_heads"], 12),
        inner: SizeKey { names: &["n_inner"], default: DefaultSize::Widths(4) },
        vocabulary: size(&["vocab_size"], 50_257),
        token_types: size(&[], 1),
        positions: size(&["n_positions", "max_position_embeddings"], 1_024),
        eps: (&["layer_norm_epsilon"], 1e-5),
        activation: (&["activation_function"], Activation::GeluTanh),
        ..BERT.sizes
    },
    keys: &[KEYS, SUMMARY, COMMON],
    scores: ScoreRule::Gpt2,
    mask: MaskRule::Causal,
    initial: Initial::SmallerOutputs,
    default_map: MapKind::WithOutput,
    ..BERT
};

pub(super) const KEYS: &[(&str, KeyUse)] = &[
    ("n_embd", Used),
    ("is_causal", Refused("true", Unsupported::Bidirectional)),
    ("hidden_size", Used),
    ("n_layer", Used),
    ("num_hidden_layers", Used),
    ("n_head", Used),
    ("num_attention_heads", Used),
    ("n_inner", Used),
    ("n_positions", Used),
    ("max_position_embeddings", Used),
    ("activation_function", Used),
    ("layer_norm_epsilon", Used),
    ("scale_attn_weights", Used),
    ("scale_attn_by_inverse_layer_idx", Used),
    ("reorder_and_upcast_attn", Irrelevant("the same scores, rounded at another place")),
    ("n_ctx", Irrelevant("an old name for the size of the causal mask")),
    ("is_decoder", Irrelevant("GPT-2 is causal either way")),
    ("lipscope", Irrelevant("how `lipscope train` trained the model")),
    ("resid_pdrop", TRAINING),
    ("embd_pdrop", TRAINING),
    ("attn_pdrop", TRAINING),
    ("predict_special_tokens", HEAD),
];
