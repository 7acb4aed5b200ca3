"""What the scores of attention are like in a call of a model: caught where scores become weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable

import torch
import torch.nn.functional as F

from ._closed import FUSED, FusedCall, Replaced


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
    """

    max_logit: torch.Tensor
    entropy_mean: torch.Tensor
    entropy_min: torch.Tensor
    sink: torch.Tensor

    #: The columns of a row, and how the heads are taken together.
    COLUMNS = {"max_logit": max, "entropy_mean": lambda heads: sum(heads) / len(heads), "entropy_min": min, "sink": max}

    def of_item(self, item: int, items: int) -> dict[str, list[float]]:
        """The numbers of the heads at an item of so many. Without an axis of items their heads come one after the other; empty
        where these cannot be told apart.
        """
        found = {}
        for name in self.COLUMNS:
            heads = getattr(self, name)
            if heads.dim() == 1:
                if len(heads) % items:
                    return {}
                heads = heads.reshape(items, -1)
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

    def finish(self) -> Statistics:
        # Where every row sees one token there is no entropy: 0.
        least = torch.where(torch.isinf(self.least), torch.zeros_like(self.least), self.least)
        return Statistics(self.max_logit, self.entropy / self.rows.clamp(min=1), least, self.columns.amax(-1))


class ScoreWatch(Replaced):
    """While it is active, the statistics of every call of attention stand under the module that makes it."""

    def __init__(self) -> None:
        #: The modules that run, the innermost last.
        self.running: list[torch.nn.Module] = []
        self.found: dict[torch.nn.Module, Statistics] = {}
        super().__init__({"scaled_dot_product_attention": self._fused, "softmax": self._softmax(F.softmax)})
        self._of.update({f: self._softmax(f) for f in (torch.softmax, torch.Tensor.softmax)})

    def hooks(self, layer: torch.nn.Module) -> list[Any]:
        """Hooks that say which module of a layer is running; the caller removes them."""
        handles = []
        for module in layer.modules():
            # Dropout and softmax are modules of their own in some models: what has no weights is a part of what calls it.
            if next(module.parameters(), None) is not None:
                handles.append(module.register_forward_pre_hook(lambda module, _: self.running.append(module)))
                handles.append(module.register_forward_hook(self._leave, always_call=True))
        return handles

    def _leave(self, module: torch.nn.Module, *_: Any) -> None:
        # After an error inside, the modules that it left are still there.
        while self.running and self.running.pop() is not module:
            pass

    def _fused(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        if self.running:
            self.found[self.running[-1]] = _statistics(FusedCall(*args, **kwargs))
        return FUSED(*args, **kwargs)

    def _softmax(self, own: Callable[..., Any]) -> Callable[..., Any]:
        def other(scores: Any, *args: Any, **kwargs: Any) -> Any:
            weights = own(scores, *args, **kwargs)
            if self.running and _are_weights(scores, weights):
                self.found[self.running[-1]] = _with_sink(scores.detach(), weights.detach())
            return weights

        return other


def _are_weights(scores: Any, weights: Any) -> bool:
    """Whether they are the scores and weights of attention, (.., n, n), or (.., n, n + 1) with a sink, and of no router."""
    if not isinstance(scores, torch.Tensor) or scores.shape != weights.shape or weights.dim() not in (3, 4):
        return False
    n, keys = weights.shape[-2:]
    return keys in (n, n + 1)


def _with_sink(scores: torch.Tensor, weights: torch.Tensor) -> Statistics:
    """The statistics of a call of softmax, whose last column may be that of a sink."""
    n, keys = weights.shape[-2:]
    sums = _Sums()
    sums.add(scores[..., :n], weights[..., :n])
    found = sums.finish()
    # What subtracts the largest number of each row first leaves no score behind.
    is_shifted = keys > n and bool((scores.amax(-1) == 0).all())
    return replace(found, max_logit=torch.full_like(found.max_logit, float("nan"))) if is_shifted else found


def _statistics(call: FusedCall) -> Statistics:
    """The statistics of a call of `scaled_dot_product_attention`."""
    sums = _Sums()
    with torch.no_grad():
        for scores in call.scores():
            sums.add(scores, scores.softmax(-1).nan_to_num(0.0))
    return sums.finish()
