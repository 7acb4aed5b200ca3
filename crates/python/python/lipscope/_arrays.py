"""Converts anything that holds numbers to the arrays that the engine takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _lipscope

#: What counts as an array: NumPy's, anything with `__dlpack__` or `__array__`, nested lists.
ArrayLike = Any

#: The longest list of numbers; lists of lengths or epsilons are far shorter.
_MOST_NUMBERS = 1_000_000
#: The most axes of an array of NumPy.
_MOST_AXES = 64


def is_array(given: Any) -> bool:
    """Whether an object is an array of NumPy, or gives itself out as one."""
    return isinstance(given, np.ndarray) or hasattr(given, "__array__") or hasattr(given, "__dlpack__")


def plain(name: str, given: ArrayLike, kinds: str = "fiu") -> np.ndarray:
    """A NumPy array of the real numbers that an object holds, without a copy where that is possible.

    Parameters
    ----------
    name : str
        The argument, for errors.
    given : ArrayLike
        The array.
    kinds : str
        The kinds of numbers that it may hold, by NumPy's letters.

    Raises
    ------
    TypeError
        If it holds no real numbers, or hides some behind a mask, or cannot be read from this process.
    """
    refuse_masked(name, given)
    # A tensor that is recorded for differentiation does not give out its numbers.
    if hasattr(given, "detach") and getattr(given, "requires_grad", False):
        given = given.detach()
    try:
        if hasattr(given, "__array__") or not hasattr(given, "__dlpack__"):
            # What an object gives out may be a masked array, which `asarray` would unmask.
            array = np.asanyarray(given)
        else:
            array = np.from_dlpack(given)
    except (TypeError, ValueError, RuntimeError, BufferError) as problem:
        raise TypeError(
            f"`{name}` cannot be read as an array: {first_line(problem)}. Give an array of float64 or float32 on the CPU."
        ) from problem
    refuse_masked(name, array)
    # Of other classes, a matrix has always two axes.
    array = np.asarray(array)
    if array.dtype.kind not in kinds:
        raise TypeError(
            f"`{name}` holds {array.dtype}, but it must hold real numbers. Convert it to float64 or float32."
        )
    return array


def refuse_masked(name: str, given: Any, depth: int = 0) -> None:
    """Refuses masked arrays, also within lists: as plain arrays they would show the entries that they hide.

    Raises
    ------
    TypeError
        With the way to give what is meant.
    """
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(
            f"`{name}` is a NumPy masked array, and there are no missing entries here. Give an array without a mask: "
            "`.filled(value)` writes a value into the gaps, and indexing leaves rows out."
        )
    # NumPy reads no deeper lists.
    if isinstance(given, (list, tuple)) and depth < _MOST_AXES:
        for part in given:
            if type(part) is not float and type(part) is not int:
                refuse_masked(name, part, depth + 1)


def matrix(name: str, given: ArrayLike, axes: str) -> np.ndarray:
    """A C-contiguous float64 matrix; the same memory where it is one already.

    Parameters
    ----------
    axes : str
        What its two axes are, for errors, such as ``(n, d)``.
    """
    array = plain(name, given)
    if array.ndim != 2:
        raise ValueError(f"`{name}` has shape {array.shape}, but it must have shape {axes}.")
    return contiguous(array)


def contiguous(array: np.ndarray) -> np.ndarray:
    """A C-contiguous float64 array; the same memory where it is one already."""
    # The engine refuses entries that are not finite in float64, and names their place.
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray(array, dtype=np.float64)


def stacked(name: str, given: ArrayLike, axes: str) -> np.ndarray:
    """The matrices of the heads, (heads, rows, columns); of one head also (rows, columns)."""
    array = plain(name, given)
    if array.ndim not in (2, 3):
        raise ValueError(f"`{name}` has shape {array.shape}, but it must have shape {axes}.")
    return array if array.ndim == 3 else array[np.newaxis]


def heads(q: ArrayLike, k: ArrayLike, v: ArrayLike) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """Q of each head, and K and V of each head or of each group of heads, from arrays (heads, k, d), (kv_heads, k, d) and
    (kv_heads, d_v, d)."""
    for name, given in (("q", q), ("k", k), ("v", v)):
        if given is None:
            raise TypeError(f"`{name}` is missing. Give tokens, q, k and v, or an Experiment alone.")
    q, k = stacked("q", q, "(heads, k, d) or (k, d)"), stacked("k", k, "(heads, k, d) or (k, d)")
    v = stacked("v", v, "(heads, d_v, d) or (d_v, d)")
    counts = {"q": len(q), "k": len(k), "v": len(v)}
    if len(k) != len(v) or len(k) == 0 or len(q) % len(k) != 0:
        found = ", ".join(f"`{name}` has {count}" for name, count in counts.items())
        raise ValueError(
            f"The number of heads differs: {found}. Give the same number in all three, or k and v of fewer heads, which "
            "groups of q share equally."
        )
    # Checked before anything is converted: a broadcast array may stand for more numbers than fit into memory.
    _lipscope.check_weight_sizes(q.size + k.size + v.size)
    return tuple([contiguous(part) for part in parts] for parts in (q, k, v))


def second_map(
    q2: ArrayLike, k2: ArrayLike, lam: ArrayLike, counts: tuple[int, int]
) -> tuple[list[np.ndarray], list[np.ndarray], list[float]]:
    """The second map of differential attention: Q of each of `counts[0]` heads, K of each of `counts[1]` heads of keys, and
    lambda of each head."""
    for name, given in (("q2", q2), ("k2", k2), ("lam", lam)):
        if given is None:
            raise TypeError(f"`{name}` is missing. Differential attention has q2, k2 and lam.")
    q2, k2 = stacked("q2", q2, "(heads, k, d) or (k, d)"), stacked("k2", k2, "(heads, k, d) or (k, d)")
    _lipscope.check_weight_sizes(q2.size + k2.size)
    lambdas = numbers("lam", lam)
    lambdas = lambdas * counts[0] if len(lambdas) == 1 else lambdas
    for name, found, expected in (("q2", len(q2), counts[0]), ("k2", len(k2), counts[1]), ("lam", len(lambdas), counts[0])):
        if found != expected:
            raise ValueError(f"`{name}` has {found} heads, but it must have {expected}.")
    for number in lambdas:
        if not np.isfinite(number):
            raise ValueError(f"`lam` holds {number}, but it must hold finite numbers.")
    return [contiguous(part) for part in q2], [contiguous(part) for part in k2], lambdas


def vector(name: str, given: ArrayLike) -> np.ndarray:
    """A contiguous float64 vector."""
    array = plain(name, given)
    if array.ndim != 1:
        raise ValueError(f"`{name}` has shape {array.shape}, but it must have one axis.")
    return contiguous(array)


def whole(name: str, given: Any, least: int = 0, most: int = 2**63 - 1) -> int:
    """A whole number within limits."""
    refuse_masked(name, given)
    try:
        # Whole numbers have `__index__`, floats do not.
        number = given.__index__()
    except AttributeError:
        raise TypeError(f"`{name}` is {given!r}, but it must be a whole number.") from None
    if not least <= number <= most:
        raise ValueError(f"`{name}` is {number}, but it must be from {least} to {most}.")
    return number


def real(name: str, given: Any) -> float:
    """A real number."""
    refuse_masked(name, given)
    if isinstance(given, (str, bytes)):
        raise TypeError(f"`{name}` is {given!r}, but it must be a number.")
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"`{name}` is {shortened(given)}, but it must be a number.") from None


def word(name: str, given: Any) -> str:
    """A text."""
    if not isinstance(given, str):
        raise TypeError(f"`{name}` is {shortened(given)}, but it must be a text.")
    return given


def numbers(name: str, given: Any) -> list[float]:
    """A list of real numbers, from one number or many."""
    if isinstance(given, (str, bytes)):
        raise TypeError(f"`{name}` is {given!r}, but it must be a list of numbers.")
    array = np.atleast_1d(plain(name, given))
    if array.ndim != 1:
        raise ValueError(f"`{name}` has shape {array.shape}, but it must have one axis.")
    if array.size > _MOST_NUMBERS:
        raise ValueError(f"`{name}` holds {array.size} numbers, over the limit of {_MOST_NUMBERS}. Give fewer.")
    return [float(number) for number in array]


def first_line(problem: BaseException) -> str:
    """The first line of an error's text, without its full stop."""
    return (str(problem).splitlines() or [type(problem).__name__])[0].rstrip(".")


def shortened(given: Any) -> str:
    """What an argument is, for an error."""
    text = repr(given)
    return text if len(text) <= 40 else text[:40] + "…"
