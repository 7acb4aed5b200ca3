"""Trains a small GPT until it diverges, without and with QK-norm: the runs, the figure and the table of docs/monitor.md.

    python scripts/spike.py        about three minutes on one core; needs PyTorch, matplotlib and the package lipscope

It writes docs/monitor/*.jsonl and docs/figures/spike.svg, of the first seed, and a table of all seeds.
"""

import json
from pathlib import Path

import torch
from torch import nn

from lipscope.torch import Monitor

ROOT = Path(__file__).resolve().parent.parent
PAGE, RUNS, FIGURE = ROOT / "docs/monitor.md", ROOT / "docs/monitor", ROOT / "docs/figures/spike.svg"
WIDTH, HEADS, LAYERS, N, BATCH, SEEDS = 64, 2, 2, 64, 8, range(4)
#: The learning rate doubles every so many steps: a model learns before its rate is too high.
STEPS, EVERY, RATE, DOUBLED = 800, 10, 2e-3, 125
#: Runs by name, and whether queries and keys are normalised.
KINDS = {"without QK-norm": False, "with QK-norm": True}
#: Steps after which both runs have learned and before which neither diverges.
CALM = range(300, 501)
#: The curves of a figure: their names, and which of the layers' numbers stands for them.
CURVES = {"L of attention": ("attention", "value", max), "largest score": ("attention", "max_logit", max),
          "entropy, mean": ("attention", "entropy_mean", min)}  # fmt: skip


class Attention(nn.Module):
    def __init__(self, is_normed: bool) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.of_q, self.of_k = (nn.RMSNorm(WIDTH // HEADS) if is_normed else nn.Identity() for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        heads = nn.functional.scaled_dot_product_attention(self.of_q(q), self.of_k(k), v, is_causal=True)
        return self.out(heads.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, is_normed: bool) -> None:
        super().__init__()
        self.attention, self.first, self.second = Attention(is_normed), nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


class Gpt(nn.Module):
    def __init__(self, words: int, is_normed: bool) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, WIDTH), nn.Embedding(N, WIDTH)
        self.blocks = nn.ModuleList(Block(is_normed) for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, words)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.words(ids) + self.places.weight
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def train(is_normed: bool, seed: int, log: Path | None) -> list[dict]:
    """The rows of a run; `loss` is the mean over the training steps since the rows before."""
    text = (ROOT / "assets/alice.txt").read_text()
    letters = sorted(set(text))
    ids = torch.tensor([letters.index(letter) for letter in text])
    torch.manual_seed(seed)
    model, draw = Gpt(len(letters), is_normed), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=0)
    monitor = Monitor(model, ids[None, :N], every=EVERY, columns=("max_logit", "entropy_mean"), log=log)
    rows, losses = [], []
    for step in range(STEPS + 1):
        places = torch.randint(0, len(ids) - N, (BATCH,), generator=draw)
        windows = torch.stack([ids[place : place + N + 1] for place in places])
        loss = nn.functional.cross_entropy(model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten())
        losses.append(loss.item())
        rows += monitor.step(step, loss=sum(losses[-EVERY:]) / len(losses[-EVERY:])) or []
        optimizer.param_groups[0]["lr"] = RATE * 2 ** (step / DOUBLED)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return rows


def curves_of(rows: list[dict]) -> dict[str, dict[int, float]]:
    """Numbers by step: the loss, and of each curve that of the layer where it is most extreme."""
    found = {"loss": {row["step"]: row["loss"] for row in rows}}
    for name, (of_map, key, together) in CURVES.items():
        of_steps = {step: [row[key] for row in rows if row["step"] == step and row["map"] == of_map] for step in found["loss"]}
        found[name] = {step: together(values) for step, values in of_steps.items() if None not in values}
    return found


def moved(curve: dict[int, float]) -> int | None:
    """The first step at which a curve is outside of its range in the calm steps and remains there; None where it is within at
    last.
    """
    calm = [value for step, value in curve.items() if step in CALM]
    is_outside = {step: not min(calm) <= value <= max(calm) for step, value in curve.items()}
    inside = [step for step in curve if not is_outside[step]]
    return next((step for step in curve if step > inside[-1]), None)


def shorten(log: Path) -> None:
    """Five digits of each number: the file is kept in the repository."""
    short = lambda text: float(f"{float(text):.5g}")
    lines = [json.dumps(json.loads(line, parse_float=short)) for line in log.read_text().splitlines()]
    log.write_text("\n".join(lines) + "\n")


def draw(runs: dict[str, dict[str, dict[int, float]]]) -> None:
    import matplotlib
    from matplotlib import pyplot

    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "lipscope", "font.size": 9})
    names = ["loss", *CURVES]
    figure, axes = pyplot.subplots(len(names), sharex=True, figsize=(7, 7), layout="constrained")
    for axis, name in zip(axes, names):
        for (run, curves), color in zip(runs.items(), ("#c0392b", "#2c6fbb")):
            axis.plot(*zip(*curves[name].items()), color=color, label=run, linewidth=1.2)
        axis.set_ylabel(name)
        axis.grid(alpha=0.3)
        if name not in ("loss", "entropy, mean"):
            axis.set_yscale("log")
    axes[0].legend(frameon=False)
    axes[-1].set_xlabel(f"step; the learning rate doubles every {DOUBLED}")
    figure.savefig(FIGURE, metadata={"Date": None})


def table(of_seeds: list[dict[str, dict[str, dict[int, float]]]]) -> str:
    """The steps at which the curves of all seeds moved."""
    lines = ["| moved at step | " + " | ".join(KINDS) + " |", "| --- " * (1 + len(KINDS)) + "|"]
    for name in ("loss", *CURVES):
        steps = (", ".join(str(moved(runs[kind][name]) or "never") for runs in of_seeds) for kind in KINDS)
        lines.append(f"| {name} | {' | '.join(steps)} |")
    return "\n".join(lines)


def write_table(text: str) -> None:
    begin, end = "<!-- spike: begin -->", "<!-- spike: end -->"
    before, _, rest = PAGE.read_text().partition(begin)
    PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{rest.partition(end)[2]}")


def log_of(kind: str) -> Path:
    """A new log for a run."""
    log = RUNS / f"{kind.replace(' ', '-').lower()}.jsonl"
    log.parent.mkdir(exist_ok=True)
    log.unlink(missing_ok=True)
    return log


def main() -> None:
    torch.set_num_threads(1)
    logs = {kind: log_of(kind) for kind in KINDS}
    of_seeds = []
    for seed in SEEDS:
        log = (lambda kind: logs[kind]) if seed == SEEDS[0] else lambda kind: None
        of_seeds.append({kind: curves_of(train(is_normed, seed, log(kind))) for kind, is_normed in KINDS.items()})
    for log in logs.values():
        shorten(log)
    draw(of_seeds[0])
    write_table(table(of_seeds))


if __name__ == "__main__":
    main()
