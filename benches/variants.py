"""The norms of attention as today's models run it, by the peers of benches/peer.py.

    python benches/variants.py DATA OUT.json

DATA holds a folder an experiment, as benches/variants.rs writes them: tokens and weights as .npy, the fields of the
experiment file, and a reference.
"""

import json
import math
import pathlib
import sys

import numpy as np
import scipy
import torch
from torch.func import vjp

from peer import LOOSE_RESIDUAL, PRODUCTS, VALUE_ERROR, arpack, fastest, power_iteration, runs, seconds


def normalized(vectors, norm):
    """qk-norm `rms` over the last axis."""
    assert norm["kind"] == "rms", norm
    return vectors / torch.sqrt(vectors.square().mean(-1, keepdim=True) + norm.get("eps", 1e-6))


def turned(vectors, rope):
    """RoPE of layout `half` on heads x n x k."""
    n, k = vectors.shape[-2:]
    turned = 2 * int(rope.get("fraction", 1.0) * k / 2)
    angles = torch.arange(n)[:, None] * rope.get("base", 1e4) ** (-2 * torch.arange(turned // 2) / turned)
    x, y, rest = vectors[..., : turned // 2], vectors[..., turned // 2 : turned], vectors[..., turned:]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([x * cos - y * sin, x * sin + y * cos, rest], -1)


def biases(fields, n, heads):
    """What is added to the scores, ALiBi and mask together: heads x n x n, or n x n."""
    distance = torch.arange(n)[:, None] - torch.arange(n)
    bias = torch.zeros(n, n)
    mask = fields.get("mask", "none")
    if mask != "none":
        width = mask["width"] if isinstance(mask, dict) else n
        assert mask == "causal" or (mask["kind"] == "window" and mask.get("causal", True)), mask
        bias = bias.masked_fill((distance < 0) | (distance >= width), -math.inf)
    if "alibi" in fields.get("score", {}):
        slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
        bias = bias - slopes[:, None, None] * distance.abs()
    return bias


def attention(folder):
    """Attention with the steps of the fields, and its tokens (n x d). What is not needed is not computed."""
    fields = json.loads((folder / "fields.json").read_text())
    q, k, v = (torch.from_numpy(np.load(folder / f"{name}.npy")) for name in "qkv")
    tokens = torch.from_numpy(np.load(folder / "tokens.npy"))
    (heads, dim, _), groups, n = q.shape, len(k), len(tokens)
    stacked = torch.cat([q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1)])
    score, weighting = fields.get("score", {}), fields.get("weighting", {"kind": "softmax"})
    known = {"softcap", "qk_norm", "rope", "alibi", "scale"}
    assert set(score) <= known and fields.get("attention", "dot") in ("dot", "linear"), fields
    is_linear = fields.get("attention") == "linear"
    bias = biases(fields, n, heads)
    has_bias = bool((bias != 0).any())

    def f(x):
        projected = (x @ stacked.T).reshape(n, heads + 2 * groups, dim).transpose(0, 1)
        queries, keys, values = projected.split([heads, groups, groups])
        if "qk_norm" in score:
            queries, keys = normalized(queries, score["qk_norm"]), normalized(keys, score["qk_norm"])
        if "rope" in score:
            queries, keys = turned(queries, score["rope"]), turned(keys, score["rope"])
        # Heads of a group as one more axis, so that no keys are copied.
        queries = queries.reshape(groups, heads // groups, n, dim)
        keys, values = keys[:, None], values[:, None]
        if is_linear:
            queries, keys = (torch.nn.functional.elu(part) + 1 for part in (queries, keys))
            weights = queries @ keys.transpose(-1, -2)
            weights = weights / weights.sum(-1, keepdim=True)
        else:
            scores = queries @ keys.transpose(-1, -2) * score.get("scale", 1 / math.sqrt(dim))
            if "softcap" in score:
                scores = score["softcap"] * torch.tanh(scores / score["softcap"])
            if has_bias:
                scores = scores + (bias if bias.dim() == 2 else bias.reshape(groups, heads // groups, n, n))
            if weighting["kind"] == "sigmoid":
                weights = torch.sigmoid(scores + weighting.get("bias", -math.log(n)))
            elif "sink" in weighting:
                sink = torch.full((*scores.shape[:-1], 1), float(weighting["sink"]))
                weights = torch.softmax(torch.cat([scores, sink], -1), -1)[..., :-1]
            else:
                assert weighting["kind"] == "softmax", weighting
                weights = torch.softmax(scores, -1)
        return (weights @ values).reshape(heads, n, dim).transpose(0, 1).reshape(n, heads * dim)

    return f, tokens


def measure(folder):
    f, x = attention(folder)
    reference = json.loads((folder / "reference.json").read_text())["spectral"]
    v, u = torch.randn_like(x), f(x)
    pull = vjp(f, x)[1]
    # The first trace of a process takes seconds.
    pushes = {name: product(f, x) for name, product in PRODUCTS.items()}

    def by_power(product):
        found = runs(lambda: power_iteration(f, x, reference, product, "value"), lambda run: run["value"]["seconds"])
        return [run["value"] for run in found]

    def by_arpack(product):
        return runs(lambda: arpack(f, x, reference, product, LOOSE_RESIDUAL), lambda run: run["seconds"], 2)

    best = fastest({name: by_arpack(product) for name, product in PRODUCTS.items()})
    assert best["relative_error"] < VALUE_ERROR, f"{folder.name}: ARPACK is {best['relative_error']} off"
    return {
        "apply": min(seconds(lambda: push(v), most=1.0) for push in pushes.values()),
        "apply_transpose": seconds(lambda: pull(u, retain_graph=True)[0], most=1.0),
        "power": fastest({name: by_power(product) for name, product in PRODUCTS.items()}),
        "arpack": best,
    }


data, out = map(pathlib.Path, sys.argv[1:3])
found = {folder.name: measure(folder) for folder in sorted(data.iterdir()) if folder.is_dir()}
out.write_text(json.dumps({"torch": torch.__version__, "scipy": scipy.__version__, "experiments": found}, indent=1))
