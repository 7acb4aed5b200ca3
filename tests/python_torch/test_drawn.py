"""Values of the monitor at 200 drawn layers, while their weights move, against dense Jacobians."""

import random
import unittest

import torch
from torch import nn

from lipscope.torch import Monitor
from tests.python_torch.test_torch import dense_norm

torch.set_num_threads(1)
LAYERS = 200


class Attention(nn.Module):
    """Attention with drawn steps, by the fused call or, where scores are capped, written out."""

    def __init__(self, draw, d):
        super().__init__()
        self.heads, width = draw.choice((1, 2, 4)), draw.choice((2, 3, 5))
        self.groups = draw.choice([groups for groups in (1, 2, 4) if self.heads % groups == 0])
        self.q, self.out = nn.Linear(d, self.heads * width, bias=draw.random() < 0.5), nn.Linear(self.heads * width, d)
        self.k, self.v = (nn.Linear(d, self.groups * width, bias=draw.random() < 0.5) for _ in range(2))
        is_normed = draw.random() < 0.3
        self.of_q, self.of_k = (nn.RMSNorm(width, eps=1e-2) if is_normed else nn.Identity() for _ in range(2))
        self.scale = draw.choice((None, 0.3, 1.7))
        self.cap = draw.choice((None, None, 0.5, 3.0))
        self.mask = draw.choice(("none", "causal", "window", "drawn", "added"))

    def masked(self, x):
        """What is added to scores (n, n); None without a mask."""
        n = x.shape[1]
        later = torch.arange(n)[None] - torch.arange(n)[:, None]
        if self.mask == "added":
            return -0.2 * later.abs().to(x.dtype)
        drawn = (7 * torch.arange(n)[:, None] + 3 * torch.arange(n)[None]) % 5 > 1
        allowed = {"none": None, "causal": later <= 0, "window": (later <= 0) & (later > -3), "drawn": drawn | (later == 0)}[self.mask]
        return None if allowed is None else torch.zeros(n, n, dtype=x.dtype).masked_fill(~allowed, float("-inf"))

    def forward(self, x):
        q, k, v = (part(x).unflatten(-1, (-1, self.of_width)).transpose(1, 2) for part in (self.q, self.k, self.v))
        q, k, mask = self.of_q(q), self.of_k(k), self.masked(x)
        if self.cap is None:
            given = nn.functional.scaled_dot_product_attention(q, k, v, mask, scale=self.scale, enable_gqa=self.groups < self.heads)
        else:
            k, v = (part.repeat_interleave(self.heads // self.groups, 1) for part in (k, v))
            scores = (q @ k.mT) * (self.of_width**-0.5 if self.scale is None else self.scale)
            scores = self.cap * torch.tanh(scores / self.cap)
            given = (scores if mask is None else scores + mask).softmax(-1) @ v
        return self.out(given.transpose(1, 2).flatten(2))

    @property
    def of_width(self):
        return self.q.out_features // self.heads


class Layer(nn.Module):
    def __init__(self, draw, d):
        super().__init__()
        norm = draw.choice((nn.LayerNorm, nn.RMSNorm, lambda d: nn.Identity()))
        self.attention, self.first, self.second, self.last = Attention(draw, d), norm(d), norm(d), draw.choice((norm(d), nn.Identity()))
        self.mlp = nn.Sequential(nn.Linear(d, 2 * d), draw.choice((nn.GELU, nn.SiLU, nn.Tanh))(), nn.Linear(2 * d, d))

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return self.last(x + self.mlp(self.second(x)))


def drawn(seed):
    """A layer, tokens, and a function that moves its weights by some per cent."""
    draw = random.Random(seed)
    torch.manual_seed(seed)
    d, n, size = draw.choice((4, 8, 12)), draw.randint(2, 10), draw.choice((1.0, 2.0, 4.0))
    layer = Layer(draw, d)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.mul_(size) if parameter.dim() > 1 else parameter.add_(0.2 * torch.randn_like(parameter))

    def move():
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter.add_(0.03 * parameter.std(correction=0) * torch.randn_like(parameter))

    return layer, torch.randn(1, n, d), move


class DrawnLayers(unittest.TestCase):
    def test_warm_values_are_lower_bounds_near_the_norm(self):
        ratios = []
        for seed in range(LAYERS):
            layer, x, move = drawn(seed)
            kind = ("attention", "block")[seed % 2]
            monitor = Monitor(nn.Sequential(layer), x, layers=["0"], maps=kind, columns=())
            for step in range(3):
                move()
                (row,) = monitor.measure(step)
            layer.double()
            inside = layer.first(x.double()).detach()[0] if kind == "attention" else x.double()[0]
            f = (lambda y: layer.attention(y[None])[0]) if kind == "attention" else (lambda y: layer(y[None])[0])
            ratio = row["value"] / dense_norm(f, inside)
            # Tokens of attention are made in float32.
            self.assertLess(ratio, 1 + (1e-5 if kind == "attention" else 1e-9), (seed, row))
            self.assertIn(row["kind"], ("lower bound", "exact"))
            ratios.append((ratio, row["residual"]))
        near = sum(ratio > 0.95 and residual < 0.0301 for ratio, residual in ratios)
        self.assertGreaterEqual(near, 0.95 * LAYERS, sorted(ratios)[:12])


if __name__ == "__main__":
    unittest.main()
