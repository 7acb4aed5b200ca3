//! ViT and DeiT: pictures as patches, a token of the model before them (DeiT: two); layer norm before attention and the
//! MLP; no mask.

use super::bert::BERT;
use crate::config::family::{
    Biases, DefaultSize, EmbeddingNames, Family, ImageRule, Initial, MaskRule, ProjectionNames, SizeKey, SizeKeys, size,
};
use crate::config::keys::{COMMON, HEAD, Irrelevant, KeyUse, Refused, TRAINING, Unsupported, Used};
use crate::config::map_kind::MapKind;
use crate::config::residual::Residual;

pub(super) const VIT: Family = Family {
    model_type: "vit",
    name: "ViT",
    class: Some("ViT"),
    prefix: "vit",
    embeddings: EmbeddingNames {
        words: "embeddings.patch_embeddings.projection.weight",
        positions: Some("embeddings.position_embeddings"),
        kinds: None,
        norm: None,
        projection: None,
    },
    images: Some(ImageRule {
        first: &["embeddings.cls_token"],
        size: size(&["image_size"], 224),
        patch: size(&["patch_size"], 16),
    }),
    projections: ProjectionNames::Apart([
        "attention.attention.query",
        "attention.attention.key",
        "attention.attention.value",
    ]),
    attention_norms: Residual::before("layernorm_before"),
    mlp_norms: Residual::before("layernorm_after"),
    biases: Biases::Optional,
    sizes: SizeKeys {
        vocabulary: SizeKey { names: &[], default: DefaultSize::Unlimited },
        token_types: size(&[], 1),
        positions: size(&[], 1),
        ..BERT.sizes
    },
    keys: &[KEYS, SIZES, PICTURES, COMMON],
    mask: MaskRule::Free,
    initial: Initial::Plain,
    default_map: MapKind::WithOutput,
    ..BERT
};

pub(super) const DEIT: Family = Family {
    model_type: "deit",
    name: "DeiT",
    class: Some("DeiT"),
    prefix: "deit",
    images: Some(ImageRule {
        first: &["embeddings.cls_token", "embeddings.distillation_token"],
        size: size(&["image_size"], 224),
        patch: size(&["patch_size"], 16),
    }),
    ..VIT
};

const KEYS: &[(&str, KeyUse)] = &[
    ("hidden_dropout_prob", TRAINING),
    ("attention_probs_dropout_prob", TRAINING),
    ("encoder_stride", HEAD),
    ("pooler_act", HEAD),
    ("pooler_output_size", HEAD),
];

/// Keys of a layer's sizes.
pub(super) const SIZES: &[(&str, KeyUse)] = &[
    ("hidden_size", Used),
    ("num_hidden_layers", Used),
    ("num_attention_heads", Used),
    ("intermediate_size", Used),
    ("hidden_act", Used),
    ("layer_norm_eps", Used),
];

/// Keys of models of pictures.
pub(super) const PICTURES: &[(&str, KeyUse)] = &[
    ("image_size", Used),
    ("patch_size", Used),
    ("num_channels", Refused("3", Unsupported::Channels)),
    ("qkv_bias", Irrelevant("the biases that the file has are used")),
    ("is_decoder", Irrelevant("the family has no mask either way")),
];
