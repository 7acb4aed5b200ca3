"""What calls of PyTorch's own attention must hold: said in sentences before PyTorch fails at it."""

from __future__ import annotations

import inspect
from typing import Any

import torch

#: Classes that take flags which only promise that a mask is causal.
_WITH_FLAGS = (
    torch.nn.MultiheadAttention,
    torch.nn.TransformerEncoderLayer,
    torch.nn.TransformerEncoder,
    torch.nn.TransformerDecoderLayer,
    torch.nn.TransformerDecoder,
    torch.nn.Transformer,
)
#: These flags, and the masks of which they speak: those of these names that the class has.
_FLAGS = {
    "is_causal": ("attn_mask", "src_mask", "mask"),
    "src_is_causal": ("src_mask",),
    "tgt_is_causal": ("tgt_mask",),
    "memory_is_causal": ("memory_mask",),
}


def tokens_thrice(module: torch.nn.Module, inputs: Any) -> Any:
    """The inputs of a module; for a `MultiheadAttention` by itself the tokens as query, key and value.

    Raises
    ------
    ValueError
        Where its keys or values are of other tokens, by their sizes.
    """
    if not isinstance(module, torch.nn.MultiheadAttention) or not isinstance(inputs, torch.Tensor):
        return inputs
    for name in ("kdim", "vdim"):
        size = getattr(module, name)
        if size != module.embed_dim:
            raise ValueError(
                f"`inputs` is one tensor, but the module has {name}={size} beside embed_dim={module.embed_dim}: its keys and values "
                "are of other tokens, which is cross-attention. Measure it as a function of its query by lipscope.torch.norm: "
                "lambda x: module(x, key, value, need_weights=False)[0]."
            )
    return inputs, inputs, inputs


def check_call(module: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Refuses arguments that modules of PyTorch do not take together.

    Raises
    ------
    TypeError, ValueError
        With the name of the argument, what it is, and what to give.
    """
    if not isinstance(module, _WITH_FLAGS) or not type(module).forward.__module__.startswith("torch.nn."):
        return
    signature = inspect.signature(module.forward)
    try:
        given = signature.bind_partial(*arguments, **options).arguments
    except TypeError:
        # Python's own sentence says which argument is unknown, or given twice.
        return
    _check_flags(signature, given)
    if isinstance(module, torch.nn.MultiheadAttention):
        _check_tokens(module, given)
        _check_masks(module, given)


def _check_flags(signature: inspect.Signature, given: dict[str, Any]) -> None:
    for flag, names in _FLAGS.items():
        masks = [name for name in names if name in signature.parameters]
        if masks and given.get(flag) and all(given.get(name) is None for name in masks):
            raise ValueError(
                f"`{flag}` is {given[flag]}, but without `{masks[0]}` it masks nothing: it only says that this mask is causal. Give "
                f"`{masks[0]}` too, such as torch.nn.Transformer.generate_square_subsequent_mask(n)."
            )


def _check_tokens(module: torch.nn.MultiheadAttention, given: dict[str, Any]) -> None:
    is_once = given.get("query") is given.get("key") is given.get("value")
    weights = next(module.parameters()).dtype
    for name, size in (("query", "embed_dim"), ("key", "kdim"), ("value", "vdim")):
        if name not in given:
            raise ValueError(f"`{name}` is missing. Give the tokens as one tensor, or query, key and value.")
        tokens, of = given[name], "inputs" if is_once else name
        if not isinstance(tokens, torch.Tensor):
            raise TypeError(f"`{of}` is a {type(tokens).__name__}, but it must be a tensor.")
        if tokens.dim() not in (2, 3) or tokens.shape[-1] != getattr(module, size):
            raise ValueError(
                f"`{of}` has shape {tuple(tokens.shape)}, but it must have shape (n, d) or, with a batch, three axes, and "
                f"d = {getattr(module, size)}, the module's {size}."
            )
        if tokens.dtype != weights and not torch.is_autocast_enabled(tokens.device.type):
            raise ValueError(
                f"`{of}` holds {tokens.dtype}, but the module's weights are {weights}. Convert it by `.to({weights})`, or the module."
            )


def _check_masks(module: torch.nn.MultiheadAttention, given: dict[str, Any]) -> None:
    query, key = given["query"], given["key"]
    is_whole = query.dim() == 2
    axis = 0 if is_whole or not module.batch_first else 1
    n, n_keys = query.shape[axis], key.shape[axis]
    batch = 1 if is_whole else query.shape[1 - axis]
    by_head = (batch * module.num_heads, n, n_keys)
    shapes = {
        "attn_mask": [(n, n_keys), by_head],
        "key_padding_mask": [(n_keys,) if is_whole else (batch, n_keys)],
    }
    for name, fitting in shapes.items():
        mask = given.get(name)
        if mask is None:
            continue
        if not isinstance(mask, torch.Tensor) or not (mask.dtype == torch.bool or mask.is_floating_point()):
            what = f"holds {mask.dtype}" if isinstance(mask, torch.Tensor) else f"is a {type(mask).__name__}"
            raise TypeError(
                f"`{name}` {what}, but it must be a tensor: boolean, true where attention is forbidden, or of floats that are added "
                "to the scores."
            )
        if tuple(mask.shape) not in fitting:
            words = " or ".join(str(shape) for shape in fitting)
            raise ValueError(f"`{name}` has shape {tuple(mask.shape)}, but it must have shape {words}.")
