//! Qwen 3 with experts in some or all layers.

use super::llama::KEYS as KEYS_OF_LLAMA;
use super::qwen3::QWEN3;
use crate::config::family::{
    DefaultSize, ExpertLayers, ExpertRule, ExpertTensors, Family, ShareRule, SizeKey, SizeKeys, UnitRule, WindowRule,
    size,
};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, RETURNED, TRAINING, Used};

pub(super) const QWEN3_MOE: Family = Family {
    model_type: "qwen3_moe",
    name: "Qwen 3 MoE",
    class: Some("Qwen3Moe"),
    experts: Some(ExpertRule {
        router: "mlp.gate",
        tensors: ExpertTensors::Apart { before: "mlp.experts", gate: "gate_proj", up: "up_proj", down: "down_proj" },
        count: size(&["num_experts", "num_local_experts"], 128),
        chosen: size(&["num_experts_per_tok"], 8),
        inner: size(&["moe_intermediate_size"], 768),
        shares: ShareRule::OfAllUnless("norm_topk_prob"),
        unit: UnitRule::Plain,
        layers: ExpertLayers::Listed,
    }),
    sizes: SizeKeys {
        d: size(&["hidden_size"], 2_048),
        layers: size(&["num_hidden_layers"], 24),
        key_heads: size(&["num_key_value_heads"], 4),
        head_dim: SizeKey { names: &["head_dim"], default: DefaultSize::WidthOfHead },
        inner: size(&["intermediate_size"], 6_144),
        ..QWEN3.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    window: WindowRule::IfUsedInAll(4_096),
    ..QWEN3
};

const KEYS: &[(&str, KeyUse)] = &[
    ("sliding_window", Used),
    ("use_sliding_window", Used),
    ("max_window_layers", Irrelevant("a word of Qwen 2, which Qwen 3 MoE does not read")),
    ("num_experts", Used),
    ("num_local_experts", Used),
    ("num_experts_per_tok", Used),
    ("moe_intermediate_size", Used),
    ("norm_topk_prob", Used),
    ("decoder_sparse_step", Used),
    ("mlp_only_layers", Used),
    ("output_router_logits", RETURNED),
    ("router_aux_loss_coef", TRAINING),
];
