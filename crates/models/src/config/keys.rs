//! The effect of each key of a `config.json` on a measurement.
//!
//! Here are the keys of `PretrainedConfig` of Hugging Face's transformers, 4 and 5; the files of `families` have those of
//! their own configs. `tests/models/config_keys.py` writes the keys of all families to
//! tests/data/models/config_keys.json, and a test checks that all of them are listed. A key that is not listed is named
//! in a note beside the number.

use lipscope_core::experiment::Phrase;
use lipscope_core::phrase;

/// The effect of a key on a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyUse {
    /// Read and applied.
    Used,
    /// Changes no number, for this reason.
    Irrelevant(&'static str),
    /// Changes the measured number in a way that is not supported, unless the key has this value (as JSON).
    Refused(&'static str, Unsupported),
}

/// The unsupported feature that a key turns on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsupported {
    CrossAttention,
    RelativePositions,
    OtherPositions,
    Bidirectional,
    PrunedHeads,
    Quantized,
    EncoderDecoder,
    PerLayer,
    DistilBertDecoder,
    OtherScores,
    OtherScoresOfFamily,
    OtherBlock,
    LayersInLayers,
    ClippedProjections,
    NormsOfHeads,
    NormsWithoutGains,
    UnusedCap,
    Steps,
    Channels,
}

impl Unsupported {
    /// Why it is unsupported, as a phrase after a colon.
    pub(crate) fn reason(self) -> Phrase {
        match self {
            Unsupported::CrossAttention => phrase!(
                "why_cross_attention",
                "its blocks also attend to the outputs of an encoder, which a text alone does not give"
            ),
            Unsupported::RelativePositions => phrase!(
                "why_relative_positions",
                "positions enter the scores of attention, and only positions that are added to the tokens are read"
            ),
            Unsupported::OtherPositions => {
                phrase!("why_other_positions", "positions enter its attention in a way that is not read")
            }
            Unsupported::Bidirectional => {
                phrase!("why_bidirectional", "its tokens see later ones too, and the family is read as causal")
            }
            Unsupported::PrunedHeads => {
                phrase!("why_pruned_heads", "heads were removed, so that layers have different numbers of them")
            }
            Unsupported::Quantized => {
                phrase!("why_quantized", "the weights are quantised, and only F64, F32, F16 and BF16 are read")
            }
            Unsupported::EncoderDecoder => {
                phrase!("why_encoder_decoder", "the model is an encoder with a decoder, and only one stack is read")
            }
            Unsupported::PerLayer => {
                phrase!("why_per_layer", "its layers have different settings, and all layers are read with the same")
            }
            Unsupported::DistilBertDecoder => {
                phrase!("why_distilbert_decoder", "transformers has no DistilBERT with a causal mask")
            }
            Unsupported::Steps => phrase!(
                "why_steps",
                "it adds a step to the attention of `lipscope train`, and only plain dot-product and L2 attention is read"
            ),
            Unsupported::OtherScoresOfFamily => {
                phrase!("why_other_scores_of_family", "it divides the scores of attention in a way that is not read")
            }
            Unsupported::OtherBlock => phrase!("why_other_block", "its blocks have steps that are not read"),
            Unsupported::LayersInLayers => {
                phrase!("why_layers_in_layers", "each of its layers consists of several, and one is read")
            }
            Unsupported::ClippedProjections => {
                phrase!("why_clipped_projections", "it cuts queries, keys and values off, which is not read")
            }
            Unsupported::NormsOfHeads => phrase!(
                "why_norms_of_heads",
                "it has layer norms of queries and keys, and only RMS norms of them are read"
            ),
            Unsupported::NormsWithoutGains => {
                phrase!("why_norms_without_gains", "its norms have no gains, and the family is read with gains")
            }
            Unsupported::UnusedCap => phrase!(
                "why_unused_cap",
                "transformers leaves this setting out in the family, so that it is unclear which scores are meant"
            ),
            Unsupported::Channels => {
                phrase!("why_channels", "its images have other channels than red, green and blue, which is not read")
            }
            Unsupported::OtherScores => {
                phrase!("why_other_scores", "a model of `lipscope train` divides its scores by sqrt(k) alone")
            }
        }
    }
}

/// The effect of a key by the lists of a family; `None` for a key that no such config has.
pub(crate) fn key_use(lists: &[&[(&str, KeyUse)]], name: &str) -> Option<KeyUse> {
    lists.iter().copied().flatten().find(|(known, _)| *known == name).map(|(_, used)| *used)
}

pub(crate) use KeyUse::{Irrelevant, Refused, Used};

pub(crate) const TRAINING: KeyUse = Irrelevant("only training");
const GENERATING: KeyUse = Irrelevant("only how texts are generated from the output");
pub(crate) const HEAD: KeyUse = Irrelevant("only what comes after the last block");
pub(crate) const RETURNED: KeyUse = Irrelevant("only which results transformers returns");
pub(crate) const STORAGE: KeyUse = Irrelevant("only how transformers holds or computes the same numbers");
const NAME: KeyUse = Irrelevant("only a name or a note");
const TOKEN_ID: KeyUse = Irrelevant("only which id a special token has; the tokenizer's files say so");

/// Keys of a head that sums a text up, in configs like that of GPT-2.
pub(crate) const SUMMARY: &[(&str, KeyUse)] = &[
    ("summary_type", HEAD),
    ("summary_use_proj", HEAD),
    ("summary_activation", HEAD),
    ("summary_proj_to_labels", HEAD),
    ("summary_first_dropout", HEAD),
    ("summary_last_dropout", HEAD),
];

/// Keys of every config.
pub(crate) const COMMON: &[(&str, KeyUse)] = &[
    ("model_type", Used),
    ("architectures", Used),
    ("transformers_version", Used),
    ("vocab_size", Used),
    ("is_encoder_decoder", Refused("false", Unsupported::EncoderDecoder)),
    ("add_cross_attention", Refused("false", Unsupported::CrossAttention)),
    ("pruned_heads", Refused("{}", Unsupported::PrunedHeads)),
    ("quantization_config", Refused("null", Unsupported::Quantized)),
    ("per_layer_config", Refused("null", Unsupported::PerLayer)),
    ("position_embedding_type", Refused("\"absolute\"", Unsupported::RelativePositions)),
    ("cross_attention_hidden_size", Irrelevant("only the width of an encoder's outputs, with add_cross_attention")),
    ("tie_encoder_decoder", Irrelevant("only models with an encoder and a decoder")),
    ("decoder_start_token_id", Irrelevant("only models with an encoder and a decoder")),
    (
        "tie_word_embeddings",
        Irrelevant("only whether the output head shares the embeddings; the file's names say where they are"),
    ),
    ("chunk_size_feed_forward", Irrelevant("the same numbers, a few tokens at a time")),
    ("torch_dtype", Irrelevant("the tensors say what they hold; all products are in f64")),
    ("dtype", Irrelevant("the tensors say what they hold; all products are in f64")),
    ("use_bfloat16", STORAGE),
    ("torchscript", STORAGE),
    ("use_cache", STORAGE),
    ("attn_implementation", STORAGE),
    ("_attn_implementation", STORAGE),
    ("_attn_implementation_autoset", STORAGE),
    ("_attn_implementation_internal", STORAGE),
    ("experts_implementation", STORAGE),
    ("_experts_implementation_internal", STORAGE),
    ("gradient_checkpointing", TRAINING),
    ("initializer_range", TRAINING),
    ("tf_legacy_loss", TRAINING),
    ("output_hidden_states", RETURNED),
    ("output_attentions", RETURNED),
    ("_output_attentions", RETURNED),
    ("output_past", RETURNED),
    ("return_dict", RETURNED),
    ("use_return_dict", RETURNED),
    ("tie_last_hidden_states", RETURNED),
    ("id2label", HEAD),
    ("label2id", HEAD),
    ("num_labels", HEAD),
    ("_num_labels", HEAD),
    ("problem_type", HEAD),
    ("finetuning_task", NAME),
    ("task_specific_params", NAME),
    ("prefix", GENERATING),
    ("tokenizer_class", Irrelevant("the tokenizer's own files are read")),
    ("name_or_path", NAME),
    ("_name_or_path", NAME),
    ("_commit_hash", NAME),
    ("auto_map", Used),
    ("bos_token_id", TOKEN_ID),
    ("eos_token_id", TOKEN_ID),
    ("sep_token_id", TOKEN_ID),
    ("pad_token_id", Used),
    ("max_length", GENERATING),
    ("min_length", GENERATING),
    ("do_sample", GENERATING),
    ("early_stopping", GENERATING),
    ("num_beams", GENERATING),
    ("temperature", GENERATING),
    ("top_k", GENERATING),
    ("top_p", GENERATING),
    ("typical_p", GENERATING),
    ("repetition_penalty", GENERATING),
    ("length_penalty", GENERATING),
    ("no_repeat_ngram_size", GENERATING),
    ("encoder_no_repeat_ngram_size", GENERATING),
    ("bad_words_ids", GENERATING),
    ("num_return_sequences", GENERATING),
    ("output_scores", GENERATING),
    ("return_dict_in_generate", GENERATING),
    ("forced_bos_token_id", GENERATING),
    ("forced_eos_token_id", GENERATING),
    ("remove_invalid_values", GENERATING),
    ("exponential_decay_length_penalty", GENERATING),
    ("suppress_tokens", GENERATING),
    ("begin_suppress_tokens", GENERATING),
    ("num_beam_groups", GENERATING),
    ("diversity_penalty", GENERATING),
];

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::config::families::of_model_type;

    #[test]
    fn every_key_of_the_configs_of_transformers_is_used_irrelevant_or_refused() {
        let kept: Value =
            serde_json::from_str(include_str!("../../../../tests/data/models/config_keys.json")).expect("JSON");
        let mut count = 0;
        let mut missing = Vec::new();
        for version in kept.as_object().expect("versions").values() {
            for (family, keys) in version.as_object().expect("families") {
                let Some(lists) = of_model_type(family).map(|family| family.keys) else { continue };
                for (name, default) in keys.as_object().expect("keys") {
                    count += 1;
                    match key_use(lists, name) {
                        None => missing.push(format!("{family}.{name} = {default}")),
                        Some(Refused(accepted, _)) => {
                            let accepted: Value = serde_json::from_str(accepted).expect("JSON");
                            if !default.is_null() && accepted != *default {
                                missing.push(format!("{family}.{name} = {default} is refused"));
                            }
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        assert!(missing.is_empty(), "{missing:#?}");
        assert!(count > 4_000, "only {count} keys");
    }
}
