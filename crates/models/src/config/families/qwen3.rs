//! Qwen 3: Qwen 2 with an RMS norm of every query and key, and heads of 128 entries whatever the width.

use super::llama::KEYS as KEYS_OF_LLAMA;
use super::qwen2::{KEYS, QWEN2};
use crate::config::family::{Family, NormScope, QkNormNames, SizeKeys, size};
use crate::config::keys::COMMON;

pub(super) const QWEN3: Family = Family {
    model_type: "qwen3",
    name: "Qwen 3",
    class: Some("Qwen3"),
    qk_norm: Some(QkNormNames { query: "self_attn.q_norm", key: "self_attn.k_norm", scope: NormScope::Head }),
    sizes: SizeKeys { head_dim: size(&["head_dim"], 128), ..QWEN2.sizes },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    ..QWEN2
};
