"""The page as a widget; imported only where anywidget is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ._experiment import Experiment, experiment_of
from ._fallback import html, link


class _ExperimentTrait(traitlets.TraitType):
    """An experiment, given as one, or as the dict or the text of its file."""

    info_text = "an experiment"

    def validate(self, owner: Any, value: Any) -> Experiment:
        return experiment_of(value)


class Explorer(anywidget.AnyWidget):
    """The page in a frame, with an experiment that both sides may change.

    Attributes
    ----------
    experiment : Experiment
        What the page shows. It changes when something is dragged there, and the page follows when it is set here.
    problem : str
        Why the page cannot show the experiment that was set last; empty where it does.
    """

    _esm = (Path(__file__).parent / "_widget.js").read_text(encoding="utf-8")

    experiment = _ExperimentTrait()
    problem = traitlets.Unicode("").tag(sync=True)
    _text = traitlets.Unicode().tag(sync=True)
    _page = traitlets.Unicode().tag(sync=True)
    _link = traitlets.Unicode().tag(sync=True)
    _height = traitlets.Int(900).tag(sync=True)
    _fallback = traitlets.Unicode("").tag(sync=True)

    def __init__(self, experiment: Experiment, page: str, height: int) -> None:
        super().__init__(experiment=experiment, _page=page, _height=height)
        self.on_msg(self._asked)

    @traitlets.observe("experiment")
    def _show(self, change: Any) -> None:
        self._text = self.experiment.to_json()
        self._link = link(self.experiment, self._page)
        self.problem = ""

    @traitlets.observe("_text")
    def _hear(self, change: Any) -> None:
        if self._text != self.experiment.to_json():
            self.experiment = Experiment.from_json(self._text)

    def _asked(self, widget: Any, content: Any, buffers: Any) -> None:
        """Handles the message that the browser cannot reach the page: the widget then shows a link and a table."""
        if content == "fallback":
            self._fallback = html(self.experiment, self._page)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if data is not None:
            # Shown where there are no widgets, as in a notebook that was exported.
            data["text/html"] = html(self.experiment, self._page)
        return bundle
