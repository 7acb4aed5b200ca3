"""What differs between the self-attentions of transformers, as a table: a row for each class of module.

Sizes, score factors, caps, windows, sinks and gains are read from the module and from its call; a row says where they are.
The families are those of `lipscope model --families`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Family:
    """Where a class of modules has what. Names are those of attributes of the module of attention.

    Attributes
    ----------
    projections : tuple of str
        Queries, keys and values, or one matrix that has all of them.
    fused : {"stacked", "grouped"}
        How the rows of one matrix are ordered: all queries, keys, values; or group by group of heads that share a key.
    output : str or None
        The output matrix; None where the layer has it, at `dense`.
    norms : tuple of str
        The norms of queries and of keys, each head by itself.
    gain_base : float
        Added to the gains of these norms.
    wide : str
        Why no experiment has what these modules do; empty if one has.
    rope : {"", "half", "interleaved", "pairs", "sines_first"}
        The pairs that rotary positions rotate. "pairs" are those of "half", with one cosine a pair. "sines_first" are those of
        "interleaved", with one sine and one cosine a pair, in this order.
    rope_if : str
        A switch: without it the layer has no positions.
    scale : float or None
        The factor of scores; None where the module says it, or has the usual one.
    softcap, sinks : str
        The cap and the sinks.
    bias : {"", "alibi", "position_bias"}
        The argument that is added to scores.
    own_mask : str
        A mask that the module has itself.
    more : tuple of str
        Other parts that are no part of the map of the heads.
    dense : str
        The path from the layer to the output matrix, where the module of attention has none.
    down : tuple of str
        Paths from the layer to what ends the MLP; a layer has one of them.
    last : tuple of str
        Paths from the layer to the norms of the two sums, where it has them.
    """

    projections: tuple[str, ...]
    output: str | None
    down: tuple[str, ...]
    fused: str = "stacked"
    norms: tuple[str, ...] = ()
    gain_base: float = 0.0
    wide: str = ""
    rope: str = ""
    rope_if: str = ""
    scale: float | None = None
    softcap: str = ""
    sinks: str = ""
    bias: str = ""
    own_mask: str = ""
    more: tuple[str, ...] = ()
    dense: str = ""
    last: tuple[str, ...] = ()


_APART = ("q_proj", "k_proj", "v_proj")
_BERT = Family(
    ("query", "key", "value"), None, ("output.dense",), dense="attention.output.dense",
    last=("attention.output.LayerNorm", "output.LayerNorm"),
)  # fmt: skip
_LLAMA = Family(_APART, "o_proj", ("mlp",), rope="half")
_GEMMA2 = replace(_LLAMA, softcap="attn_logit_softcapping")
_NORMED = replace(_LLAMA, norms=("q_norm", "k_norm"))
_GPT2 = Family(("c_attn",), "c_proj", ("mlp",))
_PICTURES = Family(_APART, "o_proj", ("mlp",))
_CLIP = Family(_APART, "out_proj", ("mlp",))
_T5 = Family(("q", "k", "v"), "o", ("layer.1.DenseReluDense",), bias="position_bias", more=("relative_attention_bias",))

FAMILIES: dict[str, Family] = {
    "BertSelfAttention": _BERT,
    "RobertaSelfAttention": _BERT,
    "XLMRobertaSelfAttention": _BERT,
    "CamembertSelfAttention": _BERT,
    "ElectraSelfAttention": _BERT,
    "AlbertAttention": Family(
        ("query", "key", "value"),
        "dense",
        ("albert_layers.0.ffn_output",),
        more=("LayerNorm",),
        last=("albert_layers.0.attention.LayerNorm", "albert_layers.0.full_layer_layer_norm"),
    ),
    "MPNetSelfAttention": Family(
        ("q", "k", "v"), "o", ("output.dense",), bias="position_bias", last=("attention.LayerNorm", "output.LayerNorm")
    ),
    "DistilBertSelfAttention": Family(
        ("q_lin", "k_lin", "v_lin"), "out_lin", ("ffn",), last=("sa_layer_norm", "output_layer_norm")
    ),
    "ModernBertAttention": Family(("Wqkv",), "Wo", ("mlp",), rope="half"),
    "NomicBertAttention": replace(_LLAMA, last=("post_attention_layernorm", "post_mlp_layernorm")),
    "T5Attention": _T5,
    "MT5Attention": _T5,
    "ViTAttention": _PICTURES,
    "DeiTAttention": _PICTURES,
    "Dinov2Attention": _PICTURES,
    "CLIPAttention": _CLIP,
    "SiglipAttention": _CLIP,
    "GPT2Attention": _GPT2,
    "GPTBigCodeAttention": replace(_GPT2, fused="grouped"),
    "GPTNeoSelfAttention": Family(_APART, "out_proj", ("mlp",), scale=1.0, own_mask="bias"),
    "GPTJAttention": Family(_APART, "out_proj", ("mlp",), rope="sines_first"),
    "GPTNeoXAttention": Family(("query_key_value",), "dense", ("mlp",), fused="grouped", rope="half"),
    "BloomAttention": Family(("query_key_value",), "dense", ("mlp.dense_4h_to_h",), fused="grouped", bias="alibi"),
    # With ALiBi the mask of the call has the bias.
    "FalconAttention": Family(("query_key_value",), "dense", ("mlp",), fused="grouped", rope="half"),
    "OPTAttention": Family(_APART, "out_proj", ("fc2",)),
    "OPTAttention, norm last": Family(_APART, "out_proj", ("fc2",), last=("self_attn_layer_norm", "final_layer_norm")),
    "LlamaAttention": _LLAMA,
    "MistralAttention": _LLAMA,
    "MixtralAttention": _LLAMA,
    "Qwen2Attention": _LLAMA,
    "Qwen3Attention": _NORMED,
    "Qwen3MoeAttention": _NORMED,
    "OlmoAttention": _LLAMA,
    "Olmo2Attention": replace(_NORMED, wide="a norm of all queries together"),
    "SmolLM3Attention": replace(_LLAMA, rope_if="use_rope"),
    "GraniteAttention": _LLAMA,
    "StableLmAttention": _LLAMA,
    "Starcoder2Attention": _LLAMA,
    "CohereAttention": replace(_LLAMA, rope="interleaved"),
    "PhiAttention": replace(_LLAMA, output="dense"),
    "Phi3Attention": replace(_LLAMA, projections=("qkv_proj",)),
    "GemmaAttention": _LLAMA,
    "Gemma2Attention": _GEMMA2,
    "Gemma3Attention": replace(_GEMMA2, norms=("q_norm", "k_norm"), gain_base=1.0),
    "GptOssAttention": replace(_LLAMA, rope="pairs", sinks="sinks"),
}


#: Rows of modules of other classes that have the same parts: many are called after their model.
_BY_PARTS = (_BERT, FAMILIES["DistilBertSelfAttention"], _GPT2)


def name_of(module: Any) -> str | None:
    """The name of a module's class, or of the first class that it is made of, that the table has."""
    return next((kind.__name__ for kind in type(module).__mro__ if kind.__name__ in FAMILIES), None)


def family_of(module: Any) -> Family | None:
    """The row of a module's class, or of the first class that it is made of, or of one with its parts."""
    name = name_of(module)
    if name is None:
        has_heads = any(hasattr(module, count) for count in ("num_attention_heads", "n_heads", "num_heads"))
        parts = {part for part, _ in module.named_children()}
        needed = lambda family: {*family.projections, family.output} - {None}
        return next((family for family in _BY_PARTS if has_heads and needed(family) <= parts), None)
    # The one class whose layer the config turns round.
    is_last = name == "OPTAttention" and not getattr(module.config, "do_layer_norm_before", True)
    return FAMILIES["OPTAttention, norm last" if is_last else name]
