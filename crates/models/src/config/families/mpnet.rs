//! MPNet: BERT without token types, with a bias of each score by the distance of its tokens.

use super::bert::{BERT, KEYS as KEYS_OF_BERT};
use crate::config::family::{
    BiasRule, EmbeddingNames, Family, FirstPosition, MaskRule, PaddingSource, ProjectionNames, SizeKeys, size,
};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Used};
use crate::config::residual::Residual;

pub(super) const MPNET: Family = Family {
    model_type: "mpnet",
    name: "MPNet",
    class: Some("MPNet"),
    prefix: "mpnet",
    embeddings: EmbeddingNames { kinds: None, ..BERT.embeddings },
    first_position: FirstPosition::AfterPadding { id: 1, source: PaddingSource::Fixed },
    projections: ProjectionNames::Apart(["attention.attn.q", "attention.attn.k", "attention.attn.v"]),
    output: "attention.attn.o",
    attention_norms: Residual::Sum("attention.LayerNorm"),
    // transformers computes the buckets as for 32, whatever the size of the table is.
    score_bias: BiasRule::Table {
        tensor: "encoder.relative_attention_bias",
        rows: ("relative_attention_num_buckets", 32),
        buckets: Some(32),
        distance: ("", 128),
    },
    sizes: SizeKeys { vocabulary: size(&["vocab_size"], 30_527), token_types: size(&[], 1), ..BERT.sizes },
    keys: &[KEYS, KEYS_OF_BERT, COMMON],
    mask: MaskRule::Free,
    ..BERT
};

const KEYS: &[(&str, KeyUse)] =
    &[("relative_attention_num_buckets", Used), ("is_decoder", Irrelevant("MPNet has no mask either way"))];
