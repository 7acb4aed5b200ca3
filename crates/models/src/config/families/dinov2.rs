//! DINOv2: as ViT, with a factor for each coordinate after attention and after the MLP, which in its largest model has a
//! gate.

use super::vit::{PICTURES, VIT};
use crate::config::activation::Activation;
use crate::config::family::{AfterBranch, DefaultSize, Family, ImageRule, MlpNames, Setting, SizeKey, SizeKeys, size};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, RETURNED, TRAINING, Used};
use crate::config::residual::Residual;

pub(super) const DINOV2: Family = Family {
    model_type: "dinov2",
    name: "DINOv2",
    class: Some("Dinov2"),
    prefix: "dinov2",
    images: Some(ImageRule {
        first: &["embeddings.cls_token"],
        size: size(&["image_size"], 224),
        patch: size(&["patch_size"], 14),
    }),
    attention_norms: Residual::Branch { before: Some("norm1"), after: Some("layer_scale1.lambda1") },
    mlp_norms: Residual::Branch { before: Some("norm2"), after: Some("layer_scale2.lambda1") },
    after_branch: AfterBranch::Scale,
    mlp: MlpNames::Plain { widen: "mlp.fc1", narrow: "mlp.fc2" },
    sizes: SizeKeys {
        inner: SizeKey { names: &[], default: DefaultSize::Widths(4) },
        inner_ratio: Some("mlp_ratio"),
        eps: (&["layer_norm_eps"], 1e-6),
        ..VIT.sizes
    },
    keys: &[KEYS, PICTURES, COMMON],
    ..VIT
};

/// The gate has SiLU, whatever `hidden_act` says.
pub(super) const DINOV2_GATED: Family = Family {
    variant: "with a gate",
    when: &[Setting::Is("use_swiglu_ffn", "true")],
    mlp: MlpNames::GatedFused { gate_up: "mlp.weights_in", down: "mlp.weights_out" },
    sizes: SizeKeys {
        inner: SizeKey { names: &[], default: DefaultSize::GatedWidths(4) },
        activation: (&[], Activation::Silu),
        ..DINOV2.sizes
    },
    ..DINOV2
};

const KEYS: &[(&str, KeyUse)] = &[
    ("hidden_size", Used),
    ("num_hidden_layers", Used),
    ("num_attention_heads", Used),
    ("mlp_ratio", Used),
    ("hidden_act", Used),
    ("use_swiglu_ffn", Used),
    ("layer_norm_eps", Used),
    ("layerscale_value", TRAINING),
    ("drop_path_rate", TRAINING),
    ("hidden_dropout_prob", TRAINING),
    ("attention_probs_dropout_prob", TRAINING),
    ("use_mask_token", Irrelevant("it stands for hidden patches in training; a whole image has none")),
    ("apply_layernorm", RETURNED),
    ("reshape_hidden_states", RETURNED),
    ("out_features", RETURNED),
    ("_out_features", RETURNED),
    ("out_indices", RETURNED),
    ("_out_indices", RETURNED),
    ("stage_names", RETURNED),
];
