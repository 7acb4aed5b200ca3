"""Trains a small GPT on the characters of assets/alice.txt with a monitor, and writes the log of its run.

Two runs are in the repository: assets/run.jsonl, the page's example, with five digits, and tests/data/runs/monitor.jsonl, exactly as
the monitor wrote it. It needs PyTorch and the Python package:

    python scripts/models/monitored_run.py assets/run.jsonl --digits 5 --steps 600 --every 30
    python scripts/models/monitored_run.py tests/data/runs/monitor.jsonl --steps 4 --every 2 --blocks 2
"""

import argparse
import json
import math
import tempfile
from pathlib import Path

import torch
from torch import nn

from lipscope.torch import Monitor

TEXT = Path(__file__).resolve().parents[2] / "assets" / "alice.txt"
WIDTH, HEADS, CONTEXT, BATCH = 48, 4, 48, 16


class Attention(nn.Module):
    """Causal attention of several heads."""

    def __init__(self):
        super().__init__()
        self.qkv, self.output = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        heads = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        found = nn.functional.scaled_dot_product_attention(*heads, is_causal=True)
        return self.output(found.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """Attention and an MLP, each after a LayerNorm and with a residual connection."""

    def __init__(self):
        super().__init__()
        self.first, self.attention, self.second = nn.LayerNorm(WIDTH), Attention(), nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


class Gpt(nn.Module):
    """A model of characters."""

    def __init__(self, characters, blocks):
        super().__init__()
        self.words, self.places = nn.Embedding(characters, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, characters)

    def forward(self, ids):
        x = self.words(ids) + self.places.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def train(log, steps, every, blocks):
    """Trains, and measures into a log."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    text = TEXT.read_text(encoding="utf-8")
    known = sorted(set(text))
    ids = torch.tensor([known.index(c) for c in text])
    model = Gpt(len(known), blocks)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
    monitor = Monitor(model, ids[None, :CONTEXT], every=every, log=log)
    for step in range(steps + 1):
        starts = torch.randint(0, len(ids) - CONTEXT - 1, (BATCH,)).tolist()
        windows = torch.stack([ids[start : start + CONTEXT + 1] for start in starts])
        scores = model(windows[:, :-1])
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), windows[:, 1:].flatten())
        monitor.step(step, loss=loss)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def shortened(value, digits):
    """A number of a row with so many digits, towards zero: a lower bound stays one."""
    if isinstance(value, dict):
        return {key: shortened(part, digits) for key, part in value.items()}
    if isinstance(value, list):
        return [shortened(part, digits) for part in value]
    if not isinstance(value, float) or value == 0:
        return value
    unit = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - digits)
    return float(f"{math.trunc(value / unit) * unit:.{digits}g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--digits", type=int)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "run.jsonl")
        train(log, given.steps, given.every, given.blocks)
        lines = log.read_text(encoding="utf-8").splitlines()
    if given.digits is not None:
        lines = [json.dumps(shortened(json.loads(line), given.digits), separators=(",", ":")) for line in lines]
    given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
