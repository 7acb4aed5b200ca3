"""What modules of PyTorch keep beside their weights: a measurement leaves it as it was."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator

import torch
from torch.nn.modules.batchnorm import _NormBase
from torch.nn.modules.module import register_module_forward_pre_hook

#: The most entries of a buffer that is copied in a module in evaluation mode, whose buffers hardly ever change: weights that are
#: packed into whole numbers are buffers too.
_MOST_COPIED = 1_000_000


@contextmanager
def kept_buffers() -> Iterator[None]:
    """Restores, in the end, the buffers that modules change in place; batch norms that would change theirs are refused before
    they do.

    All modules that are called within are seen, also those that a function calls.

    Raises
    ------
    ValueError
        With the class of a batch norm in train mode.
    """
    seen: dict[torch.nn.Module, list[tuple[torch.Tensor, torch.Tensor]]] = {}

    def enter(module: torch.nn.Module, _: Any) -> None:
        if module not in seen:
            for name, part in module.named_modules():
                if part not in seen:
                    seen[part] = _copies(part)
        _refuse_statistics(module)

    hook = register_module_forward_pre_hook(enter)
    try:
        yield
    finally:
        hook.remove()
        with torch.no_grad():
            for buffer, before in (pair for pairs in seen.values() for pair in pairs):
                # One that was replaced by another keeps what it had. NaN differs from itself, and is written again.
                if not torch.equal(buffer, before):
                    buffer.copy_(before)


def _copies(module: torch.nn.Module) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The buffers of a module by itself, and what is in them."""
    most = float("inf") if getattr(module, "training", False) else _MOST_COPIED
    buffers = (buffer for buffer in module.buffers(recurse=False) if buffer.numel() <= most)
    # Those on "meta" have no numbers yet.
    dense = (buffer for buffer in buffers if buffer.layout == torch.strided and not buffer.is_meta)
    return [(buffer, buffer.detach().clone()) for buffer in dense]


def _refuse_statistics(module: torch.nn.Module) -> None:
    if isinstance(module, _NormBase) and module.training and module.track_running_stats and module.running_mean is not None:
        raise ValueError(
            f"`f` calls a {type(module).__name__} in train mode, which changes its running statistics in every call, so that `f` is "
            "another function each time. Call `.eval()` on its module."
        )
