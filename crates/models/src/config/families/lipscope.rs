//! A model of `lipscope train` that is no GPT-2: one with its own kind of attention, and with layer norms that may be
//! absent.

use super::gpt2::{GPT2, KEYS as KEYS_OF_GPT2};
use crate::config::family::{Family, ScoreRule};
use crate::config::keys::{COMMON, KeyUse, Refused, SUMMARY, Unsupported, Used};

pub(super) const LIPSCOPE: Family = Family {
    model_type: "lipscope",
    class: None,
    keys: &[KEYS, KEYS_OF_GPT2, SUMMARY, COMMON],
    scores: ScoreRule::Lipscope,
    ..GPT2
};

const KEYS: &[(&str, KeyUse)] = &[
    ("attention", Used),
    ("score", Refused("{}", Unsupported::Steps)),
    ("weighting", Refused(r#"{"kind":"softmax"}"#, Unsupported::Steps)),
    ("layer_norms", Used),
    ("scale_attn_weights", Refused("true", Unsupported::OtherScores)),
    ("scale_attn_by_inverse_layer_idx", Refused("false", Unsupported::OtherScores)),
];
