"""The tokens of a call of attention, item by item without padding, and who attends to whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

#: How far a bias may be from a slope times distance, relative to its largest number.
_SLOPE_TOLERANCE = float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Item:
    """One item of a batch, without padding.

    Attributes
    ----------
    tokens : array (n, d)
        At the input of attention.
    kept : array (of the call's length,)
        Which tokens of the call these are.
    allowed : array (n, n)
        Whether token i attends to token j.
    bias : array (heads or 1, n, n) or None
        What is added to the scores, of each head or of all; zero where attention is forbidden.
    """

    tokens: np.ndarray
    kept: np.ndarray
    allowed: np.ndarray
    bias: np.ndarray | None = None

    def mask(self) -> str | dict[str, Any]:
        """The mask as an experiment has it."""
        allowed, n = self.allowed, len(self.tokens)
        later = np.arange(n)[None] - np.arange(n)[:, None]
        if allowed.all():
            return "none"
        if (allowed == (later <= 0)).all():
            return "causal"
        width = int(np.abs(later[allowed]).max(initial=0)) + 1
        if (allowed == ((later <= 0) & (later > -width))).all():
            return {"kind": "window", "width": width, "causal": True}
        if (allowed == (np.abs(later) < width)).all():
            return {"kind": "window", "width": width, "causal": False}
        return {"kind": "allowed", "rows": allowed.astype(int).tolist()}

    def score(self, head: int | None, sinks: np.ndarray | None) -> dict[str, Any]:
        """The bias as an experiment has it, of one head or of all. The sinks are those of the layer, where it has some."""
        if self.bias is None:
            return {}
        # One bias may be that of all heads, however many they are.
        is_of_all = len(self.bias) == 1
        bias = self.bias if head is None or is_of_all else self.bias[head : head + 1]
        if head is not None or not is_of_all:
            # A number for each row: softmax cancels it, unless the row has a sink besides.
            of_rows = lambda of_head: 0.0 if sinks is not None else np.diag(of_head)[:, None]
            slopes = [_slope(of_head - of_rows(of_head), self.allowed) for of_head in bias]
            if all(slope is not None for slope in slopes):
                return {"alibi": {"slopes": slopes}}
        if (bias == bias[:1]).all():
            return {"bias": bias[0].tolist()}
        raise ValueError('What is added to the scores differs from head to head. Measure each head with heads="each"')


def _slope(bias: np.ndarray, allowed: np.ndarray) -> float | None:
    """h with B_ij = -h |i - j|; None if there is none."""
    n = len(bias)
    relative = np.where(allowed, bias, 0.0)
    distance = np.where(allowed, np.abs(np.arange(n)[None] - np.arange(n)[:, None]), 0)
    if not allowed.diagonal().all() or not distance.any():
        return None
    slope = 0.0 - float((relative * distance).sum() / (distance.astype(float) ** 2).sum())
    is_close = np.abs(relative + slope * distance).max() <= _SLOPE_TOLERANCE * np.abs(relative).max()
    return slope if is_close and slope >= 0 else None


def masked_items(tokens: torch.Tensor, mask: Any, usual: np.ndarray, bias: np.ndarray | None = None) -> list[Item]:
    """The items of a call, given a mask of transformers: (batch, n), or (batch, heads or 1, n or 1, n), added or boolean.

    `usual` (n, n) is the mask that the module has without one, `bias` (batch or 1, heads, n, n) what else is added to scores.
    """
    count, n = tokens.shape[:2]
    allowed = np.broadcast_to(usual, (count, n, n))
    if mask is None:
        return items(tokens, allowed, allowed.any(1), bias)
    if not isinstance(mask, torch.Tensor) or mask.shape[-1] != n:
        raise ValueError(
            "has a mask that is no tensor over the tokens: keys that are kept from earlier calls, or a kernel's own"
        )
    if mask.dim() == 2:
        # 1 for tokens, 0 for padding.
        return items(tokens, allowed, numpy(mask) > 0, bias)
    # Here true allows attention; in torch.nn.MultiheadAttention true forbids it.
    of_mask, added = (numpy(mask), None) if mask.dtype == torch.bool else split(mask)
    allowed = allowed & same_for_heads(np.broadcast_to(of_mask, (count, of_mask.shape[1], n, n)))
    if added is not None:
        bias = added if bias is None else bias + added
    # A token to which no token attends is padding.
    return items(tokens, allowed, allowed.any(1), bias)


def items(tokens: torch.Tensor, allowed: np.ndarray, kept: np.ndarray, bias: np.ndarray | None) -> list[Item]:
    """For each item its tokens without padding, its mask, and what is added to its scores."""
    found = []
    count, n = tokens.shape[:2]
    if bias is not None:
        bias = np.broadcast_to(bias, (count, *bias.shape[1:2], n, n))
    for at, (of_item, may, real) in enumerate(zip(float64(tokens), allowed, kept)):
        if not real.any():
            raise ValueError(f"has an item (number {at}) of padding alone: leave it out of the batch")
        may = may[np.ix_(real, real)]
        if not may.any(1).all():
            raise ValueError("has a token that attends to no token")
        added = None if bias is None else np.where(may, bias[at][:, real][:, :, real], 0.0)
        found.append(Item(of_item[real], real, may, None if added is None or not added.any() else added))
    return found


def same_for_heads(by_head: np.ndarray) -> np.ndarray:
    """The one mask (batch, n, n) of all heads (batch, heads, n, n)."""
    if not (by_head == by_head[:, :1]).all():
        raise ValueError("has a mask that differs from head to head")
    return by_head[:, 0]


def split(mask: torch.Tensor) -> tuple[np.ndarray, np.ndarray | None]:
    """Where a mask that is added to scores allows attention, and what it adds there."""
    added = numpy(mask.to(torch.float64))
    # For a forbidden pair transformers adds the most negative number of the type.
    allowed = added > -1e4
    added = np.where(allowed, added, 0.0)
    return allowed, added if added.any() else None


def float64(tensor: torch.Tensor) -> np.ndarray:
    """The numbers of a tensor in float64."""
    return numpy(tensor.to(torch.float64))


def numpy(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy()
