"""The monitor in the Trainer of Lightning."""

from __future__ import annotations

from typing import Any, Callable

from .torch import Monitor

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    try:
        from pytorch_lightning.callbacks import Callback
    except ImportError as problem:
        raise ImportError("lipscope.lightning needs Lightning. Install it: pip install lightning.") from problem

__all__ = ["MonitorCallback"]


class MonitorCallback(Callback):
    """Measures the layers of a LightningModule, or of a part of it, every so many steps.

    Parameters
    ----------
    probe, **options
        As for `lipscope.torch.Monitor`.
    model : function of the LightningModule, optional
        Which module is measured, such as ``lambda module: module.gpt``; without it the LightningModule.

    Attributes
    ----------
    monitor : lipscope.torch.Monitor or None
        That of the model; None before the training begins.
    """

    def __init__(self, probe: Any, *, model: Callable[[Any], Any] = lambda module: module, **options: Any) -> None:
        self.monitor: Monitor | None = None
        self._probe, self._model, self._options = probe, model, options
        self._listeners: list[Any] = []

    def on_rows(self, listener: Any) -> Any:
        """As `Monitor.on_rows`, before the training begins too."""
        self._listeners.append(listener)
        if self.monitor is not None:
            self.monitor.on_rows(listener)
        return listener

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self.monitor = Monitor(self._model(pl_module), self._probe, **self._options)
        if trainer.logger is not None:
            self.monitor.on_rows(lambda rows: trainer.logger.log_metrics(Monitor.flat(rows), rows[0]["step"]))
        for listener in self._listeners:
            self.monitor.on_rows(listener)
        self.monitor.step(trainer.global_step)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        self.monitor.step(trainer.global_step, **({} if loss is None else {"loss": loss}))
