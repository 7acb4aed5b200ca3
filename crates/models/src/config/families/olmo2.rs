//! OLMo 2: Llama with norms after attention and after the MLP, and a norm of all queries and of all keys.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA};
use crate::config::family::{Family, NormScope, QkNormNames, SizeKeys, size};
use crate::config::keys::COMMON;
use crate::config::residual::Residual;

pub(super) const OLMO2: Family = Family {
    model_type: "olmo2",
    name: "OLMo 2",
    class: Some("Olmo2"),
    qk_norm: Some(QkNormNames { query: "self_attn.q_norm", key: "self_attn.k_norm", scope: NormScope::AllHeads }),
    attention_norms: Residual::Branch { before: None, after: Some("post_attention_layernorm") },
    mlp_norms: Residual::Branch { before: None, after: Some("post_feedforward_layernorm") },
    sizes: SizeKeys { vocabulary: size(&["vocab_size"], 50_304), eps: (&["rms_norm_eps"], 1e-5), ..LLAMA.sizes },
    keys: &[KEYS_OF_LLAMA, COMMON],
    ..LLAMA
};
