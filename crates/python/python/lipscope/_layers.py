"""Reads the self-attention of modules of PyTorch: weights, and what a call gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np
import torch


@dataclass(frozen=True)
class Weights:
    """The weights of a layer: Q, K and V of all heads, one below the other, biases, the output matrix."""

    count: int
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    q_bias: np.ndarray
    output: np.ndarray | None


#: Reads a layer's weights and the items of a call.
Reader = Callable[[Any, tuple[Any, ...], dict[str, Any]], tuple[Weights, list[tuple[np.ndarray, str]]]]


def reader_of(module: torch.nn.Module) -> Reader | None:
    """How the attention of a module is read, by its shape rather than by its type: transformers renames its classes."""
    if isinstance(module, torch.nn.MultiheadAttention):
        return _multihead
    has = lambda *names: all(isinstance(getattr(module, name, None), torch.nn.Module) for name in names)
    if has("query", "key", "value") and hasattr(module, "num_attention_heads"):
        return _bert
    if has("q_lin", "k_lin", "v_lin", "out_lin"):
        return _distilbert
    if has("c_attn", "c_proj") and hasattr(module, "num_heads"):
        return _gpt2
    return None


def _multihead(module: torch.nn.MultiheadAttention, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    names = (
        "query",
        "key",
        "value",
        "key_padding_mask",
        "need_weights",
        "attn_mask",
        "average_attn_weights",
        "is_causal",
    )
    given = {**dict(zip(names, arguments)), **options}
    query = given["query"]
    # Query, key and value may be views of one tensor.
    same = lambda other: other is query or (other.shape == query.shape and torch.equal(other, query))
    if not (same(given["key"]) and same(given["value"])):
        raise ValueError(
            "This is cross-attention: key and value are not the query. Only self-attention is an experiment."
        )
    if module.bias_k is not None or module.add_zero_attn:
        raise ValueError("add_bias_kv and add_zero_attn add keys that are no tokens. Use lipscope.torch.norm.")
    d = module.embed_dim
    if module.in_proj_weight is not None:
        q, k, v = float64(module.in_proj_weight).reshape(3, d, d)
    else:
        q, k, v = (float64(part) for part in (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight))
    bias = np.zeros(d) if module.in_proj_bias is None else float64(module.in_proj_bias)[:d]
    weights = Weights(module.num_heads, q, k, v, bias, float64(module.out_proj.weight))
    if query.dim() == 2:
        tokens = query[None]
    else:
        tokens = query if module.batch_first else query.transpose(0, 1)
    padding = given.get("key_padding_mask")
    padding = None if padding is None else padding.reshape(len(tokens), -1)
    mask = given.get("attn_mask")
    n = tokens.shape[1]
    kept = _kept(padding, len(tokens), n)
    if mask is None:
        # `is_causal` masks nothing by itself: it only promises that the given mask is causal.
        allowed = np.ones((len(tokens), n, n), bool)
    else:
        of_heads = _allowed(mask).reshape(-1, n, n)
        if of_heads.shape[0] not in (1, len(tokens) * module.num_heads):
            raise ValueError(f"`attn_mask` has shape {tuple(mask.shape)}, which fits neither the tokens nor the heads.")
        by_head = np.broadcast_to(of_heads, (len(tokens) * module.num_heads, n, n)).reshape(len(tokens), -1, n, n)
        if not (by_head == by_head[:, :1]).all():
            raise ValueError("`attn_mask` differs from head to head. Only one mask for all heads is an experiment.")
        allowed = by_head[:, 0]
    return weights, _items(tokens, allowed, kept)


def _bert(module: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    names = ("hidden_states", "attention_mask")
    given = {**dict(zip(names, arguments)), **options}
    if getattr(module, "position_embedding_type", None) not in (None, "absolute"):
        raise ValueError("Relative positions add to the scores what no experiment has. Use lipscope.torch.norm.")
    if given.get("encoder_hidden_states") is not None:
        raise ValueError("This is cross-attention. Only self-attention is an experiment.")
    weights = Weights(
        module.num_attention_heads, *(float64(part.weight) for part in (module.query, module.key, module.value)),
        _bias(module.query), None,
    )  # fmt: skip
    return weights, _masked_items(given["hidden_states"], given.get("attention_mask"))


def _distilbert(module: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    given = dict(options)
    tokens = given.get("hidden_states", given.get("query", arguments[0] if arguments else None))
    tensors = [argument for argument in arguments[1:] if isinstance(argument, torch.Tensor)]
    mask = given.get("attention_mask", given.get("mask", tensors[-1] if tensors else None))
    weights = Weights(
        module.n_heads, *(float64(part.weight) for part in (module.q_lin, module.k_lin, module.v_lin)),
        _bias(module.q_lin), float64(module.out_lin.weight),
    )  # fmt: skip
    return weights, _masked_items(tokens, mask)


def _gpt2(module: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    given = {**dict(zip(("hidden_states",), arguments)), **options}
    if given.get("encoder_hidden_states") is not None or getattr(module, "is_cross_attention", False):
        raise ValueError("This is cross-attention. Only self-attention is an experiment.")
    # What Conv1D calls weight is the transposed matrix.
    q, k, v = (np.ascontiguousarray(part) for part in np.split(float64(module.c_attn.weight).T, 3))
    scale = 1.0
    if not getattr(module, "scale_attn_weights", True):
        scale *= np.sqrt(q.shape[0] // module.num_heads)
    if getattr(module, "scale_attn_by_inverse_layer_idx", False):
        scale /= module.layer_idx + 1
    bias = np.split(float64(module.c_attn.bias), 3)[0]
    weights = Weights(module.num_heads, scale * q, k, v, scale * bias, float64(module.c_proj.weight).T.copy())
    return weights, _masked_items(given["hidden_states"], given.get("attention_mask"), "causal")


def _masked_items(tokens: torch.Tensor, mask: torch.Tensor | None, usual: str = "none") -> list[tuple[np.ndarray, str]]:
    """The items of a call, given a mask of transformers: (batch, n), or (batch, heads or 1, n or 1, n), added or boolean."""
    count, n = tokens.shape[:2]
    causal = np.tril(np.ones((n, n), bool))
    allowed = np.broadcast_to(causal if usual == "causal" else np.ones((n, n), bool), (count, n, n))
    if mask is not None and mask.dim() == 2:
        # 1 for tokens, 0 for padding.
        return _items(tokens, allowed, _numpy(mask) > 0)
    if mask is not None:
        # Here true allows attention; in torch.nn.MultiheadAttention true forbids it.
        of_mask = _numpy(mask) if mask.dtype == torch.bool else _allowed(mask)
        of_mask = np.broadcast_to(of_mask, (count, of_mask.shape[1], n, n))
        if not (of_mask == of_mask[:, :1]).all():
            raise ValueError("The mask differs from head to head. Only one mask for all heads is an experiment.")
        allowed = allowed & of_mask[:, 0]
    # A token to which no token attends is padding.
    return _items(tokens, allowed, allowed.any(1))


def _items(tokens: torch.Tensor, allowed: np.ndarray, kept: np.ndarray) -> list[tuple[np.ndarray, str]]:
    """For each item its tokens without padding, and the name of its mask."""
    found = []
    for of_item, may, real in zip(float64(tokens), allowed, kept):
        may = may[np.ix_(real, real)]
        if may.all():
            mask = "none"
        elif (may == np.tril(np.ones_like(may))).all():
            mask = "causal"
        else:
            raise ValueError(
                "The mask is neither causal nor padding alone: no experiment has it. Use lipscope.torch.norm."
            )
        found.append((of_item[real], mask))
    return found


def _kept(padding: torch.Tensor | None, count: int, n: int) -> np.ndarray:
    if padding is None:
        return np.ones((count, n), bool)
    return _allowed(padding)


def _allowed(mask: torch.Tensor) -> np.ndarray:
    """Where a mask of torch allows attention: false or 0 does, true or -inf does not."""
    if mask.dtype == torch.bool:
        return ~_numpy(mask)
    added = _numpy(mask.to(torch.float64))
    # For a forbidden pair transformers adds the most negative number of the type.
    forbidden = added <= -1e4
    if not ((added == 0) | forbidden).all():
        raise ValueError("The mask adds numbers to the scores: no experiment has that. Use lipscope.torch.norm.")
    return ~forbidden


def _bias(linear: Any) -> np.ndarray:
    return np.zeros(linear.weight.shape[0]) if linear.bias is None else float64(linear.bias)


def float64(tensor: torch.Tensor) -> np.ndarray:
    """The numbers of a tensor in float64."""
    return _numpy(tensor.to(torch.float64))


def _numpy(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy()
