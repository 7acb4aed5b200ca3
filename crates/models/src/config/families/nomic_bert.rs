//! NomicBERT: BERT with rotary positions and a gated MLP. Published files have the keys of GPT-2.

use super::bert::{BERT, KEYS as KEYS_OF_BERT};
use super::gpt2::KEYS as KEYS_OF_GPT2;
use super::llama::ROPE;
use crate::config::activation::Activation;
use crate::config::family::{
    Biases, DefaultSize, EmbeddingNames, Family, Initial, LayerNames, MaskRule, MlpNames, NormTensors, ProjectionNames,
    RopeRule, SizeKey, SizeKeys, size,
};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Refused, STORAGE, SUMMARY, TRAINING, Unsupported, Used};
use crate::config::residual::Residual;

pub(super) const NOMIC_BERT: Family = Family {
    model_type: "nomic_bert",
    name: "NomicBERT",
    class: Some("NomicBert"),
    prefix: "",
    embeddings: EmbeddingNames { positions: None, norm: Some("emb_ln"), ..BERT.embeddings },
    layer: LayerNames::Numbered("encoder.layers"),
    projections: ProjectionNames::Fused("attn.Wqkv"),
    output: "attn.out_proj",
    attention_norms: Residual::Sum("norm1"),
    mlp: MlpNames::Gated { gate: "mlp.fc12", up: "mlp.fc11", down: "mlp.fc2" },
    mlp_norms: Residual::Sum("norm2"),
    norm_tensors: NormTensors::Both,
    biases: Biases::Optional,
    sizes: SizeKeys {
        d: size(&["n_embd", "hidden_size"], 768),
        layers: size(&["n_layer", "num_hidden_layers"], 12),
        heads: size(&["n_head", "num_attention_heads"], 12),
        head_dim: SizeKey { names: &["head_dim"], default: DefaultSize::WidthOfHead },
        inner: size(&["n_inner", "intermediate_size"], 3_072),
        positions: size(&["n_positions", "max_position_embeddings"], 2_048),
        eps: (&["layer_norm_epsilon", "layer_norm_eps"], 1e-12),
        activation: (&["activation_function", "hidden_act"], Activation::Silu),
        ..BERT.sizes
    },
    activation_words: &[("swiglu", Activation::Silu)],
    keys: &[KEYS, KEYS_OF_GPT2, KEYS_OF_BERT, SUMMARY, COMMON],
    mask: MaskRule::Free,
    rope: Some(RopeRule { theta: (&["rotary_emb_base", "rope_theta"], 1e3), ..ROPE }),
    initial: Initial::Plain,
    ..BERT
};

const KEYS: &[(&str, KeyUse)] = &[
    ("head_dim", Used),
    ("rope_parameters", Used),
    ("rope_scaling", Used),
    ("rope_theta", Used),
    ("rotary_emb_base", Used),
    ("prenorm", Refused("false", Unsupported::OtherBlock)),
    ("parallel_block", Refused("false", Unsupported::OtherBlock)),
    ("use_rms_norm", Refused("false", Unsupported::OtherBlock)),
    ("causal", Refused("false", Unsupported::OtherBlock)),
    ("rotary_emb_fraction", Refused("1.0", Unsupported::OtherPositions)),
    ("rotary_emb_interleaved", Refused("false", Unsupported::OtherPositions)),
    ("rotary_emb_scale_base", Refused("null", Unsupported::OtherPositions)),
    ("scale_attn_weights", Refused("true", Unsupported::OtherScoresOfFamily)),
    ("scale_attn_by_inverse_layer_idx", Refused("false", Unsupported::OtherScoresOfFamily)),
    ("num_experts", Refused("0", Unsupported::OtherBlock)),
    ("moe_every_n_layers", Refused("0", Unsupported::OtherBlock)),
    ("is_causal", Irrelevant("the family has no causal mask either way")),
    ("is_decoder", Irrelevant("NomicBERT has no mask either way")),
    ("rotary_scaling_factor", Irrelevant("it changes angles only beyond the positions that windows may have")),
    ("max_trained_positions", Irrelevant("it changes angles only beyond the positions that windows may have")),
    ("qkv_proj_bias", Irrelevant("the file has the biases, or has none")),
    ("mlp_fc1_bias", Irrelevant("the file has the biases, or has none")),
    ("mlp_fc2_bias", Irrelevant("the file has the biases, or has none")),
    ("use_xentropy", TRAINING),
    ("use_flash_attn", STORAGE),
    ("fused_bias_fc", STORAGE),
    ("fused_dropout_add_ln", STORAGE),
    ("pad_vocab_size_multiple", STORAGE),
    ("dense_seq_output", STORAGE),
    ("last_layer_subset", STORAGE),
];
