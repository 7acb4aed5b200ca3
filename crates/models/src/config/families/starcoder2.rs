//! StarCoder 2: Llama with layer norms, biases and a plain MLP, and a window where the config has one.

use super::llama::{KEYS as KEYS_OF_LLAMA, LLAMA};
use crate::config::activation::Activation;
use crate::config::family::{Family, MlpNames, NormTensors, SizeKeys, WindowRule, size};
use crate::config::keys::{COMMON, Irrelevant, KeyUse, STORAGE, TRAINING, Used};
use lipscope_core::experiment::Normalization;

pub(super) const STARCODER2: Family = Family {
    model_type: "starcoder2",
    name: "StarCoder 2",
    class: Some("Starcoder2"),
    mlp: MlpNames::Plain { widen: "mlp.c_fc", narrow: "mlp.c_proj" },
    normalization: Normalization::Layer,
    norm_tensors: NormTensors::Both,
    sizes: SizeKeys {
        d: size(&["hidden_size"], 3_072),
        layers: size(&["num_hidden_layers"], 30),
        heads: size(&["num_attention_heads"], 24),
        key_heads: size(&["num_key_value_heads"], 2),
        inner: size(&["intermediate_size"], 12_288),
        vocabulary: size(&["vocab_size"], 49_152),
        positions: size(&["max_position_embeddings"], 4_096),
        eps: (&["norm_epsilon"], 1e-5),
        activation: (&["hidden_act"], Activation::GeluTanh),
        ..LLAMA.sizes
    },
    keys: &[KEYS, KEYS_OF_LLAMA, COMMON],
    window: WindowRule::All(None),
    ..LLAMA
};

const KEYS: &[(&str, KeyUse)] = &[
    ("norm_epsilon", Used),
    ("sliding_window", Used),
    ("use_bias", Irrelevant("the file has the biases, or has none")),
    ("activation_function", Irrelevant("StarCoder 2 reads hidden_act")),
    ("layer_norm_epsilon", Irrelevant("StarCoder 2 reads norm_epsilon")),
    ("mlp_type", Irrelevant("a word of the first files, which transformers does not read")),
    ("norm_type", Irrelevant("a word of the first files, which transformers does not read")),
    ("scale_attn_weights", Irrelevant("StarCoder 2 divides its scores by sqrt(k) whatever the config says")),
    ("attention_softmax_in_fp32", STORAGE),
    ("scale_attention_softmax_in_fp32", STORAGE),
    ("residual_dropout", TRAINING),
    ("embedding_dropout", TRAINING),
];
