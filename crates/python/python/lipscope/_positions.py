"""Rotary positions of a call of attention: which of an experiment's they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator

import numpy as np
import torch

from ._masks import float64

#: The base of modules that cannot be told another.
_USUAL_BASE = 1e4


@dataclass(frozen=True)
class Rope:
    """The first 2m of k entries turn in pairs, pair t at position p by p base^(-t/m)."""

    base: float
    pairs: int
    layout: str
    k: int
    #: Of cosines and sines in a call.
    order: str = "cosines_first"

    def score(self) -> dict[str, Any]:
        """As an experiment has it."""
        # The engine rounds fraction k/2 down: half a pair more keeps it from one too few.
        fraction = min(1.0, (2 * self.pairs + 0.5) / self.k)
        return {"rope": {"base": self.base, "fraction": fraction, "layout": self.layout}}

    def embeddings(self, given: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Cosines and sines in the form and the order of a call's, at the positions from 0."""
        turns = torch.from_numpy(_turns(self.base, self.pairs, np.arange(given[0].shape[-2])))
        if given[0].shape[-1] > self.pairs:
            turns = turns.repeat_interleave(2, -1) if self.layout == "interleaved" else torch.cat([turns, turns], -1)
        cos, sin = (part.expand(given[0].shape).to(given[0]) for part in (turns.real, turns.imag))
        return (sin, cos) if self.order == "sines_first" else (cos, sin)

    def turn(self, vectors: np.ndarray) -> np.ndarray:
        """Turns vectors (heads, n, k) at the positions 0 to n - 1."""
        r = 2 * self.pairs
        turns = _turns(self.base, self.pairs, np.arange(vectors.shape[1]))
        is_interleaved = self.layout == "interleaved"
        first = slice(0, r, 2) if is_interleaved else slice(0, r // 2)
        second = slice(1, r, 2) if is_interleaved else slice(r // 2, r)
        turned = vectors.copy()
        z = (vectors[..., first] + 1j * vectors[..., second]) * turns
        turned[..., first], turned[..., second] = z.real, z.imag
        return turned


def rope_of(module: Any, layout: str, given: dict[str, Any], kept: list[np.ndarray], k: int) -> Rope:
    """The rotary positions of a call, in which the items keep some of its tokens.

    The base is that of the config, and the turns of the call must be those of the formula: no other positions, no scaling,
    no factor.
    """
    turns, precision = _of_call(module, layout, given)
    pairs = turns.shape[-1]
    turns = np.broadcast_to(turns, (len(kept), *turns.shape[1:]))
    # A table of sines that comes first has this base, whatever the config says.
    has_base = given.get("position_embeddings") is not None and layout != "sines_first"
    for base in _bases(getattr(module, "config", None)) if has_base else [_USUAL_BASE]:
        if all(_is_close(turns[item, real], base, precision) for item, real in enumerate(kept)):
            order = "sines_first" if layout == "sines_first" else "cosines_first"
            return Rope(base, pairs, "interleaved" if layout in ("interleaved", "sines_first") else "half", k, order)
    raise ValueError("has rotary positions that are scaled or not one after another")


def _of_call(module: Any, layout: str, given: dict[str, Any]) -> tuple[np.ndarray, float]:
    """e^(i angle) (batch or 1, n, pairs) as the call has it, and the rounding of one entry."""
    embeddings = given.get("position_embeddings")
    if embeddings is not None:
        cos, sin = reversed(embeddings) if layout == "sines_first" else embeddings
        rounding = torch.finfo(cos.dtype).eps
        if layout == "half":
            cos, sin = (part[..., : part.shape[-1] // 2] for part in (cos, sin))
        elif layout == "interleaved":
            cos, sin = cos[..., ::2], sin[..., ::2]
        return float64(cos) + 1j * float64(sin), rounding
    table, positions = getattr(module, "embed_positions", None), given.get("position_ids")
    if table is None or positions is None:
        raise ValueError("has rotary positions, but its call has none")
    sin, cos = np.split(float64(table[positions.to(table.device)]), 2, axis=-1)
    return cos + 1j * sin, torch.finfo(table.dtype).eps


def _is_close(turns: np.ndarray, base: float, rounding: float) -> bool:
    """Whether neighbours differ by one position. The angles themselves are rounded to float32 before their cosine is taken."""
    n = len(turns)
    expected = turns[:1] * _turns(base, turns.shape[-1], np.arange(n))
    return bool(np.abs(turns - expected).max(initial=0.0) <= 2 * rounding + 1e-6 * n)


def _turns(base: float, pairs: int, positions: np.ndarray) -> np.ndarray:
    return np.exp(1j * positions[:, None] * base ** (-np.arange(pairs) / pairs))


def _bases(config: Any) -> Iterator[float]:
    """The bases that a config names for positions that are not scaled."""
    named = getattr(config, "rope_parameters", None) or {}
    of_kinds = [kind for kind in named.values() if isinstance(kind, dict)] or [named]
    # Older versions of transformers.
    scaling = getattr(config, "rope_scaling", None) or {}
    for kind in of_kinds:
        if kind.get("rope_type", "default") in ("default", "dynamic") and "rope_theta" in kind:
            yield float(kind["rope_theta"])
    if scaling.get("rope_type", scaling.get("type", "default")) in ("default", "dynamic"):
        for name in ("rope_theta", "rotary_emb_base", "rope_local_base_freq", "local_rope_theta", "global_rope_theta"):
            if getattr(config, name, None) is not None:
                yield float(getattr(config, name))
