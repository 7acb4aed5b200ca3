"""What the scores of attention are like in a call of a model: caught where scores become weights."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Callable, Iterator

import torch
import torch.nn.functional as F

from ._closed import FUSED, FusedCall, Replaced
from ._families import family_of


@dataclass(frozen=True)
class Statistics:
    """The numbers of the heads (items, heads), or (items of heads,), of one call of attention.

    Attributes
    ----------
    max_logit : tensor
        The largest score that a query sees; NaN where the module shifts its scores before softmax, as gpt-oss does.
    entropy_mean, entropy_min : tensor
        The mean and the least entropy of the rows of weights, over the logarithm of the number of tokens that a row sees; rows
        that see one token are left out. Beside a sink the weights of a row are divided by their sum.
    sink : tensor
        The largest sum of a column of weights: the most attention that one token receives. A learned sink is no token.
    queries : int
        The number of rows of weights.
    """

    max_logit: torch.Tensor
    entropy_mean: torch.Tensor
    entropy_min: torch.Tensor
    sink: torch.Tensor
    queries: int

    #: The columns of a row, and how the heads are taken together.
    COLUMNS = {"max_logit": max, "entropy_mean": lambda heads: sum(heads) / len(heads), "entropy_min": min, "sink": max}

    def of_item(self, module: torch.nn.Module, item: int, items: int) -> dict[str, list[float]]:
        """The numbers of the heads at an item of so many. Empty where items and heads cannot be told apart: torch's own module and
        families have the items first, other code may have the heads first.
        """
        is_known = isinstance(module, torch.nn.MultiheadAttention) or family_of(module) is not None
        found = {}
        for name in self.COLUMNS:
            heads = getattr(self, name)
            # Without an axis of items their heads come one after the other.
            if heads.dim() == 1 and (is_known or items in (1, len(heads))) and len(heads) % items == 0:
                heads = heads.reshape(items, -1)
            is_clear = is_known or items == 1 or heads.shape[-1] != items or heads.dim() == 2 and heads.shape[1] == 1
            if heads.dim() != 2 or len(heads) != items or not is_clear:
                return {}
            found[name] = heads[item].tolist()
        return found


#: Where a score is at most this and its weight zero, the pair is forbidden: models add -1e9, -1e4 or the least number of a type.
_FORBIDDEN = -5e3


@dataclass
class _Sums:
    """The statistics of rows that come block by block."""

    max_logit: Any = None
    entropy: Any = 0.0
    least: Any = None
    rows: Any = 0.0
    columns: Any = 0.0

    queries: int = 0

    def add(self, scores: torch.Tensor, weights: torch.Tensor) -> None:
        """Scores and weights (.., rows, n) of some rows, without that of a sink. Minus infinity forbids a pair, and so does a large
        negative number whose weight is zero.
        """
        seen = (scores > torch.finfo(scores.dtype).min / 4) & ((scores > _FORBIDDEN) | (weights > 0))
        count = seen.sum(-1)
        largest = scores.masked_fill(~seen, float("-inf")).amax((-1, -2))
        # Of the weights of tokens among themselves: a sink takes a part of a row.
        shares = weights.double() / weights.double().sum(-1, keepdim=True).clamp(min=torch.finfo(torch.float64).tiny)
        entropy = torch.special.entr(shares).sum(-1) / count.clamp(min=2).log()
        is_row = count > 1
        entropy_of = entropy.masked_fill(~is_row, 0.0).sum(-1)
        least = entropy.masked_fill(~is_row, float("inf")).amin(-1)
        self.max_logit = largest if self.max_logit is None else torch.maximum(self.max_logit, largest)
        self.least = least if self.least is None else torch.minimum(self.least, least)
        self.entropy = self.entropy + entropy_of
        self.rows = self.rows + is_row.sum(-1)
        self.columns = self.columns + weights.double().sum(-2)
        self.queries += weights.shape[-2]

    def finish(self) -> Statistics:
        # Where every row sees one token there is no entropy: 0.
        least = torch.where(torch.isinf(self.least), torch.zeros_like(self.least), self.least)
        return Statistics(self.max_logit, self.entropy / self.rows.clamp(min=1), least, self.columns.amax(-1), self.queries)


class LayerScores:
    """What was caught in one call of a layer."""

    def __init__(self) -> None:
        #: The calls of attention that each module made; None where their statistics cannot be known.
        self._calls: dict[torch.nn.Module, list[Statistics | None]] = {}
        #: The modules that were called.
        self.called: set[torch.nn.Module] = set()
        #: What may be attention or not: that shows where it meets values.
        self._pending: list[tuple[torch.nn.Module, torch.Tensor, Statistics | None]] = []

    def add(self, module: torch.nn.Module, found: Statistics | None) -> None:
        """A call of attention that a module made."""
        self._calls.setdefault(module, []).append(found)

    def add_where_used(self, module: torch.nn.Module, weights: torch.Tensor, found: Statistics | None) -> None:
        """What becomes a call of attention once the weights are a factor of a matrix product."""
        self._pending.append((module, weights, found))

    def multiply(self, factor: Any) -> None:
        """A matrix product with this factor."""
        for at, (module, weights, found) in enumerate(self._pending):
            if isinstance(factor, torch.Tensor) and factor.data_ptr() == weights.data_ptr():
                del self._pending[at]
                # A last column that meets a value is no sink.
                return self.add(module, found if factor.shape[-1] == weights.shape[-2] else None)

    @property
    def modules(self) -> list[torch.nn.Module]:
        """The modules that made calls of attention."""
        return list(self._calls)

    def statistics(self, module: torch.nn.Module) -> Statistics | None:
        """Those of a module that made one call; None for several, such as one for each head or for a part of the rows."""
        calls = [call for part in module.modules() for call in self._calls.get(part, [])]
        return calls[0] if len(calls) == 1 else None


class ScoreWatch(Replaced):
    """While it is active, every call of attention is caught under the call of a layer that makes it."""

    def __init__(self) -> None:
        #: The modules that run, the innermost last.
        self._running: list[torch.nn.Module] = []
        #: The calls of layers that run, the innermost last.
        self._open: list[LayerScores] = []
        #: Those of each layer, in order.
        self.of: dict[torch.nn.Module, list[LayerScores]] = {}
        #: Whether a call is being caught: its own function may come here again, by its module's name and by the mode.
        self._is_inside = False
        super().__init__({"scaled_dot_product_attention": self._fused, "softmax": self._softmax(F.softmax)})
        self._of.update({f: self._softmax(f) for f in (torch.softmax, torch.Tensor.softmax)})
        products = (torch.matmul, torch.bmm, torch.einsum, torch.Tensor.matmul, torch.Tensor.bmm)
        self._of.update({f: self._product(f) for f in products})

    def hooks(self, layer: torch.nn.Module) -> list[Any]:
        """Hooks that say which module of a layer is running; the caller removes them."""
        handles = [layer.register_forward_pre_hook(self._begin)]
        for module in layer.modules():
            # Dropout and softmax are modules of their own in some models: what has no weights is a part of what calls it.
            if next(module.parameters(), None) is not None:
                handles.append(module.register_forward_pre_hook(self._enter))
                handles.append(module.register_forward_hook(self._leave, always_call=True))
        return [*handles, layer.register_forward_hook(self._end, always_call=True)]

    def _begin(self, layer: torch.nn.Module, *_: Any) -> None:
        self._open.append(LayerScores())
        self.of.setdefault(layer, []).append(self._open[-1])

    def _end(self, *_: Any) -> None:
        self._open.pop()

    def _enter(self, module: torch.nn.Module, *_: Any) -> None:
        self._running.append(module)
        for layer in self._open:
            layer.called.add(module)

    def _leave(self, module: torch.nn.Module, *_: Any) -> None:
        # After an error inside, the modules that it left are still there.
        while self._running and self._running.pop() is not module:
            pass

    @contextmanager
    def _inside(self) -> Iterator[bool]:
        """A call; whether it is one to be caught."""
        is_watched = bool(self._running and self._open) and not self._is_inside
        before, self._is_inside = self._is_inside, True
        try:
            yield is_watched
        finally:
            self._is_inside = before

    def _fused(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        with self._inside() as is_watched:
            if is_watched:
                module = self._running[-1]
                found = None if _has_more_keys(module) else _statistics(FusedCall(*args, **kwargs))
                for layer in self._open:
                    layer.add(module, found)
            return FUSED(*args, **kwargs)

    def _softmax(self, own: Callable[..., Any]) -> Callable[..., Any]:
        def other(scores: Any, *args: Any, **kwargs: Any) -> Any:
            with self._inside() as is_watched:
                weights = own(scores, *args, **kwargs)
                if is_watched and _are_weights(scores, weights):
                    self._add_softmax(scores.detach(), weights)
                return weights

        return other

    def _add_softmax(self, scores: torch.Tensor, weights: torch.Tensor) -> None:
        module = self._running[-1]
        found = _of_softmax(module, scores, weights.detach())
        # A router of as many experts as there are tokens has weights of this shape too, and another key that is no token has a last
        # column.
        family, (n, keys) = family_of(module), weights.shape[-2:]
        is_attention = weights.dim() == 4 or isinstance(module, torch.nn.MultiheadAttention)
        is_clear = is_attention and (keys == n or (family is not None and bool(family.sinks)) or _has_more_keys(module))
        for layer in self._open:
            layer.add(module, found) if is_clear else layer.add_where_used(module, weights, found)

    def _product(self, own: Callable[..., Any]) -> Callable[..., Any]:
        def other(*args: Any, **kwargs: Any) -> Any:
            for layer in () if self._is_inside else self._open:
                for factor in args:
                    layer.multiply(factor)
            return own(*args, **kwargs)

        return other


def _are_weights(scores: Any, weights: Any) -> bool:
    """Whether they may be the scores and weights of attention, (.., n, n), or (.., n, n + 1) with a sink."""
    if not isinstance(scores, torch.Tensor) or scores.shape != weights.shape or weights.dim() not in (3, 4):
        return False
    n, keys = weights.shape[-2:]
    return keys in (n, n + 1)


def _has_more_keys(module: torch.nn.Module) -> bool:
    """Whether a module adds keys that are no tokens."""
    return isinstance(module, torch.nn.MultiheadAttention) and (module.bias_k is not None or module.add_zero_attn)


def _of_softmax(module: torch.nn.Module, scores: torch.Tensor, weights: torch.Tensor) -> Statistics | None:
    """The statistics of a call of softmax, whose last column may be that of a sink. None where its rows are not those of weights."""
    n = weights.shape[-2]
    totals = weights.double().sum(-1)
    # A row that sees no token is NaN, or zero.
    are_rows = bool(((totals - 1).abs() < 1e-2).logical_or(totals == 0).logical_or(totals.isnan()).all())
    if not are_rows or _has_more_keys(module):
        return None
    sums = _Sums()
    sums.add(scores[..., :n], weights[..., :n])
    found = sums.finish()
    # What subtracts the largest number of each row first leaves no score behind.
    is_shifted = bool((scores.amax(-1) == 0).all()) and bool((scores != 0).any())
    return replace(found, max_logit=torch.full_like(found.max_logit, float("nan"))) if is_shifted else found


def _statistics(call: FusedCall) -> Statistics:
    """The statistics of a call of `scaled_dot_product_attention`."""
    sums = _Sums()
    with torch.no_grad():
        for scores in call.scores():
            sums.add(scores, scores.softmax(-1).nan_to_num(0.0))
    return sums.finish()
