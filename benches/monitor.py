"""What a monitor costs beside the training that it watches, and how much memory attention in closed form takes.

    python benches/monitor.py            time, of a GPT of 10 million parameters
    python benches/monitor.py memory     memory of one layer of 12 heads at n = 4096

Both print ratios within one run: to the time of a step of training, and to the peak memory of the layer's own forward and backward
pass.
"""

import resource
import subprocess
import sys
import time

import torch
from torch import nn

from lipscope.torch import Monitor, norm

EVERY, BATCH = 100, 16


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        return self.out(nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.attention, self.first, self.second = Attention(d, heads), nn.LayerNorm(d), nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


class Gpt(nn.Module):
    def __init__(self, d, heads, layers, words):
        super().__init__()
        self.words, self.blocks, self.head = nn.Embedding(words, d), nn.ModuleList(Block(d, heads) for _ in range(layers)), nn.Linear(d, words)

    def forward(self, ids):
        x = self.words(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def cost(n=128, words=256):
    torch.manual_seed(0)
    model = Gpt(320, 5, 8, words)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4)
    monitor = Monitor(model, torch.randint(0, words, (1, n)), every=EVERY)
    steps, measured = [], []
    for step in range(12):
        ids = torch.randint(0, words, (BATCH, n))
        began = time.perf_counter()
        loss = nn.functional.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        steps.append(time.perf_counter() - began)
        if step % 3 == 2:
            began = time.perf_counter()
            monitor.measure(step)
            measured.append(time.perf_counter() - began)
    step, first, warm = sorted(steps)[len(steps) // 2], measured[0], sorted(measured[1:])[1]
    parameters = sum(part.numel() for part in model.parameters())
    print(f"GPT of {parameters / 1e6:.1f} million parameters, n = {n}, batches of {BATCH}, {torch.get_num_threads()} threads")
    print(f"a step of training {step:.2f} s; a measurement {warm:.2f} s, the first {first:.2f} s")
    print(f"every {EVERY} steps: {100 * warm / (EVERY * step):.2f} % of the time of training")


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


class Layer(nn.Module):
    """A model of one layer, whose input are its tokens."""

    def __init__(self, d, heads):
        super().__init__()
        self.blocks = nn.ModuleList([Block(d, heads)])

    def forward(self, x):
        return self.blocks[0](x)


def train(model, x):
    x.requires_grad_()
    model(x).sum().backward()


#: What takes memory, by its name: functions of a model of one layer and its tokens (1, n, d).
WORK = {
    "forward and backward": train,
    "Monitor, attention": lambda model, x: Monitor(model, x, maps="attention", steps=2).measure(0),
    "Monitor, block": lambda model, x: Monitor(model, x, maps="block", steps=2).measure(0),
    "Monitor, block, exact=False": lambda model, x: Monitor(model, x, maps="block", steps=2, exact=False).measure(0),
    "lipscope.torch.norm, block": lambda model, x: norm(lambda y: model(y[None])[0], x[0], tolerance=1e-2, iterations=2, failure=None),
}


def memory_of(what, n=4096, d=768, heads=12):
    """The peak memory of one of these, in a process of its own."""
    torch.manual_seed(0)
    model, x = Layer(d, heads).eval(), torch.randn(1, n, d)
    # What PyTorch imports when it first needs it is no part of a layer.
    WORK[what](model, torch.randn(1, 16, d))
    before = peak()
    WORK[what](model, x)
    print(peak() - before)


def memory():
    of = {what: float(subprocess.check_output([sys.executable, __file__, what])) for what in WORK}
    print("one layer, n = 4096, 12 heads, peak memory in GiB, and relative to its own forward and backward pass")
    for what, found in of.items():
        print(f"{what}: {found:.2f}, {found / of['forward and backward']:.2f}")


if __name__ == "__main__":
    argument = sys.argv[1] if len(sys.argv) > 1 else "cost"
    {"cost": cost, "memory": memory}.get(argument, lambda: memory_of(argument))()
