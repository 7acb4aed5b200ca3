//! GPT-BigCode (SantaCoder, StarCoder): GPT-2 with matrices stored by outputs and one key and value for all heads.

use super::gpt2::{GPT2, KEYS as KEYS_OF_GPT2};
use crate::config::family::{Family, Initial, Layout, ProjectionNames};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Refused, STORAGE, SUMMARY, Unsupported, Used};

pub(super) const GPT_BIGCODE: Family = Family {
    model_type: "gpt_bigcode",
    name: "GPT-BigCode",
    class: Some("GPTBigCode"),
    projections: ProjectionNames::FusedByGroup("attn.c_attn"),
    layout: Layout::OutputsByInputs,
    multi_query: Some("multi_query"),
    initial: Initial::Plain,
    keys: &[KEYS, KEYS_OF_GPT2, SUMMARY, COMMON],
    ..GPT2
};

const KEYS: &[(&str, KeyUse)] = &[
    ("multi_query", Used),
    ("scale_attn_by_inverse_layer_idx", Refused("false", Unsupported::OtherScoresOfFamily)),
    ("num_key_value_heads", Irrelevant("it follows from multi_query")),
    ("attention_softmax_in_fp32", STORAGE),
    ("scale_attention_softmax_in_fp32", STORAGE),
    ("inference_runner", STORAGE),
    ("max_batch_size", STORAGE),
    ("max_sequence_length", STORAGE),
    ("pre_allocate_kv_cache", STORAGE),
    ("pad_key_length", STORAGE),
    ("validate_runner_input", STORAGE),
];
