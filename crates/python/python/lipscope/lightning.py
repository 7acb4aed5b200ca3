"""The monitor in the Trainer of Lightning."""

from __future__ import annotations

from typing import Any, Callable

from ._callback import Monitored
from .torch import Monitor

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    try:
        from pytorch_lightning.callbacks import Callback
    except ImportError as problem:
        raise ImportError("lipscope.lightning needs Lightning. Install it: pip install lightning.") from problem

__all__ = ["MonitorCallback"]


class MonitorCallback(Monitored, Callback):
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
        super().__init__(probe, options)
        self._model = model

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        if trainer.logger is not None:
            self.on_rows(lambda rows: trainer.logger.log_metrics(Monitor.flat(rows), rows[0]["step"]))
        self._begin(self._model(pl_module), trainer.global_step)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        self.monitor.step(trainer.global_step, **({} if loss is None else {"loss": loss}))
