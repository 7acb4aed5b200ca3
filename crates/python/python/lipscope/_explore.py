"""The page in a notebook."""

from __future__ import annotations

import base64
import zlib
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _site
from ._arrays import ArrayLike, whole, word
from ._experiment import Experiment, experiment_of
from ._functions import measure

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._experiment import Options

#: What a reader sees first where no experiment is given: the page's own first visit.
_FIRST = {
    "tokens": {"source": "random", "distribution": "ball", "n": 64, "d": 2, "radius": 1.5},
    "weights": {"source": "identity", "sign": -1},
}
#: Up to this many numbers of tokens the fallback measures; more could take long, unasked.
_MOST_MEASURED = 20_000
#: A link longer than this is cut by programs that pass it on.
_MOST_LINK = 16_000


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
        A widget with the traitlet `experiment`, which follows the page and which the page follows. Without anywidget, or
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


class Fallback:
    """A link to the page and a table, where there are no widgets.

    Attributes
    ----------
    experiment : Experiment
    page : str or None
        Where the page is.
    """

    def __init__(self, experiment: Experiment, page: str | None) -> None:
        self.experiment, self.page = experiment, page

    def __repr__(self) -> str:
        where = f"the page at {link(self.experiment, self.page)}" if self.page else "no page in this package"
        return f"{self.experiment!r}: {where}"

    def _repr_html_(self) -> str:
        return html(self.experiment, self.page)


def html(experiment: Experiment, page: str | None) -> str:
    """A link that opens an experiment in the page, and the table of its numbers."""
    parts = []
    if page:
        parts.append(
            f'<p><a href="{escape(link(experiment, page), quote=True)}" target="_blank">Open in Lipscope</a></p>'
        )
    else:
        parts.append(
            "<p>This package holds no page. Install a wheel that <code>make python</code> built, or give <code>url</code>.</p>"
        )
    try:
        if experiment.n * experiment.d <= _MOST_MEASURED:
            parts.append(measure(experiment)._repr_html_())
        else:
            parts.append(f"<p>{escape(repr(experiment))}</p>")
    except ValueError as problem:
        parts.append(f"<p>{escape(str(problem))}</p>")
    return "".join(parts)


def link(experiment: Experiment, page: str) -> str:
    """The address that opens an experiment in the page; that of the page alone where it would be too long."""
    packed = base64.urlsafe_b64encode(zlib.compress(experiment.to_json().encode(), 9)).decode().rstrip("=")
    address = page.split("#")[0] + "#v3&experiment=" + packed
    return address if len(address) <= _MOST_LINK else page


def script() -> str:
    """The part of the widget that runs in the browser."""
    return (Path(__file__).parent / "_widget.js").read_text(encoding="utf-8")
