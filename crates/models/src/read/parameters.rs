//! How many parameters a model has in its embeddings and layers. Final norms, poolers and output heads do not count: no
//! measurement reads them.

use super::checkpoint::Checkpoint;
use super::source::Source;
use crate::config::family::{Biases, NormScope, NormTensors};
use crate::config::model_config::ModelConfig;
use lipscope_core::experiment::Normalization;

/// The parameters of a model whose files have `prefix` before the family's names, counted from the shapes of their
/// tensors.
pub(crate) fn of_files<S: Source>(config: &ModelConfig, prefix: &str, file: &Checkpoint<S>) -> u64 {
    let layers = format!("{prefix}{}.", config.family.before_layers());
    let counts = |name: &&str| {
        if let Some(rest) = name.strip_prefix(layers.as_str()) {
            // The angles of positions are computed from the config, whatever an older file holds.
            let is_learnt = !rest.ends_with("inv_freq");
            let layer = rest.split('.').next().and_then(|layer| layer.parse::<usize>().ok());
            return is_learnt && layer.is_some_and(|layer| layer < config.layers);
        }
        name.strip_prefix(prefix).is_some_and(|rest| config.family.is_of_embeddings(rest))
    };
    file.names().filter(counts).filter_map(|name| file.count(name)).fold(0, u64::saturating_add)
}

/// The parameters of a model with these sizes, counted from its config: those of [`of_files`], with the biases of
/// families that always have them, and with the largest MLP in every layer.
pub(crate) fn of_config(config: &ModelConfig) -> u64 {
    let of = |number: usize| number as u64;
    let ModelConfig { family, d, layers, heads, key_heads, head_dim, inner, .. } = config;
    let norm = |kind: Normalization| match (kind, family.norm_tensors) {
        (Normalization::None, _) | (_, NormTensors::None) => 0,
        (_, NormTensors::Both) => 2 * of(*d),
        (_, NormTensors::Gain | NormTensors::ShiftOptional) => of(*d),
    };
    let names = family.embeddings;
    let rows = |count: usize, width: usize| of(count).saturating_mul(of(width));
    let embeddings = rows(config.vocabulary, config.embedding_width)
        .saturating_add(
            names.positions.map_or(0, |_| rows(config.positions + config.first_position, config.sum_width())),
        )
        .saturating_add(names.kinds.map_or(0, |_| rows(config.token_types, config.sum_width())))
        .saturating_add(names.norm.map_or(0, |_| norm(family.normalization) / of(*d).max(1) * of(config.sum_width())))
        .saturating_add(config.embedding_projection().map_or(0, |_| rows(*d, config.embedding_width)));
    let norms = of(family.attention_norms.norms().count()) * norm(config.attention_norm)
        + of(family.mlp_norms.norms().count()) * norm(config.mlp_norm)
        + family.qk_norm.map_or(0, |names| match names.scope {
            NormScope::Head => 2 * of(*head_dim),
            NormScope::AllHeads => of((heads + key_heads) * head_dim),
        })
        + family.sinks.map_or(0, |_| of(*heads));
    let biases = match family.biases {
        Biases::Required => of((heads + 2 * key_heads) * head_dim) + 2 * of(*d) + of(*inner),
        Biases::Optional => 0,
    };
    let layer = of(config.numbers_of_attention()).saturating_add(of(config.numbers_of_mlp())) + norms + biases;
    layer.saturating_mul(of(config.layer_groups.min(*layers))).saturating_add(embeddings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_models_have_their_known_numbers() {
        // The totals of transformers, less the final norm of GPT-2 and Llama and the pooler of BERT.
        assert_eq!(of_config(&ModelConfig::gpt2()), 124_439_808 - 2 * 768);
        assert_eq!(of_config(&ModelConfig::bert()), 109_482_240 - 768 * 769);
        let llama = r#"{"model_type":"llama","hidden_size":2048,"num_hidden_layers":16,"num_attention_heads":32,
            "num_key_value_heads":8,"head_dim":64,"intermediate_size":8192,"vocab_size":128256}"#;
        let llama = ModelConfig::from_json(llama).expect("a config");
        assert_eq!(of_config(&llama), 1_235_814_400 - 2048);
    }
}
