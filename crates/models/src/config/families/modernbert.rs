//! ModernBERT: an encoder with rotary positions, a gated MLP, and windows to both sides in two layers of three.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA, ROPE};
use crate::config::activation::Activation;
use crate::config::family::{
    DefaultSize, EmbeddingNames, Family, FirstNorm, MaskRule, MlpNames, NormTensors, ProjectionNames, RopeRule,
    SizeKey, SizeKeys, WindowRule, size,
};
use crate::config::keys::{COMMON, HEAD, Irrelevant, KeyUse, Refused, STORAGE, TRAINING, Unsupported, Used};
use crate::config::residual::Residual;
use lipscope_core::experiment::Normalization;

pub(super) const MODERNBERT: Family = Family {
    model_type: "modernbert",
    name: "ModernBERT",
    class: Some("ModernBert"),
    embeddings: EmbeddingNames {
        words: "embeddings.tok_embeddings.weight",
        norm: Some("embeddings.norm"),
        ..LLAMA.embeddings
    },
    projections: ProjectionNames::Fused("attn.Wqkv"),
    output: "attn.Wo",
    attention_norms: Residual::before("attn_norm"),
    first_norm: FirstNorm::Absent,
    mlp: MlpNames::GatedFused { gate_up: "mlp.Wi", down: "mlp.Wo" },
    mlp_norms: Residual::before("mlp_norm"),
    normalization: Normalization::Layer,
    norm_tensors: NormTensors::ShiftOptional,
    sizes: SizeKeys {
        d: size(&["hidden_size"], 768),
        layers: size(&["num_hidden_layers"], 22),
        heads: size(&["num_attention_heads"], 12),
        key_heads: SizeKey { names: &[], default: DefaultSize::Heads },
        head_dim: SizeKey { names: &[], default: DefaultSize::WidthOfHead },
        inner: size(&["intermediate_size"], 1_152),
        vocabulary: size(&["vocab_size"], 50_368),
        positions: size(&["max_position_embeddings"], 8_192),
        eps: (&["norm_eps"], 1e-5),
        activation: (&["hidden_activation"], Activation::GeluErf),
        ..LLAMA.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    mask: MaskRule::Free,
    window: WindowRule::Symmetric { width: 128, every: 3 },
    rope: Some(RopeRule { theta: (&["global_rope_theta"], 160_000.0), local: Some(("local_rope_theta", 1e4)), ..ROPE }),
    ..LLAMA
};

const KEYS: &[(&str, KeyUse)] = &[
    ("hidden_activation", Used),
    ("norm_eps", Used),
    ("local_attention", Used),
    ("layer_types", Used),
    ("global_attn_every_n_layers", Used),
    ("global_rope_theta", Used),
    ("local_rope_theta", Used),
    ("norm_bias", Irrelevant("the file has the shifts, or has none")),
    ("rope_scaling", Refused("null", Unsupported::OtherPositions)),
    ("rope_theta", Irrelevant("ModernBERT reads global_rope_theta")),
    ("rms_norm_eps", Irrelevant("ModernBERT reads norm_eps")),
    ("layer_norm_eps", Irrelevant("ModernBERT reads norm_eps")),
    ("hidden_act", Irrelevant("ModernBERT reads hidden_activation")),
    ("sliding_window", Irrelevant("ModernBERT reads local_attention")),
    ("num_key_value_heads", Irrelevant("every head of ModernBERT has keys and values of its own")),
    ("head_dim", Irrelevant("the heads of ModernBERT share the width evenly")),
    ("is_causal", Irrelevant("the family has no causal mask either way")),
    ("is_decoder", Irrelevant("ModernBERT has no causal mask either way")),
    ("position_embedding_type", Irrelevant("ModernBERT has rotary positions whatever the config says")),
    ("mlp_dropout", TRAINING),
    ("embedding_dropout", TRAINING),
    ("classifier_activation", HEAD),
    ("classifier_bias", HEAD),
    ("classifier_dropout", TRAINING),
    ("classifier_pooling", HEAD),
    ("decoder_bias", HEAD),
    ("sparse_prediction", HEAD),
    ("sparse_pred_ignore_index", HEAD),
    ("initializer_cutoff_factor", TRAINING),
    ("deterministic_flash_attn", STORAGE),
    ("reference_compile", STORAGE),
    ("repad_logits_with_grad", STORAGE),
    ("cls_token_id", Irrelevant("only which id a special token has; the tokenizer's files say so")),
];
