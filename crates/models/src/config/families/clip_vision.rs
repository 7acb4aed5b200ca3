//! The halves of CLIP and SigLIP that take pictures: layer norm before attention and the MLP; CLIP also has one after the
//! embeddings, and a token of its own before the patches.

use super::clip_text::{CLIP_TEXT, SIGLIP_TEXT};
use super::vit::{PICTURES, SIZES, VIT};
use crate::config::activation::Activation;
use crate::config::family::{EmbeddingNames, Family, ImageRule, SizeKeys, size};
use crate::config::keys::{COMMON, HEAD, KeyUse, TRAINING};

pub(super) const CLIP_VISION: Family = Family {
    model_type: "clip_vision_model",
    name: "CLIP (vision)",
    class: Some("CLIPVision"),
    prefix: "",
    embeddings: EmbeddingNames {
        words: "embeddings.patch_embedding.weight",
        positions: Some("embeddings.position_embedding.weight"),
        // Spelled so in the files.
        norm: Some("pre_layrnorm"),
        ..VIT.embeddings
    },
    images: Some(ImageRule {
        first: &["embeddings.class_embedding"],
        size: size(&["image_size"], 224),
        patch: size(&["patch_size"], 32),
    }),
    layer: CLIP_TEXT.layer,
    projections: CLIP_TEXT.projections,
    output: CLIP_TEXT.output,
    attention_norms: CLIP_TEXT.attention_norms,
    mlp: CLIP_TEXT.mlp,
    mlp_norms: CLIP_TEXT.mlp_norms,
    sizes: SizeKeys {
        eps: (&["layer_norm_eps"], 1e-5),
        activation: (&["hidden_act"], Activation::QuickGelu),
        ..VIT.sizes
    },
    keys: &[KEYS, SIZES, PICTURES, COMMON],
    ..VIT
};

pub(super) const SIGLIP_VISION: Family = Family {
    model_type: "siglip_vision_model",
    name: "SigLIP (vision)",
    class: Some("SiglipVision"),
    embeddings: EmbeddingNames { norm: None, ..CLIP_VISION.embeddings },
    images: Some(ImageRule { first: &[], size: size(&["image_size"], 224), patch: size(&["patch_size"], 16) }),
    sizes: SizeKeys { eps: SIGLIP_TEXT.sizes.eps, activation: SIGLIP_TEXT.sizes.activation, ..CLIP_VISION.sizes },
    ..CLIP_VISION
};

const KEYS: &[(&str, KeyUse)] = &[
    ("projection_dim", HEAD),
    ("vision_use_head", HEAD),
    ("attention_dropout", TRAINING),
    ("dropout", TRAINING),
    ("initializer_factor", TRAINING),
];
