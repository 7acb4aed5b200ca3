//! gpt-oss: Llama with sinks, a window in every other layer, and experts whose halves are cut off.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA, ROPE};
use crate::config::family::{
    DefaultSize, ExpertLayers, ExpertRule, ExpertTensors, Family, RopeRule, ShareRule, SizeKey, SizeKeys, UnitRule,
    WindowRule, size,
};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, RETURNED, TRAINING, Used};
use crate::config::rope::{Stretch, YarnBorder};

pub(super) const GPT_OSS: Family = Family {
    model_type: "gpt_oss",
    name: "gpt-oss",
    class: Some("GptOss"),
    sinks: Some("self_attn.sinks"),
    experts: Some(ExpertRule {
        router: "mlp.router",
        tensors: ExpertTensors::Stacked { gate_up: "mlp.experts.gate_up_proj", down: "mlp.experts.down_proj" },
        count: size(&["num_local_experts", "num_experts"], 128),
        chosen: size(&["num_experts_per_tok"], 4),
        inner: SizeKey { names: &["intermediate_size"], default: DefaultSize::Number(2_880) },
        shares: ShareRule::OfChosen,
        unit: UnitRule::Cut { alpha: ("swiglu_alpha", 1.702), limit: ("swiglu_limit", 7.0) },
        layers: ExpertLayers::All,
    }),
    sizes: SizeKeys {
        d: size(&["hidden_size"], 2_880),
        layers: size(&["num_hidden_layers"], 36),
        heads: size(&["num_attention_heads"], 64),
        key_heads: size(&["num_key_value_heads"], 8),
        head_dim: size(&["head_dim"], 64),
        inner: size(&["intermediate_size"], 2_880),
        vocabulary: size(&["vocab_size"], 201_088),
        positions: size(&["max_position_embeddings"], 131_072),
        eps: (&["rms_norm_eps"], 1e-5),
        ..LLAMA.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    window: WindowRule::Alternate(128),
    rope: Some(RopeRule { theta: (&["rope_theta"], 1.5e5), default: Some(YARN), ..ROPE }),
    ..LLAMA
};

/// Where the config says nothing of positions.
const YARN: Stretch = Stretch::Yarn {
    factor: 32.0,
    fast: 32.0,
    slow: 1.0,
    length: 4_096.0,
    border: YarnBorder::Exact,
    // 0.1 ln 32 + 1.
    attention: 1.346_573_590_279_972_7,
};

const KEYS: &[(&str, KeyUse)] = &[
    ("sliding_window", Used),
    ("layer_types", Used),
    ("num_local_experts", Used),
    ("num_experts", Used),
    ("num_experts_per_tok", Used),
    ("swiglu_alpha", Used),
    ("swiglu_limit", Used),
    ("quantization_config", Used),
    ("experts_per_token", Irrelevant("gpt-oss reads num_experts_per_tok")),
    ("initial_context_length", Irrelevant("gpt-oss reads original_max_position_embeddings")),
    ("hidden_act", Irrelevant("gpt-oss has a unit of its own")),
    ("output_router_logits", RETURNED),
    ("router_aux_loss_coef", TRAINING),
];
