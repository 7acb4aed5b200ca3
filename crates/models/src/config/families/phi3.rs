//! Phi 3 and 4: Llama with fused matrices and a window where the config has one.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA, ROPE};
use crate::config::family::{Family, MlpNames, ProjectionNames, RopeRule, RotaryDim, SizeKeys, WindowRule, size};
use crate::config::keys::{COMMON, KeyUse, TRAINING, Used};

pub(super) const PHI3: Family = Family {
    model_type: "phi3",
    name: "Phi 3",
    class: Some("Phi3"),
    projections: ProjectionNames::Fused("self_attn.qkv_proj"),
    mlp: MlpNames::GatedFused { gate_up: "mlp.gate_up_proj", down: "mlp.down_proj" },
    sizes: SizeKeys {
        d: size(&["hidden_size"], 3_072),
        inner: size(&["intermediate_size"], 8_192),
        vocabulary: size(&["vocab_size"], 32_064),
        positions: size(&["max_position_embeddings"], 4_096),
        eps: (&["rms_norm_eps"], 1e-5),
        ..LLAMA.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    window: WindowRule::All(None),
    rope: Some(RopeRule {
        rotary_dim: RotaryDim::Share("partial_rotary_factor", 1.0),
        first_length: Some(4_096.0),
        ..ROPE
    }),
    ..LLAMA
};

const KEYS: &[(&str, KeyUse)] = &[("sliding_window", Used), ("resid_pdrop", TRAINING), ("embd_pdrop", TRAINING)];
