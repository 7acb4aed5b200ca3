//! The effect of each key of a `config.json` on a measurement.
//!
//! The keys are those of `BertConfig`, `DistilBertConfig`, `GPT2Config` and `PretrainedConfig` of Hugging Face's
//! transformers, 4 and 5; `tests/models/config_keys.py` writes them to tests/data/models/config_keys.json, and a test
//! checks that all of them are listed here. A key that is not listed here is named in a note beside the number.

use lipscope_core::experiment::Phrase;
use lipscope_core::phrase;

/// The family of the config.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigKind {
    /// `bert`.
    Bert,
    /// `distilbert`.
    DistilBert,
    /// `gpt2`.
    Gpt2,
    /// `lipscope`: a model of `lipscope train` that is no GPT-2.
    Lipscope,
}

/// The effect of a key on a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyUse {
    /// Read and applied.
    Used,
    /// Changes no number, for this reason.
    Irrelevant(&'static str),
    /// Changes the measured number in a way that is not supported, unless the key has this value (as JSON).
    Refused(&'static str, Unsupported),
}

/// The unsupported feature that a key turns on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsupported {
    CrossAttention,
    RelativePositions,
    PrunedHeads,
    Quantized,
    EncoderDecoder,
    PerLayer,
    DistilBertDecoder,
    OtherScores,
    Steps,
}

impl Unsupported {
    /// Why it is unsupported, as a phrase after a colon.
    pub(super) fn reason(self) -> Phrase {
        match self {
            Unsupported::CrossAttention => phrase!(
                "why_cross_attention",
                "its blocks also attend to the outputs of an encoder, which a text alone does not give"
            ),
            Unsupported::RelativePositions => phrase!(
                "why_relative_positions",
                "positions enter the scores of attention, and only positions that are added to the tokens are read"
            ),
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
            Unsupported::OtherScores => {
                phrase!("why_other_scores", "a model of `lipscope train` divides its scores by sqrt(k) alone")
            }
        }
    }
}

/// The effect of a key in a config of this kind; `None` for a key that no such config has.
pub(super) fn key_use(kind: ConfigKind, name: &str) -> Option<KeyUse> {
    let own = match kind {
        ConfigKind::Bert => &BERT[..],
        ConfigKind::DistilBert => &DISTILBERT,
        ConfigKind::Gpt2 => &GPT2,
        ConfigKind::Lipscope => &LIPSCOPE,
    };
    let shared = if kind == ConfigKind::Lipscope { &GPT2[..] } else { &[] };
    let all = own.iter().chain(shared).chain(&COMMON);
    all.into_iter().find(|(known, _)| *known == name).map(|(_, used)| *used)
}

use KeyUse::{Irrelevant, Refused, Used};

const TRAINING: KeyUse = Irrelevant("only training");
const GENERATING: KeyUse = Irrelevant("only how texts are generated from the output");
const HEAD: KeyUse = Irrelevant("only what comes after the last block");
const RETURNED: KeyUse = Irrelevant("only which results transformers returns");
const STORAGE: KeyUse = Irrelevant("only how transformers holds or computes the same numbers");
const NAME: KeyUse = Irrelevant("only a name or a note");
const TOKEN_ID: KeyUse = Irrelevant("only which id a special token has; the tokenizer's files say so");

/// Keys of every config.
const COMMON: [(&str, KeyUse); 78] = [
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

const BERT: [(&str, KeyUse); 18] = [
    ("hidden_size", Used),
    ("num_hidden_layers", Used),
    ("num_attention_heads", Used),
    ("intermediate_size", Used),
    ("hidden_act", Used),
    ("max_position_embeddings", Used),
    ("type_vocab_size", Used),
    ("layer_norm_eps", Used),
    ("is_decoder", Used),
    ("hidden_dropout_prob", TRAINING),
    ("attention_probs_dropout_prob", TRAINING),
    ("classifier_dropout", TRAINING),
    ("directionality", Irrelevant("a word of Google's first files, which no program reads")),
    ("pooler_fc_size", HEAD),
    ("pooler_num_attention_heads", HEAD),
    ("pooler_num_fc_layers", HEAD),
    ("pooler_size_per_head", HEAD),
    ("pooler_type", HEAD),
];

const DISTILBERT: [(&str, KeyUse); 16] = [
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

const GPT2: [(&str, KeyUse); 26] = [
    ("n_embd", Used),
    ("hidden_size", Used),
    ("n_layer", Used),
    ("num_hidden_layers", Used),
    ("n_head", Used),
    ("num_attention_heads", Used),
    ("n_inner", Used),
    ("n_positions", Used),
    ("max_position_embeddings", Used),
    ("activation_function", Used),
    ("layer_norm_epsilon", Used),
    ("scale_attn_weights", Used),
    ("scale_attn_by_inverse_layer_idx", Used),
    ("reorder_and_upcast_attn", Irrelevant("the same scores, rounded at another place")),
    ("n_ctx", Irrelevant("an old name for the size of the causal mask")),
    ("is_decoder", Irrelevant("GPT-2 is causal either way")),
    ("lipscope", Irrelevant("how `lipscope train` trained the model")),
    ("resid_pdrop", TRAINING),
    ("embd_pdrop", TRAINING),
    ("attn_pdrop", TRAINING),
    ("summary_type", HEAD),
    ("summary_use_proj", HEAD),
    ("summary_activation", HEAD),
    ("summary_proj_to_labels", HEAD),
    ("summary_first_dropout", HEAD),
    ("predict_special_tokens", HEAD),
];

const LIPSCOPE: [(&str, KeyUse); 6] = [
    ("attention", Used),
    ("score", Refused("{}", Unsupported::Steps)),
    ("weighting", Refused(r#"{"kind":"softmax"}"#, Unsupported::Steps)),
    ("layer_norms", Used),
    ("scale_attn_weights", Refused("true", Unsupported::OtherScores)),
    ("scale_attn_by_inverse_layer_idx", Refused("false", Unsupported::OtherScores)),
];

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const KINDS: [(&str, ConfigKind); 3] =
        [("bert", ConfigKind::Bert), ("distilbert", ConfigKind::DistilBert), ("gpt2", ConfigKind::Gpt2)];

    #[test]
    fn every_key_of_the_configs_of_transformers_is_used_irrelevant_or_refused() {
        let kept: Value =
            serde_json::from_str(include_str!("../../../tests/data/models/config_keys.json")).expect("JSON");
        let mut count = 0;
        for version in kept.as_object().expect("versions").values() {
            for (family, kind) in KINDS {
                for (name, default) in version[family].as_object().expect("keys") {
                    count += 1;
                    match key_use(kind, name) {
                        None => panic!("`{name}` of {family} stands nowhere in this file"),
                        Some(Refused(accepted, _)) => {
                            let accepted: Value = serde_json::from_str(accepted).expect("JSON");
                            assert!(default.is_null() || accepted == *default, "{family}.{name}: {default}");
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        assert!(count > 300, "only {count} keys");
    }

    #[test]
    fn no_key_stands_twice_and_accepted_values_are_json() {
        for list in [&COMMON[..], &BERT, &DISTILBERT, &GPT2, &LIPSCOPE] {
            for (at, (name, used)) in list.iter().enumerate() {
                assert!(list[..at].iter().all(|(earlier, _)| earlier != name), "{name}");
                if let Refused(accepted, _) = used {
                    assert!(serde_json::from_str::<Value>(accepted).is_ok(), "{name}: {accepted}");
                }
            }
        }
    }
}
