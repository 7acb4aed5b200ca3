"""The JSON object of an experiment, from the dicts, lists and arrays of a Python program."""

from __future__ import annotations

import json
from typing import Any, Mapping

import numpy as np

from ._arrays import contiguous, is_array, plain, refuse_masked, shortened

#: The deepest nesting of an experiment; its form needs six levels.
_MOST_DEPTH = 16


def text_of(value: Mapping[str, Any]) -> tuple[str, np.ndarray | None]:
    """The JSON text of an experiment's keys, and the pairs that its bias forbids.

    Minus infinity in ``score.bias`` means that a pair of tokens is masked, as an additive mask has it. JSON has no infinity: the
    text has 0 there, and the table (n, n) of these pairs comes with it. It is None without any.

    Raises
    ------
    ValueError
        For a number that JSON cannot hold, with its key.
    TypeError
        For an object that is no number, text, list, dict or array, with its key.
    """
    forbidden = None
    _check_mask(value.get("mask"))
    score = value.get("score")
    if isinstance(score, Mapping) and "bias" in score:
        bias, forbidden = _without_infinity(score["bias"])
        value = {**value, "score": {**score, "bias": bias}}
    return json.dumps(_plain((), value), allow_nan=False), forbidden


def _check_mask(mask: Any) -> None:
    """Refuses tables in the place of a mask: true means that a pair may attend here, and that it may not elsewhere."""
    if mask is None or isinstance(mask, (str, Mapping)):
        return
    refuse_masked("mask", mask)
    what, fix = f"is {shortened(mask)}", 'such as {"kind": "window", "width": 4}'
    if is_array(mask) or isinstance(mask, (list, tuple)):
        try:
            shape: Any = np.shape(plain("mask", mask, kinds="fiub"))
        except TypeError:
            shape = None
        what = f"is a {type(mask).__name__}" + ("" if shape is None else f" of shape {shape}")
        fix = (
            'such as {"kind": "allowed", "rows": table} for a table (n, n) that is true where token i may attend to token j. A mask '
            'of 0 and minus infinity, which is added to scores, goes into score={"bias": table}'
        )
    raise TypeError(f'`mask` {what}, but it must be "none", "causal" or a dict, {fix}.')


def _without_infinity(bias: Any) -> tuple[Any, np.ndarray | None]:
    """A bias with 0 in the place of minus infinity, and where that was."""
    if not (is_array(bias) or isinstance(bias, (list, tuple))):
        return bias, None
    try:
        array = contiguous(plain("score.bias", bias))
    except TypeError:
        # No table of numbers: the reader of the file says what is wrong with its rows, and `_plain` with its entries.
        return bias, None
    forbidden = np.isneginf(array)
    if array.ndim != 2 or not forbidden.any():
        return bias, None
    return np.where(forbidden, 0.0, array), forbidden


def _plain(path: tuple[str | int, ...], value: Any) -> Any:
    """A value in the types of JSON; `path` has the keys and positions that lead to it."""
    # The commonest first: a list may hold a million numbers.
    if type(value) is float:
        if not np.isfinite(value):
            raise ValueError(
                f"{_named(path)} is {_number(value)}, which is not a finite number. Write the number that belongs there, or leave "
                "the key out."
            )
        return value
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return _whole(path, int(value))
    if len(path) > _MOST_DEPTH:
        raise ValueError(f"{_named(path[:4])} is nested too deep for an experiment.")
    if isinstance(value, Mapping):
        return {_key(path, key): _plain((*path, key), part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain((*path, at), part) for at, part in enumerate(value)]
    if isinstance(value, (float, np.floating)):
        return _plain(path, float(value))
    if is_array(value):
        return _entries(path, value)
    raise TypeError(
        f"{_named(path)} is a {type(value).__name__}, which no experiment holds. Use numbers, texts, lists, dicts and arrays."
    )


def _entries(path: tuple[str | int, ...], value: Any) -> Any:
    """An array as lists."""
    # A table of who may attend to whom may be boolean: files have 0 and 1.
    array = plain(_joined(path), value, kinds="fiub")
    if array.ndim > 2:
        fix = ": one table for all heads" if path[-1] == "bias" else ""
        raise ValueError(f"`{_joined(path)}` has shape {array.shape}, but it must be a table (n, n){fix}.")
    if array.dtype.kind in "iub":
        return array.astype(np.uint8).tolist() if array.dtype.kind == "b" else array.tolist()
    array = contiguous(array) if array.ndim else np.float64(array)
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        at = wrong[0].tolist()
        _plain((*path, *at), float(array[tuple(at)]))
    return array.tolist()


def _key(path: tuple[str | int, ...], key: Any) -> str:
    if not isinstance(key, str):
        where = _named(path) if path else "The experiment"
        raise TypeError(f"{where} has the key {key!r}, but keys must be texts.")
    return key


def _whole(path: tuple[str | int, ...], value: int) -> int:
    try:
        float(value)
    except OverflowError:
        raise ValueError(
            f"{_named(path)} is a whole number of {value.bit_length()} bits, past the range of 64-bit numbers."
        ) from None
    return value


def _named(path: tuple[str | int, ...]) -> str:
    """Where a value is, for an error: a row and column for two positions at the end, as the reader of files says it."""
    if len(path) > 2 and isinstance(path[-1], int) and isinstance(path[-2], int):
        return f"Row {path[-2] + 1}, column {path[-1] + 1} of `{_joined(path[:-2])}`"
    if len(path) > 1 and isinstance(path[-1], int):
        return f"Entry {path[-1] + 1} of `{_joined(path[:-1])}`"
    return f"`{_joined(path)}`"


def _joined(path: tuple[str | int, ...]) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).lstrip(".") or "the experiment"


def _number(value: float) -> str:
    return "NaN" if np.isnan(value) else str(value)
