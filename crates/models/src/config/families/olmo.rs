//! OLMo 1: Llama with layer norms that have neither gain nor shift.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA};
use crate::config::family::{Family, NormTensors, SizeKeys, size};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, Refused, Unsupported};
use lipscope_core::experiment::Normalization;

pub(super) const OLMO: Family = Family {
    model_type: "olmo",
    name: "OLMo",
    class: Some("Olmo"),
    normalization: Normalization::Layer,
    norm_tensors: NormTensors::None,
    sizes: SizeKeys { vocabulary: size(&["vocab_size"], 50_304), eps: (&[], 1e-5), ..LLAMA.sizes },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    ..LLAMA
};

const KEYS: &[(&str, KeyUse)] = &[
    ("clip_qkv", Refused("null", Unsupported::ClippedProjections)),
    ("rms_norm_eps", Irrelevant("OLMo's norm has an eps of 1e-5 whatever the config says")),
];
