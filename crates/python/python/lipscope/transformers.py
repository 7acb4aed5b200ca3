"""The monitor in the Trainer of transformers."""

from __future__ import annotations

from typing import Any

from ._callback import Monitored

try:
    from transformers import TrainerCallback
except ImportError as problem:
    raise ImportError("lipscope.transformers needs transformers. Install it: pip install transformers.") from problem

__all__ = ["MonitorCallback"]


class MonitorCallback(Monitored, TrainerCallback):
    """Measures the layers of the Trainer's model every so many steps.

    Parameters
    ----------
    probe, **options
        As for `lipscope.torch.Monitor`.

    Attributes
    ----------
    monitor : lipscope.torch.Monitor or None
        That of the model; None before the training begins. `monitor.on_rows` hands rows on.

    Examples
    --------
    ``Trainer(model, args, train_dataset=data, callbacks=[MonitorCallback(probe, every=100, log="run.jsonl")])``
    """

    def __init__(self, probe: Any, **options: Any) -> None:
        super().__init__(probe, options)

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        self._probe = _on(model, self._probe)
        self._begin(model, state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        # The Trainer has the loss of the steps that it logged.
        losses = [row["loss"] for row in state.log_history[-1:] if "loss" in row]
        self.monitor.step(state.global_step, **({"loss": losses[0]} if losses else {}))


def _on(model: Any, probe: Any) -> Any:
    """The probe on the device of the model."""
    device = next(model.parameters()).device
    if isinstance(probe, dict) or hasattr(probe, "keys"):
        return {name: _on(model, part) for name, part in dict(probe).items()}
    if isinstance(probe, (tuple, list)):
        return tuple(_on(model, part) for part in probe)
    return probe.to(device) if hasattr(probe, "to") else probe
