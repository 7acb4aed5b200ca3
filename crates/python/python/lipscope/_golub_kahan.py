"""The leading singular pair of a map by Golub-Kahan bidiagonalisation, on the device of its vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import torch

from ._closed import linears_of_constants

#: The most entries of x for which what the reverse derivative needs is kept from product to product. Above, it is computed again in
#: each: one more evaluation of the function, so that a forward product does not find this memory taken.
_MOST_KEPT = 1 << 20

Product = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Pair:
    """A singular value with its unit vectors: J v = s u, and |J^T u - s v| / s is the residual."""

    value: float
    residual: float
    steps: int
    left: torch.Tensor
    right: torch.Tensor


class JacobianProducts:
    """J v and J^T u of a function at x, on the device of x.

    The parameters of a function are not differentiated: `torch.no_grad` around a derivative of `torch.func` leaves out what
    belongs to them, and with it the matrices that their derivatives would keep.
    """

    def __init__(self, f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> None:
        # `f` may change what it is given.
        self.f, self.x = lambda x: f(x.clone()), x
        value, pull = self._pulled()
        self.value = value.detach()
        self._pull = pull if x.numel() <= _MOST_KEPT else None

    def _pulled(self) -> tuple[torch.Tensor, Any]:
        """f(x), and the reverse derivative there."""
        with torch.no_grad(), linears_of_constants():
            return torch.func.vjp(self.f, self.x)

    def forward(self, v: torch.Tensor) -> torch.Tensor:
        """J v."""
        with torch.no_grad(), linears_of_constants():
            return torch.func.jvp(self.f, (self.x,), (v,))[1].detach()

    def reverse(self, u: torch.Tensor) -> torch.Tensor:
        """J^T u."""
        pull = self._pull or self._pulled()[1]
        with torch.no_grad():
            return pull(u, retain_graph=self._pull is not None)[0].detach()


def leading_pair(forward: Product, reverse: Product, start: torch.Tensor, *, tolerance: float, steps: int) -> Pair | None:
    """The pair after at most `steps` steps from a start vector, or when its residual is below the tolerance.

    Each step is a product each way; the vectors are orthogonalised against all before them. None where a product is not finite.
    The value is never above the norm, up to the rounding of the products.
    """
    right, left = [_unit(start)], []
    diagonal, above = [], []
    while True:
        u = forward(right[-1])
        if left:
            u = u - above[-1] * left[-1]
        u = _apart(u, left)
        alpha = _length(u)
        if not _is_finite(alpha):
            return None
        diagonal.append(alpha)
        left.append(u / alpha if alpha > 0 else u)
        w = reverse(left[-1]) - alpha * right[-1]
        w = _apart(w, right)
        beta = _length(w)
        if not _is_finite(beta):
            return None
        small = torch.diag(torch.tensor(diagonal, dtype=torch.float64))
        if above:
            small = small + torch.diag(torch.tensor(above, dtype=torch.float64), 1)
        p, s, q = torch.linalg.svd(small)
        value = float(s[0])
        residual = beta * abs(float(p[-1, 0])) / value if value > 0 else 0.0
        is_done = residual <= tolerance or len(diagonal) == steps or beta == 0 or len(diagonal) == start.numel()
        if is_done:
            combined = lambda vectors, factors: sum(float(x) * vector for x, vector in zip(factors, vectors))
            return Pair(value, residual, len(diagonal), combined(left, p[:, 0]), combined(right, q[0]))
        above.append(beta)
        right.append(w / beta)


def _apart(vector: torch.Tensor, basis: list[torch.Tensor]) -> torch.Tensor:
    """The part of a vector that is orthogonal to some unit vectors, taken twice."""
    for _ in range(2):
        for one in basis:
            vector = vector - (vector * one).sum() * one
    return vector


def _unit(vector: torch.Tensor) -> torch.Tensor:
    return vector / _length(vector)


def _length(vector: torch.Tensor) -> float:
    """The length, also where the squares of the entries leave the range of their type."""
    largest = float(vector.abs().max())
    return largest * float((vector / largest).norm()) if 0 < largest < float("inf") else largest


def _is_finite(x: float) -> bool:
    return abs(x) < float("inf")
