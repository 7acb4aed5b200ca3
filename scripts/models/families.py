"""The families that `compare_families.py` draws models of: classes, places of their modules, and hyperparameters.

A case is what it changes of the family's base; every case is a small model. They cover one group of keys and values and
as many groups as heads, an odd number of heads, heads narrower and wider than d/H, biases that are there or not, windows
shorter than a text, every kind of rotary positions, and every setting that changes a number.
"""

from collections.abc import Callable
from dataclasses import dataclass

from family_reference import Places

VOCABULARY = 64
N = 12  # Tokens of a text.


@dataclass
class Family:
    """How models of a `model_type` are drawn."""

    config: str
    # The base model first, then a model with an output layer.
    classes: list[str]
    places: Places | Callable
    base: dict
    cases: list[dict]
    has_gain_of_one: bool = False
    image: bool = False
    # Ids that stand for no word of a text.
    no_words: tuple = (0, 1, 2, 3)
    # The attention of transformers with these hyperparameters.
    attention: Callable = lambda case: "eager"
    # Options of the tool.
    options: tuple = ()
    # The config as older versions of transformers spell it, from the one of today; None where they cannot.
    old: Callable | None = None
    # The stack of layers in a model.
    stack: Callable = lambda model: model.base_model


def rope(kind, theta=1000.0, **more):
    """`rope_parameters` with a length of 32, within which angles turn fast and slowly."""
    length = {} if kind in ("default", "linear", "dynamic") else {"original_max_position_embeddings": 32}
    return {"rope_parameters": {"rope_type": kind, "rope_theta": theta, **length, **more}}


LINEAR = rope("linear", 500.0, factor=4.0)
DYNAMIC = rope("dynamic", factor=2.0)
LLAMA3 = rope("llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0)
YARN = rope("yarn", 100.0, factor=4.0, beta_fast=4.0, beta_slow=1.0)
YARN_EXACT = rope("yarn", 100.0, factor=6.0, beta_fast=8.0, beta_slow=0.5, truncate=False, attention_factor=1.3)
YARN_PLAIN = rope("yarn", 50.0, factor=2.0)


def old_rope(config):
    """`rope_theta` and `rope_scaling` in place of `rope_parameters`."""
    parameters = dict(config.pop("rope_parameters"))
    config["rope_theta"] = parameters.pop("rope_theta")
    if "partial_rotary_factor" in parameters:
        config["partial_rotary_factor"] = parameters.pop("partial_rotary_factor")
    if "original_max_position_embeddings" in config:
        parameters.pop("original_max_position_embeddings", None)
    is_plain = parameters == {"rope_type": "default"}
    config["rope_scaling"] = None if is_plain else parameters
    # The oldest name of `rope_type`.
    if parameters.get("rope_type") == "linear":
        parameters["type"] = parameters.pop("rope_type")
    return config


def old_gpt_oss(config):
    """Versions of transformers differ in what no scaling means in this family."""
    return old_rope(config) if config["rope_parameters"]["rope_type"] != "default" else None


def old_neox(config):
    config = old_rope(config)
    config["rotary_emb_base"], config["rotary_pct"] = config.pop("rope_theta"), config.pop("partial_rotary_factor")
    return config


def old_gemma3(config):
    by_layer = config.pop("rope_parameters")
    full, sliding = dict(by_layer["full_attention"]), by_layer["sliding_attention"]
    config["rope_theta"], config["rope_local_base_freq"] = full.pop("rope_theta"), sliding["rope_theta"]
    config["rope_scaling"] = None if full == {"rope_type": "default"} else full
    types = config.pop("layer_types")
    every = next((l + 1 for l, kind in enumerate(types) if kind == "full_attention"), len(types) + 1)
    config["sliding_window_pattern"] = every
    config.pop("_sliding_window_pattern", None)
    return config if types == [kind_of_layer((l + 1) % every != 0) for l in range(len(types))] else None


def kind_of_layer(has_window):
    return "sliding_attention" if has_window else "full_attention"


def old_modernbert(config):
    by_layer = config.pop("rope_parameters")
    config["global_rope_theta"] = by_layer["full_attention"]["rope_theta"]
    config["local_rope_theta"] = by_layer["sliding_attention"]["rope_theta"]
    types = config.pop("layer_types")
    every = next((l for l, kind in enumerate(types) if l and kind == "full_attention"), 99)
    config["global_attn_every_n_layers"] = every
    return config if types == [kind_of_layer(l % every != 0) for l in range(len(types))] else None


def by_layer(full, sliding=300.0):
    return {"rope_parameters": {
        "full_attention": full["rope_parameters"],
        "sliding_attention": {"rope_type": "default", "rope_theta": sliding},
    }}


def encoder_of(model):
    return model.get_encoder()


def stack_named(name):
    """The module of this class in a model with several stacks."""
    return lambda model: next(module for module in model.modules() if type(module).__name__ == name)


ALWAYS = lambda config: True
SIZES = dict(vocab_size=VOCABULARY, num_hidden_layers=2, max_position_embeddings=64)
IDS = dict(pad_token_id=0, bos_token_id=1, eos_token_id=2)


def encoder(**more):
    return dict(SIZES, **IDS, hidden_size=16, num_attention_heads=4, intermediate_size=20, **more)


def decoder(**more):
    return encoder(num_key_value_heads=2, **more)


BEFORE = Places("layers", "input_layernorm", "self_attn.o_proj", "mlp.down_proj")
BERT_CASES = [
    dict(),
    dict(num_attention_heads=3, hidden_size=18, hidden_act="gelu_new", layer_norm_eps=1e-3),
    dict(num_attention_heads=1, hidden_act="relu", type_vocab_size=1),
    dict(is_decoder=True, hidden_act="gelu_pytorch_tanh", num_hidden_layers=3),
]


def last(prefix=""):
    return Places(f"{prefix}encoder.layer", None, "attention.output.dense", "output.dense",
                  ("attention.output.LayerNorm", "output.LayerNorm"))


LLAMA_CASES = [
    dict(head_dim=6, **rope("default")),
    dict(hidden_size=18, num_attention_heads=3, num_key_value_heads=1, head_dim=4, attention_bias=True, **LINEAR),
    dict(hidden_size=18, num_attention_heads=3, num_key_value_heads=3, head_dim=10, hidden_act="gelu", **LLAMA3),
    dict(num_key_value_heads=1, rms_norm_eps=1e-2, hidden_act="relu", **DYNAMIC),
    dict(num_key_value_heads=4, head_dim=8, hidden_act="gelu_pytorch_tanh", **YARN),
    dict(num_attention_heads=8, num_key_value_heads=4, head_dim=12, tie_word_embeddings=True, **YARN_EXACT),
    dict(head_dim=16, **YARN_PLAIN),
]


def without(cases, *keys):
    return [{key: value for key, value in case.items() if key not in keys} for case in cases]


def renamed(cases, **names):
    return [{names.get(key, key): value for key, value in case.items()} for case in cases]


QWEN_WINDOWS = [
    dict(num_hidden_layers=3, use_sliding_window=True, sliding_window=4, max_window_layers=1, **rope("default")),
    dict(use_sliding_window=False, sliding_window=3, max_window_layers=0, **rope("default")),
]
GPT2_LIKE = dict(vocab_size=VOCABULARY, n_positions=64, n_embd=16, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2)
IMAGES = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=20, image_size=12, patch_size=4)
IMAGE_CASES = [
    dict(),
    dict(hidden_size=18, num_attention_heads=3, hidden_act="gelu_new", layer_norm_eps=1e-2, patch_size=3),
    dict(num_attention_heads=1, hidden_act="quick_gelu", patch_size=6),
]
VIT = Places("layers", "layernorm_before", "attention.o_proj", "mlp.fc2")
CLIP = Places("encoder.layers", "layer_norm1", "self_attn.out_proj", "mlp.fc2")

FAMILIES = {
    "bert": Family("BertConfig", ["BertModel", "BertForMaskedLM"], last(), encoder(type_vocab_size=2), BERT_CASES),
    "distilbert": Family(
        "DistilBertConfig", ["DistilBertModel", "DistilBertForMaskedLM"],
        Places("transformer.layer", None, "attention.out_lin", "ffn.lin2", ("sa_layer_norm", "output_layer_norm")),
        dict(vocab_size=VOCABULARY, max_position_embeddings=64, dim=16, n_layers=2, n_heads=4, hidden_dim=20, pad_token_id=0),
        [dict(), dict(dim=18, n_heads=3, activation="relu"), dict(n_heads=1, hidden_dim=40, n_layers=3)],
    ),
    "gpt2": Family(
        "GPT2Config", ["GPT2Model", "GPT2LMHeadModel"], Places("h", "ln_1", "attn.c_proj", "mlp.c_proj"), GPT2_LIKE,
        [
            dict(),
            dict(n_embd=18, n_head=3, n_inner=24, activation_function="relu", layer_norm_epsilon=1e-2),
            dict(n_head=1, scale_attn_weights=False),
            dict(n_layer=3, scale_attn_by_inverse_layer_idx=True, activation_function="gelu"),
        ],
    ),
    "roberta": Family(
        "RobertaConfig", ["RobertaModel", "RobertaForMaskedLM"], last(), encoder(type_vocab_size=1) | dict(pad_token_id=1),
        BERT_CASES + [dict(pad_token_id=3, type_vocab_size=2), dict(pad_token_id=0)],
    ),
    "xlm-roberta": Family(
        "XLMRobertaConfig", ["XLMRobertaModel", "XLMRobertaForMaskedLM"], last(),
        encoder(type_vocab_size=1) | dict(pad_token_id=1), BERT_CASES,
    ),
    "camembert": Family(
        "CamembertConfig", ["CamembertModel", "CamembertForMaskedLM"], last(),
        encoder(type_vocab_size=1) | dict(pad_token_id=1), BERT_CASES,
    ),
    "electra": Family(
        "ElectraConfig", ["ElectraModel", "ElectraForPreTraining"], last(), encoder(embedding_size=10),
        BERT_CASES + [dict(embedding_size=16), dict(embedding_size=24)],
    ),
    "albert": Family(
        "AlbertConfig", ["AlbertModel", "AlbertForMaskedLM"],
        Places("encoder.albert_layer_groups", None, "attention.dense", "ffn_output",
               ("attention.LayerNorm", "full_layer_layer_norm")),
        encoder(embedding_size=10),
        [
            dict(num_hidden_layers=3),
            dict(hidden_size=18, num_attention_heads=3, embedding_size=18, hidden_act="gelu", num_hidden_groups=2),
            dict(num_attention_heads=1, num_hidden_layers=5, num_hidden_groups=2, layer_norm_eps=1e-2),
        ],
    ),
    "mpnet": Family(
        "MPNetConfig", ["MPNetModel", "MPNetForMaskedLM"],
        Places("encoder.layer", None, "attention.attn.o", "output.dense", ("attention.LayerNorm", "output.LayerNorm")),
        encoder() | dict(pad_token_id=1),
        [
            dict(),
            dict(hidden_size=18, num_attention_heads=3, hidden_act="relu", layer_norm_eps=1e-2),
            # The module always has the buckets of 32; a longer table has rows that no pair of tokens reads.
            dict(num_attention_heads=1, relative_attention_num_buckets=48),
            dict(pad_token_id=3),
        ],
    ),
    "llama": Family("LlamaConfig", ["LlamaModel", "LlamaForCausalLM"], BEFORE, decoder(),
                    LLAMA_CASES + [dict(mlp_bias=True, attention_bias=True, **rope("default"))], old=old_rope),
    "mistral": Family(
        "MistralConfig", ["MistralModel", "MistralForCausalLM"], BEFORE, decoder(sliding_window=4),
        without(LLAMA_CASES, "attention_bias") + [dict(sliding_window=None, **rope("default")),
                                                  dict(sliding_window=1, **rope("default"))], old=old_rope,
    ),
    "qwen2": Family(
        "Qwen2Config", ["Qwen2Model", "Qwen2ForCausalLM"], BEFORE, decoder(),
        without(LLAMA_CASES, "attention_bias") + QWEN_WINDOWS, old=old_rope,
    ),
    "qwen3": Family("Qwen3Config", ["Qwen3Model", "Qwen3ForCausalLM"], BEFORE, decoder(), LLAMA_CASES[:3] + LLAMA_CASES[4:]
                    + [dict(head_dim=4, **case) for case in QWEN_WINDOWS], old=old_rope),
    "phi3": Family(
        "Phi3Config", ["Phi3Model", "Phi3ForCausalLM"], BEFORE, decoder(original_max_position_embeddings=64),
        [
            dict(rope("default")),
            dict(hidden_size=18, num_attention_heads=3, num_key_value_heads=1, sliding_window=4, **rope("default")),
            dict(num_attention_heads=2, sliding_window=None, rms_norm_eps=1e-2, **rope("default", partial_rotary_factor=0.75)),
            dict(max_position_embeddings=64, original_max_position_embeddings=32, **rope(
                "longrope", short_factor=[1.0, 1.5], long_factor=[2.0, 5.0])),
            dict(num_attention_heads=2, max_position_embeddings=64, original_max_position_embeddings=32, **rope(
                "longrope", short_factor=[1.0, 1.5, 3.0], long_factor=[2.0, 5.0, 9.0], partial_rotary_factor=0.75)),
            # Windows of more than 4 tokens have the other factors.
            dict(max_position_embeddings=64, original_max_position_embeddings=4, **rope(
                "longrope", short_factor=[1.0, 1.5], long_factor=[2.0, 5.0], original_max_position_embeddings=4)),
        ],
        old=old_rope,
    ),
    "olmo2": Family("Olmo2Config", ["Olmo2Model", "Olmo2ForCausalLM"], Places("layers", None, "self_attn.o_proj", "mlp.down_proj"),
                    decoder(), LLAMA_CASES, old=old_rope),
    "olmo": Family("OlmoConfig", ["OlmoModel", "OlmoForCausalLM"], BEFORE, decoder(), without(LLAMA_CASES, "rms_norm_eps"), old=old_rope),
    "smollm3": Family(
        "SmolLM3Config", ["SmolLM3Model", "SmolLM3ForCausalLM"], BEFORE, decoder(),
        [
            dict(num_hidden_layers=5, **rope("default")),
            dict(num_hidden_layers=3, no_rope_layers=[0, 1, 0], attention_bias=True, **LINEAR),
            dict(num_hidden_layers=3, no_rope_layer_interval=2, mlp_bias=True, hidden_size=18, num_attention_heads=3,
                 num_key_value_heads=1, **LLAMA3),
            dict(num_hidden_layers=4, use_sliding_window=True, sliding_window=4, no_rope_layer_interval=2, **YARN),
        ],
        old=old_rope,
    ),
    "granite": Family(
        "GraniteConfig", ["GraniteModel", "GraniteForCausalLM"], BEFORE, decoder(),
        [dict(attention_multiplier=0.3, embedding_multiplier=3.0, residual_multiplier=0.4, logits_scaling=5.0, **case)
         for case in LLAMA_CASES[:2]] + LLAMA_CASES[2:4] + [dict(attention_bias=True, mlp_bias=True, attention_multiplier=0.2)],
        old=old_rope,
    ),
    "gemma": Family(
        "GemmaConfig", ["GemmaModel", "GemmaForCausalLM"], BEFORE, decoder(head_dim=6),
        without(LLAMA_CASES, "hidden_act"), has_gain_of_one=True, old=old_rope,
    ),
    "gemma2": Family(
        "Gemma2Config", ["Gemma2Model", "Gemma2ForCausalLM"], BEFORE, decoder(head_dim=6, sliding_window=4),
        [
            dict(attn_logit_softcapping=2.0, query_pre_attn_scalar=9, **rope("default")),
            dict(hidden_size=18, num_attention_heads=3, num_key_value_heads=1, attn_logit_softcapping=None,
                 attention_bias=True, query_pre_attn_scalar=2, **LINEAR),
            dict(hidden_size=18, num_attention_heads=3, num_key_value_heads=3, query_pre_attn_scalar=1, head_dim=10,
                 num_hidden_layers=3, layer_types=["full_attention", "sliding_attention", "sliding_attention"], **LLAMA3),
            dict(attn_logit_softcapping=1.0, query_pre_attn_scalar=4, sliding_window=2, rms_norm_eps=1e-2, **YARN),
        ],
        has_gain_of_one=True, old=old_rope,
    ),
    "gemma3_text": Family(
        "Gemma3TextConfig", ["Gemma3TextModel", "Gemma3ForCausalLM"], BEFORE,
        decoder(head_dim=6, sliding_window=4, query_pre_attn_scalar=5),
        [
            dict(num_hidden_layers=3, layer_types=["sliding_attention", "full_attention", "sliding_attention"],
                 **by_layer(rope("default"))),
            dict(hidden_size=18, num_attention_heads=3, num_key_value_heads=1, attention_bias=True,
                 num_hidden_layers=6, **by_layer(LINEAR)),
            dict(hidden_size=18, num_attention_heads=3, num_key_value_heads=3, head_dim=10, rms_norm_eps=1e-2,
                 layer_types=["full_attention", "full_attention"], **by_layer(LLAMA3)),
            dict(layer_types=["full_attention", "sliding_attention"], **by_layer(YARN)),
        ],
        has_gain_of_one=True, old=old_gemma3,
    ),
    "gemma3": Family(
        "Gemma3Config", ["Gemma3ForConditionalGeneration", "Gemma3Model"], BEFORE,
        dict(vision_config=dict(IMAGES, model_type="siglip_vision_model"),
             text_config=decoder(head_dim=6, sliding_window=4, query_pre_attn_scalar=5)
             | dict(num_hidden_layers=3, layer_types=["sliding_attention", "full_attention", "sliding_attention"], **by_layer(LINEAR)),
             image_token_index=3, boi_token_index=1, eoi_token_index=2, mm_tokens_per_image=4),
        [dict(), dict()], has_gain_of_one=True, stack=stack_named("Gemma3TextModel"),
    ),
    "gpt_neox": Family(
        "GPTNeoXConfig", ["GPTNeoXModel", "GPTNeoXForCausalLM"],
        Places("layers", "input_layernorm", "attention.dense", "mlp.dense_4h_to_h", is_parallel=lambda c: c.use_parallel_residual),
        encoder(),
        [
            dict(hidden_size=32, **rope("default", partial_rotary_factor=0.25)),
            dict(hidden_size=18, num_attention_heads=3, use_parallel_residual=False, **rope(
                "linear", factor=4.0, partial_rotary_factor=1.0)),
            dict(hidden_size=24, num_attention_heads=3, attention_bias=False, hidden_act="gelu_new", layer_norm_eps=1e-2, **rope(
                "default", partial_rotary_factor=0.5)),
            dict(num_attention_heads=1, use_parallel_residual=False, attention_bias=False, **rope(
                "yarn", 100.0, factor=4.0, beta_fast=4.0, partial_rotary_factor=0.75)),
        ],
        old=old_neox,
    ),
    "gptj": Family(
        "GPTJConfig", ["GPTJModel", "GPTJForCausalLM"], Places("h", "ln_1", "attn.out_proj", "mlp.fc_out", is_parallel=ALWAYS),
        dict(GPT2_LIKE, rotary_dim=2),
        [
            dict(),
            dict(n_embd=24, n_head=3, rotary_dim=4, n_inner=20, activation_function="gelu", layer_norm_epsilon=1e-2),
            dict(n_embd=32, rotary_dim=8),
            dict(n_head=1, rotary_dim=6, activation_function="relu"),
        ],
    ),
    "phi": Family(
        "PhiConfig", ["PhiModel", "PhiForCausalLM"],
        Places("layers", "input_layernorm", "self_attn.dense", "mlp.fc2", is_parallel=ALWAYS), decoder(),
        [
            dict(rope("default", partial_rotary_factor=0.5)),
            dict(hidden_size=24, num_attention_heads=3, num_key_value_heads=1, **rope(
                "linear", factor=4.0, partial_rotary_factor=0.25)),
            dict(hidden_size=24, num_attention_heads=3, num_key_value_heads=3, hidden_act="relu", layer_norm_eps=1e-2, **rope(
                "default", partial_rotary_factor=1.0)),
            dict(num_key_value_heads=None, hidden_size=32, **rope(
                "llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, partial_rotary_factor=0.75)),
        ],
        old=old_rope,
    ),
    "falcon": Family(
        "FalconConfig", ["FalconModel", "FalconForCausalLM"],
        Places("h", ("input_layernorm", "ln_attn"), "self_attention.dense", "mlp.dense_4h_to_h",
               is_parallel=lambda c: c.new_decoder_architecture or c.parallel_attn),
        dict(SIZES, **IDS, hidden_size=16, num_attention_heads=4),
        [
            dict(rope("default")),
            dict(hidden_size=18, num_attention_heads=3, multi_query=False, bias=True, **LINEAR),
            dict(parallel_attn=False, bias=True, ffn_hidden_size=20, layer_norm_epsilon=1e-2, **rope("default")),
            dict(parallel_attn=False, multi_query=False, **rope("default")),
            dict(new_decoder_architecture=True, num_kv_heads=2, **rope("default")),
            dict(new_decoder_architecture=True, num_kv_heads=2, num_ln_in_parallel_attn=1, bias=True, **LLAMA3),
            dict(new_decoder_architecture=True, num_kv_heads=1, activation="relu", **rope("default")),
            dict(new_decoder_architecture=True, hidden_size=18, num_attention_heads=3, multi_query=False, **rope("default")),
            # The number of heads of keys and values is not read here.
            dict(num_kv_heads=4, **rope("default")),
            dict(alibi=True, bias=True),
            dict(alibi=True, hidden_size=24, num_attention_heads=6, multi_query=False, parallel_attn=False),
        ],
        # With the other the module adds the bias twice.
        attention=lambda case: "sdpa" if case.get("alibi") else "eager",
        old=old_rope,
    ),
    "stablelm": Family(
        "StableLmConfig", ["StableLmModel", "StableLmForCausalLM"],
        Places("layers", "input_layernorm", "self_attn.o_proj", "mlp.down_proj", is_parallel=lambda c: c.use_parallel_residual),
        decoder(),
        [
            dict(hidden_size=32, **rope("default", partial_rotary_factor=0.25)),
            dict(hidden_size=24, num_attention_heads=3, num_key_value_heads=1, use_qkv_bias=True, **rope(
                "linear", factor=4.0, partial_rotary_factor=0.5)),
            dict(num_key_value_heads=4, use_parallel_residual=True, hidden_act="gelu", layer_norm_eps=1e-2, **rope(
                "default", partial_rotary_factor=1.0)),
            dict(num_key_value_heads=1, use_parallel_residual=True, use_qkv_bias=True, **rope(
                "default", partial_rotary_factor=0.5)),
        ],
        old=old_rope,
    ),
    "cohere": Family(
        "CohereConfig", ["CohereModel", "CohereForCausalLM"],
        Places("layers", "input_layernorm", "self_attn.o_proj", "mlp.down_proj", is_parallel=ALWAYS), decoder(),
        renamed(LLAMA_CASES, rms_norm_eps="layer_norm_eps"), old=old_rope,
    ),
    "starcoder2": Family(
        "Starcoder2Config", ["Starcoder2Model", "Starcoder2ForCausalLM"],
        Places("layers", "input_layernorm", "self_attn.o_proj", "mlp.c_proj"), decoder(),
        renamed(without(LLAMA_CASES, "attention_bias"), rms_norm_eps="norm_epsilon")
        + [dict(sliding_window=4, use_bias=False, **rope("default")), dict(sliding_window=3, **rope("default"))], old=old_rope,
    ),
    "opt": Family(
        "OPTConfig", ["OPTModel", "OPTForCausalLM"],
        lambda config: Places("decoder.layers", "self_attn_layer_norm", "self_attn.out_proj", "fc2") if config.do_layer_norm_before
        else Places("decoder.layers", None, "self_attn.out_proj", "fc2", ("self_attn_layer_norm", "final_layer_norm")),
        dict(SIZES, **IDS, hidden_size=16, num_attention_heads=4, ffn_dim=20) | dict(pad_token_id=1, bos_token_id=2),
        [
            dict(),
            dict(hidden_size=18, num_attention_heads=3, word_embed_proj_dim=10, activation_function="gelu"),
            dict(num_attention_heads=1, enable_bias=False),
            dict(do_layer_norm_before=False, word_embed_proj_dim=24),
        ],
    ),
    "gpt_neo": Family(
        "GPTNeoConfig", ["GPTNeoModel", "GPTNeoForCausalLM"], Places("h", "ln_1", "attn.attention.out_proj", "mlp.c_proj"),
        dict(vocab_size=VOCABULARY, max_position_embeddings=64, hidden_size=16, num_layers=2, num_heads=4, window_size=4,
             attention_types=[[["global", "local"], 1]], bos_token_id=1, eos_token_id=2),
        [
            dict(),
            dict(hidden_size=18, num_heads=3, num_layers=3, attention_types=[[["local"], 2], [["global"], 1]], intermediate_size=20,
                 activation_function="relu", layer_norm_epsilon=1e-2),
            dict(num_heads=1, attention_types=[[["global"], 2]]),
        ],
    ),
    "gpt_bigcode": Family(
        "GPTBigCodeConfig", ["GPTBigCodeModel", "GPTBigCodeForCausalLM"], Places("h", "ln_1", "attn.c_proj", "mlp.c_proj"),
        GPT2_LIKE,
        [
            dict(),
            dict(n_embd=18, n_head=3, n_inner=20, activation_function="gelu", layer_norm_epsilon=1e-2),
            dict(multi_query=False),
            dict(scale_attn_weights=False, n_head=1),
        ],
    ),
    "modernbert": Family(
        "ModernBertConfig", ["ModernBertModel", "ModernBertForMaskedLM"], Places("layers", "attn_norm", "attn.Wo", "mlp.Wo"),
        dict(encoder(local_attention=6, cls_token_id=1, sep_token_id=2), num_hidden_layers=4),
        [
            dict(by_layer(rope("default"))),
            dict(hidden_size=18, num_attention_heads=3, attention_bias=True, mlp_bias=True, norm_bias=True, local_attention=5,
                 **by_layer(rope("default", 70.0), 20.0)),
            dict(num_attention_heads=1, hidden_activation="silu", norm_eps=1e-2, num_hidden_layers=3,
                 layer_types=["sliding_attention", "full_attention", "sliding_attention"], **by_layer(rope("default"))),
            dict(num_hidden_layers=3, layer_types=["full_attention", "sliding_attention", "full_attention"],
                 local_attention=2, **by_layer(rope("default"))),
        ],
        old=old_modernbert,
    ),
    "nomic_bert": Family(
        "NomicBertConfig", ["NomicBertModel", "NomicBertForMaskedLM"],
        Places("layers", None, "self_attn.o_proj", "mlp.down_proj", ("post_attention_layernorm", "post_mlp_layernorm")),
        encoder(),
        [
            dict(rope("default")),
            dict(hidden_size=18, num_attention_heads=3, layer_norm_eps=1e-2, type_vocab_size=1, **LINEAR),
            dict(num_attention_heads=1, hidden_act="gelu", **rope("default", 50.0)),
        ],
        old=old_rope,
    ),
    "t5": Family(
        "T5Config", ["T5EncoderModel", "T5ForConditionalGeneration"],
        Places("block", "layer.0.layer_norm", "layer.0.SelfAttention.o", "layer.1.DenseReluDense.wo"),
        dict(vocab_size=VOCABULARY, d_model=16, d_kv=6, d_ff=20, num_layers=2, num_heads=4, decoder_start_token_id=0),
        [
            dict(),
            dict(num_heads=3, d_kv=4, feed_forward_proj="gated-gelu", relative_attention_num_buckets=8,
                 relative_attention_max_distance=10),
            dict(num_heads=1, d_kv=20, feed_forward_proj="gated-silu", relative_attention_num_buckets=6,
                 relative_attention_max_distance=7, layer_norm_epsilon=1e-2, num_layers=3, num_decoder_layers=1),
            dict(feed_forward_proj="gelu", d_kv=4, relative_attention_num_buckets=10, relative_attention_max_distance=20),
        ],
        stack=encoder_of,
    ),
    "mt5": Family(
        "MT5Config", ["MT5EncoderModel", "MT5ForConditionalGeneration"],
        Places("block", "layer.0.layer_norm", "layer.0.SelfAttention.o", "layer.1.DenseReluDense.wo"),
        dict(vocab_size=VOCABULARY, d_model=16, d_kv=6, d_ff=20, num_layers=2, num_heads=4, decoder_start_token_id=0),
        [dict(), dict(num_heads=3, feed_forward_proj="relu")],
        stack=encoder_of,
    ),
    "bloom": Family(
        "BloomConfig", ["BloomModel", "BloomForCausalLM"], Places("h", "input_layernorm", "self_attention.dense", "mlp.dense_4h_to_h"),
        dict(vocab_size=VOCABULARY, hidden_size=16, n_layer=2, n_head=4, **IDS),
        [
            dict(),
            dict(hidden_size=18, n_head=3, layer_norm_epsilon=1e-2),
            dict(n_head=1, n_layer=3),
            dict(hidden_size=24, n_head=6, pretraining_tp=2),
            dict(hidden_size=24, n_head=12),
        ],
    ),
    "gpt_oss": Family(
        "GptOssConfig", ["GptOssModel", "GptOssForCausalLM"], Places("layers", "input_layernorm", "self_attn.o_proj", "mlp"),
        decoder(head_dim=6, sliding_window=4, num_local_experts=4, num_experts_per_tok=2),
        [
            dict(YARN_EXACT),
            dict(hidden_size=18, num_attention_heads=3, num_key_value_heads=1, head_dim=8, num_hidden_layers=3,
                 layer_types=["full_attention", "sliding_attention", "sliding_attention"], **rope("default")),
            dict(num_key_value_heads=4, attention_bias=False, num_experts_per_tok=1, rms_norm_eps=1e-2, **YARN),
            dict(num_experts_per_tok=4, swiglu_limit=0.5, **rope("default")),
            # Rotary positions by default: YaRN.
            dict(head_dim=16, max_position_embeddings=131072),
        ],
        old=old_gpt_oss,
    ),
    "mixtral": Family(
        "MixtralConfig", ["MixtralModel", "MixtralForCausalLM"], Places("layers", "input_layernorm", "self_attn.o_proj", "mlp"),
        decoder(num_local_experts=4, num_experts_per_tok=2),
        [
            dict(rope("default")),
            dict(hidden_size=18, num_attention_heads=3, num_key_value_heads=1, head_dim=4, sliding_window=4, hidden_act="gelu",
                 num_experts_per_tok=1, **LINEAR),
            dict(num_key_value_heads=4, head_dim=8, num_experts_per_tok=4, rms_norm_eps=1e-2, **LLAMA3),
        ],
        old=old_rope,
    ),
    "qwen3_moe": Family(
        "Qwen3MoeConfig", ["Qwen3MoeModel", "Qwen3MoeForCausalLM"],
        Places("layers", "input_layernorm", "self_attn.o_proj", ("mlp.down_proj", "mlp")),
        decoder(num_experts=4, num_experts_per_tok=2, moe_intermediate_size=12),
        [
            dict(rope("default")),
            dict(hidden_size=18, num_attention_heads=3, num_key_value_heads=1, head_dim=6, norm_topk_prob=True,
                 attention_bias=True, use_sliding_window=True, sliding_window=4, **LINEAR),
            dict(num_hidden_layers=4, decoder_sparse_step=2, mlp_only_layers=[3], head_dim=8, **rope("default")),
            dict(num_hidden_layers=2, mlp_only_layers=[0], num_key_value_heads=4, sliding_window=3, **rope("default")),
        ],
        old=old_rope,
    ),
    "vit": Family("ViTConfig", ["ViTModel", "ViTForImageClassification"], VIT, IMAGES, IMAGE_CASES + [dict(qkv_bias=False)], image=True),
    "deit": Family("DeiTConfig", ["DeiTModel", "DeiTForImageClassificationWithTeacher"], VIT, IMAGES,
                   IMAGE_CASES + [dict(qkv_bias=False)], image=True),
    "dinov2": Family(
        "Dinov2Config", ["Dinov2Model", "Dinov2ForImageClassification"],
        Places("encoder.layer", "norm1", "attention.o_proj", ("mlp.fc2", "mlp.down_proj")),
        {key: value for key, value in IMAGES.items() if key != "intermediate_size"},
        without(IMAGE_CASES, "intermediate_size") + [dict(mlp_ratio=2, qkv_bias=False), dict(use_swiglu_ffn=True)], image=True,
    ),
    "clip_vision_model": Family("CLIPVisionConfig", ["CLIPVisionModel", "CLIPVisionModelWithProjection"], CLIP,
                                dict(IMAGES, projection_dim=8), IMAGE_CASES, image=True),
    "siglip_vision_model": Family("SiglipVisionConfig", ["SiglipVisionModel"], CLIP, IMAGES,
                                  IMAGE_CASES + [dict(image_size=13)], image=True),
    "clip_text_model": Family(
        "CLIPTextConfig", ["CLIPTextModel", "CLIPTextModelWithProjection"], CLIP, encoder(projection_dim=8),
        [dict(), dict(hidden_size=18, num_attention_heads=3, hidden_act="gelu", layer_norm_eps=1e-2), dict(num_attention_heads=1)],
    ),
    "siglip_text_model": Family(
        "SiglipTextConfig", ["SiglipTextModel"], CLIP, encoder(projection_size=8),
        [dict(), dict(hidden_size=18, num_attention_heads=3, hidden_act="gelu", layer_norm_eps=1e-2), dict(num_attention_heads=1)],
    ),
    "clip-text": Family(
        "CLIPConfig", ["CLIPModel"], CLIP, dict(text_config=encoder(), vision_config=IMAGES, projection_dim=8), [dict()],
        options=("--part", "text"), stack=stack_named("CLIPTextModel"),
    ),
    "clip-vision": Family(
        "CLIPConfig", ["CLIPModel"], CLIP, dict(text_config=encoder(), vision_config=IMAGES, projection_dim=8), [dict()],
        image=True, options=("--part", "vision"), stack=stack_named("CLIPVisionModel"),
    ),
    "siglip-text": Family(
        "SiglipConfig", ["SiglipModel"], CLIP, dict(text_config=encoder(), vision_config=IMAGES), [dict()],
        options=("--part", "text"), stack=stack_named("SiglipTextModel"),
    ),
    "siglip-vision": Family(
        "SiglipConfig", ["SiglipModel"], CLIP, dict(text_config=encoder(), vision_config=IMAGES), [dict()],
        image=True, options=("--part", "vision"), stack=stack_named("SiglipVisionModel"),
    ),
}
