//! Llama 1 to 3: RMS norm before attention and before a gated MLP, rotary positions, keys and values shared by groups of
//! heads; causal.

use super::bert::BERT;
use crate::config::activation::Activation;
use crate::config::family::{
    Biases, DefaultSize, EmbeddingNames, Family, Initial, LayerNames, MaskRule, MlpNames, NormTensors, ProjectionNames,
    RopeLayers, RopeRule, RotaryDim, SizeKey, SizeKeys, size,
};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Refused, STORAGE, TRAINING, Unsupported, Used};
use crate::config::map_kind::MapKind;
use crate::config::residual::Residual;
use lipscope_core::experiment::{Normalization, RopeLayout};

pub(crate) const LLAMA: Family = Family {
    model_type: "llama",
    name: "Llama",
    class: Some("Llama"),
    embeddings: EmbeddingNames {
        words: "embed_tokens.weight",
        positions: None,
        kinds: None,
        norm: None,
        projection: None,
    },
    prefix: "",
    layer: LayerNames::Numbered("layers"),
    projections: ProjectionNames::Apart(["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"]),
    output: "self_attn.o_proj",
    attention_norms: Residual::before("input_layernorm"),
    mlp: MlpNames::Gated { gate: "mlp.gate_proj", up: "mlp.up_proj", down: "mlp.down_proj" },
    mlp_norms: Residual::before("post_attention_layernorm"),
    normalization: Normalization::Rms,
    norm_tensors: NormTensors::Gain,
    biases: Biases::Optional,
    sizes: SizeKeys {
        d: size(&["hidden_size"], 4_096),
        layers: size(&["num_hidden_layers"], 32),
        heads: size(&["num_attention_heads"], 32),
        key_heads: SizeKey { names: &["num_key_value_heads"], default: DefaultSize::Heads },
        head_dim: SizeKey { names: &["head_dim"], default: DefaultSize::WidthOfHead },
        inner: size(&["intermediate_size"], 11_008),
        vocabulary: size(&["vocab_size"], 32_000),
        token_types: size(&[], 1),
        positions: size(&["max_position_embeddings"], 2_048),
        eps: (&["rms_norm_eps"], 1e-6),
        activation: (&["hidden_act"], Activation::Silu),
        ..BERT.sizes
    },
    keys: &[KEYS, COMMON],
    mask: MaskRule::Causal,
    rope: Some(ROPE),
    initial: Initial::Plain,
    default_map: MapKind::WithOutput,
    ..BERT
};

/// Positions that turn all entries of a head.
pub(super) const ROPE: RopeRule = RopeRule {
    theta: (&["rope_theta"], 1e4),
    rotary_dim: RotaryDim::All,
    layout: RopeLayout::Half,
    layers: RopeLayers::All,
    local: None,
    default: None,
    first_length: None,
};

/// What Llama and its relatives have in common.
pub(super) const KEYS: &[(&str, KeyUse)] = &[
    ("hidden_size", Used),
    ("is_causal", Refused("true", Unsupported::Bidirectional)),
    ("num_hidden_layers", Used),
    ("num_attention_heads", Used),
    ("num_key_value_heads", Used),
    ("head_dim", Used),
    ("intermediate_size", Used),
    ("hidden_act", Used),
    ("max_position_embeddings", Used),
    ("rms_norm_eps", Used),
    ("rope_theta", Used),
    ("rope_scaling", Used),
    ("rope_parameters", Used),
    ("partial_rotary_factor", Used),
    ("original_max_position_embeddings", Used),
    ("attention_bias", Irrelevant("the file has the biases, or has none")),
    ("mlp_bias", Irrelevant("the file has the biases, or has none")),
    ("pretraining_tp", Irrelevant("the same products, in pieces")),
    ("is_decoder", Irrelevant("the family is causal either way")),
    ("attention_dropout", TRAINING),
    ("cache_implementation", STORAGE),
];
