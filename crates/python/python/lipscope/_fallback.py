"""A link to the page and a table of numbers, for notebooks that show no page."""

from __future__ import annotations

import base64
import zlib
from html import escape

from ._experiment import Experiment
from ._functions import measure

#: The most numbers (n d) in the tokens that the fallback measures: more could take long, and the user did not ask for
#: a measurement.
_MOST_MEASURED = 20_000
#: The longest link. Programs that pass links on cut longer ones.
_MOST_LINK = 16_000


class Fallback:
    """A link to the page and a table, where there are no widgets.

    Attributes
    ----------
    experiment : Experiment
    page : str or None
        The address of the page.
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
    """The address that opens an experiment in the page; if it would be too long, the address of the page alone."""
    packed = base64.urlsafe_b64encode(zlib.compress(experiment.to_json().encode(), 9)).decode().rstrip("=")
    address = page.split("#")[0] + "#v3&experiment=" + packed
    return address if len(address) <= _MOST_LINK else page
