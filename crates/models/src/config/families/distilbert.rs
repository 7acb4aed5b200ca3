//! DistilBERT: BERT with other names and without token types.

use super::bert::BERT;
use crate::config::activation::Activation;
use crate::config::family::{EmbeddingNames, Family, LayerNames, MaskRule, MlpNames, ProjectionNames, SizeKeys, size};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Refused, TRAINING, Unsupported, Used};
use crate::config::residual::Residual;

pub(super) const DISTILBERT: Family = Family {
    model_type: "distilbert",
    name: "DistilBERT",
    class: Some("DistilBert"),
    embeddings: EmbeddingNames { kinds: None, ..BERT.embeddings },
    prefix: "distilbert",
    layer: LayerNames::Numbered("transformer.layer"),
    projections: ProjectionNames::Apart(["attention.q_lin", "attention.k_lin", "attention.v_lin"]),
    output: "attention.out_lin",
    attention_norms: Residual::Sum("sa_layer_norm"),
    mlp: MlpNames::Plain { widen: "ffn.lin1", narrow: "ffn.lin2" },
    mlp_norms: Residual::Sum("output_layer_norm"),
    sizes: SizeKeys {
        d: size(&["dim", "hidden_size"], 768),
        layers: size(&["n_layers", "num_hidden_layers"], 6),
        heads: size(&["n_heads", "num_attention_heads"], 12),
        inner: size(&["hidden_dim"], 3_072),
        token_types: size(&[], 2),
        eps: (&[], 1e-12),
        activation: (&["activation"], Activation::GeluErf),
        ..BERT.sizes
    },
    keys: &[KEYS, COMMON],
    mask: MaskRule::Free,
    ..BERT
};

const KEYS: &[(&str, KeyUse)] = &[
    ("dim", Used),
    ("hidden_size", Used),
    ("n_layers", Used),
    ("num_hidden_layers", Used),
    ("n_heads", Used),
    ("num_attention_heads", Used),
    ("hidden_dim", Used),
    ("activation", Used),
    ("max_position_embeddings", Used),
    ("tie_weights_", Irrelevant("only whether the output head shares the embeddings")),
    ("sinusoidal_pos_embds", Irrelevant("only how the position embeddings began; the file has them as a tensor")),
    ("is_decoder", Refused("false", Unsupported::DistilBertDecoder)),
    ("dropout", TRAINING),
    ("attention_dropout", TRAINING),
    ("qa_dropout", TRAINING),
    ("seq_classif_dropout", TRAINING),
];
