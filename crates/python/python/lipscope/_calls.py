"""Calls of modules of PyTorch."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator, Sequence

import torch


def call(module: torch.nn.Module, inputs: Any, options: dict[str, Any]) -> Any:
    """Calls a module with a tensor, a tuple or a dict."""
    if isinstance(inputs, dict) or hasattr(inputs, "keys"):
        return module(**inputs, **options)
    return module(*inputs, **options) if isinstance(inputs, (tuple, list)) else module(inputs, **options)


@contextmanager
def evaluated(module: torch.nn.Module, handles: list[Any]) -> Iterator[None]:
    """Without dropout, gradients and fused layers; the hooks of `handles` are removed in the end."""
    was_training = {part: part.training for part in module.modules()}
    # Fused paths of evaluation skip the modules inside a layer, and with them their hooks.
    fast = torch.backends.mha.get_fastpath_enabled()
    try:
        torch.backends.mha.set_fastpath_enabled(False)
        module.eval()
        with torch.no_grad():
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
        for part, training in was_training.items():
            part.training = training
        for handle in handles:
            handle.remove()


def chosen(layers: Sequence[str] | None, known: list[str]) -> None:
    """Refuses names that are not those of layers."""
    unknown = [name for name in layers or [] if name not in known]
    if unknown:
        raise ValueError(f"`layers` names {unknown[0]!r}, but the layers are: {', '.join(map(repr, known))}.")
