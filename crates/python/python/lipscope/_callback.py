"""What the callbacks of several trainers have in common."""

from __future__ import annotations

from typing import Any, Callable

from .torch import Monitor


class Monitored:
    """A callback with a monitor that is made when the training begins."""

    def __init__(self, probe: Any, options: dict[str, Any]) -> None:
        self.monitor: Monitor | None = None
        self._probe, self._options = probe, options
        self._listeners: list[Callable[..., Any]] = []

    def on_rows(self, listener: Callable[..., Any]) -> Callable[..., Any]:
        """As `Monitor.on_rows`, before the training begins too."""
        self._listeners.append(listener)
        if self.monitor is not None:
            self.monitor.on_rows(listener)
        return listener

    def _begin(self, model: Any, step: int) -> None:
        self.monitor = Monitor(model, self._probe, **self._options)
        for listener in self._listeners:
            self.monitor.on_rows(listener)
        self.monitor.step(step)
