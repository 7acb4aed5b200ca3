"""Writes tests/data/train/reference.json: loss and gradients of small Transformers of every kind, by PyTorch in float64.

    python tests/train/reference.py            # writes the file
    python tests/train/reference.py --check    # compares with the file that is there

The weights are drawn here and rounded to three digits, so that the file holds them exactly. Needs torch
(tests/models/requirements.txt). Tokens are rows, as in the crate.
"""

import json
import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
FILE = Path(__file__).resolve().parent.parent / "data/train/reference.json"
WIDTH, HEADS, BLOCKS, CONTEXT, VOCABULARY, C = 4, 2, 2, 5, 6, 0.9
KINDS = [("dot", "layer"), ("dot", "none"), ("l2", "layer"), ("l2_tied", "layer"), ("contractive", "layer"), ("invertible", "none")]


def draw(kind, norms):
    """Name -> matrix or vector, as the crate names them."""
    generator = torch.Generator().manual_seed(KINDS.index((kind, norms)))
    weights = {}

    def add(name, rows, columns, mean=0.0):
        numbers = mean + 0.5 * torch.randn(rows, columns, generator=generator)
        weights[name] = torch.tensor([[round(x, 3) for x in row] for row in numbers.tolist()], requires_grad=True)

    layer, contraction, tied = norms == "layer", kind in ("contractive", "invertible"), kind not in ("dot", "l2")
    add("embedding", VOCABULARY, WIDTH)
    add("position", CONTEXT, WIDTH)
    for block in range(BLOCKS):
        part = f"block.{block}."
        if layer and not contraction:
            add(part + "attention.norm.scale", 1, WIDTH, 1.0)
            add(part + "attention.norm.shift", 1, WIDTH)
        for matrix in ["query"] + ([] if tied else ["key"]) + ["value", "output"]:
            add(part + "attention." + matrix, WIDTH, WIDTH)
        if layer:
            add(part + "mlp.norm.scale", 1, WIDTH, 1.0)
            add(part + "mlp.norm.shift", 1, WIDTH)
        add(part + "mlp.up", WIDTH, 4 * WIDTH)
        add(part + "mlp.up_bias", 1, 4 * WIDTH)
        add(part + "mlp.down", 4 * WIDTH, WIDTH)
        add(part + "mlp.down_bias", 1, WIDTH)
    if layer:
        add("norm.scale", 1, WIDTH, 1.0)
        add("norm.shift", 1, WIDTH)
    add("head", WIDTH, VOCABULARY)
    add("head_bias", 1, VOCABULARY)
    return weights


def inverse_phi(y):
    """The x with x e^(x+1) = y, by Newton's method."""
    x = 1.0
    for _ in range(60):
        x -= (x * math.exp(x + 1) - y) / ((1 + x) * math.exp(x + 1))
    return x


def inf_norm(matrix):
    return matrix.abs().sum(1).max()


def attention(kind, query, key, value, output, x):
    """What attention adds to one window, T x d."""
    k = WIDTH // HEADS
    out, mask = [], torch.full((CONTEXT, CONTEXT), -math.inf).triu(1)
    for head in range(HEADS):
        own = slice(head * k, (head + 1) * k)
        q, w_v = x @ query[:, own], value[:, own]
        if kind == "dot":
            scores = q @ (x @ key[:, own]).T / math.sqrt(k)
        else:
            keys = q if key is None else x @ key[:, own]
            scores = -((q[:, None, :] - keys[None, :, :]) ** 2).sum(2) / math.sqrt(k)
        if key is None:
            w_v = query[:, own] @ query[:, own].T @ w_v / math.sqrt(k)
        out.append(torch.softmax(scores + mask, 1) @ x @ w_v)
    out = torch.cat(out, 1) @ output
    if kind not in ("contractive", "invertible"):
        return out
    heads = [slice(head * k, (head + 1) * k) for head in range(HEADS)]
    bound = (4 * inverse_phi(CONTEXT - 1) + 1 / math.sqrt(k)) * inf_norm(output.T)
    bound = bound * max(inf_norm(query[:, own]) * inf_norm(query[:, own].T) for own in heads)
    return C * out / (bound * max(inf_norm(value[:, own].T) for own in heads))


def loss_of(kind, norms, w, ids, following):
    layer, contraction = norms == "layer", kind in ("contractive", "invertible")

    def norm(name, x, applies):
        return F.layer_norm(x, (WIDTH,), w[name + ".scale"][0], w[name + ".shift"][0], 1e-5) if applies else x

    total = 0.0
    for window, after in zip(ids, following):
        x = w["embedding"][window] + w["position"]
        for block in range(BLOCKS):
            part = f"block.{block}."
            matrices = [w.get(part + "attention." + name) for name in ("query", "key", "value", "output")]
            x = x + attention(kind, *matrices, norm(part + "attention.norm", x, layer and not contraction))
            inner = F.gelu(norm(part + "mlp.norm", x, layer) @ w[part + "mlp.up"] + w[part + "mlp.up_bias"])
            added = inner @ w[part + "mlp.down"] + w[part + "mlp.down_bias"]
            if kind == "invertible":
                added = C * added / (1.1290 * inf_norm(w[part + "mlp.up"].T) * inf_norm(w[part + "mlp.down"].T))
            x = x + added
        logits = norm("norm", x, layer) @ w["head"] + w["head_bias"]
        total = total + F.cross_entropy(logits, after)
    return total / len(ids)


def case(kind, norms):
    generator = torch.Generator().manual_seed(7)
    text = torch.randint(0, VOCABULARY, (3, CONTEXT + 1), generator=generator)
    weights = draw(kind, norms)
    loss = loss_of(kind, norms, weights, text[:, :-1], text[:, 1:])
    loss.backward()
    digits = lambda tensor: [float(f"{x:.13g}") for x in tensor.flatten().tolist()]
    return {
        "plan": {
            "kind": kind, "width": WIDTH, "heads": HEADS, "blocks": BLOCKS, "context": CONTEXT, "batch": 3, "c": C,
            "norms": norms, "learning_rate": 0.001, "warm_up": 0, "steps": 1, "seed": 0,
        },
        "ids": text[:, :-1].flatten().tolist(),
        "next": text[:, 1:].flatten().tolist(),
        "weights": {name: digits(tensor) for name, tensor in weights.items()},
        "loss": float(f"{loss.item():.15g}"),
        "gradients": {name: digits(tensor.grad) for name, tensor in weights.items()},
    }


cases = [case(kind, norms) for kind, norms in KINDS]
if "--check" in sys.argv:
    worst = 0.0
    for found, expected in zip(cases, json.loads(FILE.read_text()), strict=True):
        assert found["weights"] == expected["weights"] and found["ids"] == expected["ids"]
        worst = max(worst, abs(found["loss"] - expected["loss"]))
        for name, gradient in found["gradients"].items():
            worst = max(worst, *(abs(a - b) for a, b in zip(gradient, expected["gradients"][name], strict=True)))
    print(f"largest difference to {FILE.name}: {worst:.1e}")
    sys.exit(worst > 1e-10)
FILE.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in cases) + "\n]\n")
print(f"{FILE} written: losses", [round(entry["loss"], 4) for entry in cases])
