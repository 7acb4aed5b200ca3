"""Rows of the monitor in loggers, as docs/monitor.md hands them on, with the real packages and without a network."""

import os
import tempfile
import unittest
from unittest import mock

from lipscope.torch import Monitor
from tests.python_torch.test_monitor import PROBE, gpt, trained


def flat_rows(listener):
    """What a short run logs: the flat rows by step. The listener sees the same rows."""
    model = gpt()
    monitor, found = Monitor(model, PROBE, every=2), {}
    monitor.on_rows(lambda rows: found.update({rows[0]["step"]: Monitor.flat(rows)}))
    monitor.on_rows(listener)
    trained(model, 3, monitor)
    return found


class Loggers(unittest.TestCase):
    def test_tensorboard(self):
        try:
            from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            self.skipTest("tensorboard is not installed.")
        with tempfile.TemporaryDirectory() as folder:
            writer = SummaryWriter(folder)

            def write(rows):
                for name, value in Monitor.flat(rows).items():
                    writer.add_scalar(name, value, rows[0]["step"])

            expected = flat_rows(write)
            writer.close()
            events = EventAccumulator(folder).Reload()
            self.assertEqual(set(events.Tags()["scalars"]), set(expected[0]))
            for name in expected[0]:
                found = {event.step: event.value for event in events.Scalars(name)}
                self.assertEqual(list(found), [0, 2])
                for step, value in found.items():
                    # TensorBoard has float32.
                    self.assertAlmostEqual(value / expected[step][name], 1, places=6)

    def test_weights_and_biases(self):
        try:
            import wandb
        except ImportError:
            self.skipTest("wandb is not installed.")
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"WANDB_SILENT": "true", "WANDB_MODE": "offline"}):
            run = wandb.init(project="lipscope", dir=folder, settings=wandb.Settings(console="off"))
            expected = flat_rows(lambda rows: wandb.log(Monitor.flat(rows), step=rows[0]["step"]))
            # What is logged for a step is complete when the next one begins.
            run.log({"end": 1}, step=3)
            found = dict(run.summary)
            wandb.finish()
        self.assertEqual({name: found[name] for name in expected[2]}, expected[2])


if __name__ == "__main__":
    unittest.main()
