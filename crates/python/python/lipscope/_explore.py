"""The page in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _site
from ._arrays import ArrayLike, whole, word
from ._experiment import experiment_of
from ._fallback import Fallback

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._experiment import Options

#: The experiment that is shown where none is given: that of a first visit to the page.
_FIRST = {
    "tokens": {"source": "random", "distribution": "ball", "n": 64, "d": 2, "radius": 1.5},
    "weights": {"source": "identity", "sign": -1},
}


def explore(
    tokens: Any = None,
    q: ArrayLike | None = None,
    k: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    view: str = "full",
    plot: str | None = None,
    height: int = 900,
    url: str | None = None,
    **options: Unpack[Options],
) -> Any:
    """Shows the page in a notebook with an experiment; what is dragged there can be read back.

    Parameters
    ----------
    tokens, q, k, v, **options
        As for `lipscope.measure`; without them the experiment of a first visit.
    view : {"full", "embed"}
        The whole page, or one plot and its number.
    plot : str, optional
        The plot, by its name in links, such as "growth".
    height : int
        In pixels.
    url : str, optional
        Where the page is served, for instance by a proxy. Without it this process serves the files of the package at
        ``127.0.0.1``: without a network, and for browsers on this machine only.

    Returns
    -------
    Explorer or Fallback
        A widget. Its traitlet `experiment` follows the page, and the page follows the traitlet. Without anywidget, or
        without the page in the package, an object that shows a link and a table.

    Examples
    --------
    >>> shown = explore([[-1.0], [1.0]], [[1.0]], [[-1.0]], [[1.0]])
    >>> shown.experiment.n
    2
    """
    if view not in ("full", "embed"):
        raise ValueError(f"`view` is {view!r}, but it must be one of: full, embed.")
    height = whole("height", height, least=120, most=10_000)
    experiment = experiment_of(_FIRST if tokens is None else tokens, q, k, v, **options)
    if url is None:
        site = _site.shared()
        address = None if site is None else site.address
    else:
        address = word("url", url)
    fields = ["v3"] + (["view=embed"] if view == "embed" else []) + ([f"plot={word('plot', plot)}"] if plot else [])
    page = address and address.split("#")[0] + ("#" + "&".join(fields) if len(fields) > 1 else "")
    try:
        from ._widget import Explorer
    except ImportError:
        return Fallback(experiment, page)
    return Explorer(experiment, page, height) if page else Fallback(experiment, page)
