"""Compares a derivative with differences of the values of its function."""

from __future__ import annotations

from typing import Callable

import numpy as np

#: Random directions along which differences of values are compared with the derivative, each forwards and backwards.
_DIRECTIONS = 4
#: Lengths of the steps at which differences of values are compared with the derivative, relative to the spread of x, and the
#: rounding of values there: of float32, which parts of many models have, and of float64 at the last two.
_STEPS = ((1e-2, 2e-7), (1e-3, 2e-7), (1e-4, 2e-7), (1e-5, 2e-7), (1e-6, 1e-14), (1e-7, 1e-14))
#: The most that they may differ, relative to the larger one.
_VALUES = 0.01
#: The most that rounding may be of a slope that is judged: half of that.
_ROUNDED = 0.005


class Slopes:
    """A function near x, by its values.

    Parameters
    ----------
    at : function of a flat change of x
        f(x + change) as a flat array of float64; None where f is not defined.
    x, value : arrays of float64
        x, and f(x).
    eps, least : float
        The rounding of the coarser of the two types, and its least normal number.
    """

    def __init__(
        self, at: Callable[[np.ndarray], np.ndarray | None], x: np.ndarray, value: np.ndarray, eps: float, least: float
    ) -> None:
        self.at, self.x, self.value, self.eps = at, x, value.ravel(), eps
        # Below the least numbers of a type, values are rounded to multiples of the smallest one, or to zero.
        self.lost = least * value.size**0.5

    def differ_from(self, forward: Callable[[np.ndarray], np.ndarray], seed: int) -> bool:
        """Whether J v, of which `forward` is said to be the product, is not the derivative of the values, as far as some random
        directions show. Half precision has too few digits for this.
        """
        if self.eps > np.finfo(np.float32).eps:
            return False
        draw = np.random.default_rng(seed)
        for _ in range(_DIRECTIONS):
            v = draw.normal(size=self.x.size)
            v /= np.linalg.norm(v)
            image = forward(v)
            # At a kink the derivative is that of one side.
            if any(self._differ_along(sign * v, sign * image) for sign in (1, -1)):
                return True
        return False

    def _differ_along(self, v: np.ndarray, image: np.ndarray) -> bool:
        """For smaller and smaller h, (f(x + h v) - f(x))/h must come near J v, the image, once. They differ where two slopes in turn
        agree with each other and none with J v.
        """
        before, agreed = None, False
        for step, rounding in _STEPS if self.eps < 1e-9 else _STEPS[:-2]:
            h = step * _spread(self.x)
            # In the rounding of x itself a step is lost.
            if self.eps * length(self.x) > 0.01 * h:
                break
            there = self.at(h * v)
            # A step may leave where `f` is defined.
            if there is None or there.shape != self.value.shape or not np.isfinite(there).all():
                continue
            slope = (there - self.value) / h
            error = length(slope - image)
            rounded = (rounding * length(self.value) + self.lost) / h
            size = max(length(slope), length(image))
            # A step whose rounding is a part of the slope says nothing.
            if rounded > _ROUNDED * size:
                continue
            if error <= _VALUES * size:
                return False
            agreed |= before is not None and length(slope - before) <= 0.25 * error
            before = slope
        return agreed


def _spread(x: np.ndarray) -> float:
    """A length on which entries differ: large ones and a common offset do not count."""
    from_middle = np.abs(x - np.median(x))
    found = (np.median(from_middle) * x.size**0.5, length(from_middle), length(x), 1.0)
    return float(next(size for size in found if size > 0))


def length(vector: np.ndarray) -> float:
    """The length of a vector, also where the squares of its entries are below or above the range of 64-bit numbers."""
    largest = float(np.abs(vector).max(initial=0.0))
    return largest * float(np.linalg.norm(vector / largest)) if 0 < largest < np.inf else largest
