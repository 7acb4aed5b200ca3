"""Tokens from files and texts that other programs wrote."""

from __future__ import annotations

import os

import numpy as np

from . import _lipscope
from ._arrays import word


def read_tokens(
    source: str | bytes | os.PathLike[str],
    *,
    header: str | None = None,
    index: str | None = None,
    decimal: str | None = None,
) -> tuple[np.ndarray, str]:
    """Tokens from a file or text, as the page and the command line read them, and a line about how they were read.

    It reads CSV and its relatives, JSON, .npy, and what NumPy, PyTorch, JAX, TensorFlow, MATLAB, Julia, R, pandas and
    Mathematica print. The line says what was dropped or guessed. A table that can be read in two ways is refused until an
    argument says which way is meant.

    Parameters
    ----------
    source : path, str or bytes
        A file, or its content. A text that names a file is that file.
    header : {"first-row", "none"}, optional
        Whether the first row names or numbers the columns.
    index : {"first-column", "none"}, optional
        Whether the first column names or numbers the rows.
    decimal : {"comma", "point"}, optional
        Whether the comma in a number such as 1,234 is the decimal mark.

    Returns
    -------
    tuple of array (n, d) and str

    Raises
    ------
    ValueError
        For what is no table, with the place and the fix, and for one that can be read in two ways.

    Examples
    --------
    >>> tokens, line = read_tokens("x;y\\n1,5;2,0\\n0,5;-1,0")
    >>> tokens.tolist()
    [[1.5, 2.0], [0.5, -1.0]]
    >>> line
    'read as 2 tokens in 2 dimensions; dropped: header (x, y); read with: decimal commas'
    """
    answers = [None if given is None else word(name, given) for name, given in
               (("header", header), ("index", index), ("decimal", decimal))]
    if isinstance(source, (bytes, bytearray)):
        return _lipscope.read_tokens(None, bytes(source), *answers)
    if isinstance(source, str) and not _is_file(source):
        return _lipscope.read_tokens(None, source.encode("utf-8", "surrogatepass"), *answers)
    try:
        path = os.fspath(source)
    except TypeError:
        raise TypeError(f"`source` is a {type(source).__name__}, but it must be a path, a text or bytes.") from None
    with open(path, "rb") as file:
        return _lipscope.read_tokens(os.fsdecode(path), file.read(), *answers)


def _is_file(text: str) -> bool:
    # No path contains a line end or a zero byte.
    return "\n" not in text and "\0" not in text and os.path.isfile(text)
