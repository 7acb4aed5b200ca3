//! Mixtral: Mistral with experts, without a window unless the config has one.

use super::llama::{KEYS as KEYS_OF_LLAMA, ROPE};
use super::mistral::MISTRAL;
use crate::config::family::{
    ExpertLayers, ExpertRule, ExpertTensors, Family, RopeRule, ShareRule, SizeKeys, UnitRule, WindowRule, size,
};
use crate::config::keys::{COMMON, KeyUse, RETURNED, TRAINING, Used};

pub(super) const MIXTRAL: Family = Family {
    model_type: "mixtral",
    name: "Mixtral",
    class: Some("Mixtral"),
    experts: Some(ExpertRule {
        router: "block_sparse_moe.gate",
        tensors: ExpertTensors::Apart { before: "block_sparse_moe.experts", gate: "w1", up: "w3", down: "w2" },
        count: size(&["num_local_experts", "num_experts"], 8),
        chosen: size(&["num_experts_per_tok"], 2),
        inner: size(&["intermediate_size"], 14_336),
        shares: ShareRule::OfChosen,
        unit: UnitRule::Plain,
        layers: ExpertLayers::All,
    }),
    sizes: SizeKeys { eps: (&["rms_norm_eps"], 1e-5), ..MISTRAL.sizes },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    window: WindowRule::All(None),
    rope: Some(RopeRule { theta: (&["rope_theta"], 1e6), ..ROPE }),
    ..MISTRAL
};

const KEYS: &[(&str, KeyUse)] = &[
    ("sliding_window", Used),
    ("num_local_experts", Used),
    ("num_experts", Used),
    ("num_experts_per_tok", Used),
    ("output_router_logits", RETURNED),
    ("router_aux_loss_coef", TRAINING),
    ("router_jitter_noise", TRAINING),
];
