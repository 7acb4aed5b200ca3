"""Writes tests/data/cases/model_values.json: the norm of a layer's attention for the folders of tests/data/cases/models, by NumPy
and nothing of Lipscope; the ids of their texts are those of transformers (tests/models/token_ids.py).

    python -m venv .venv && .venv/bin/pip install numpy==2.4.6
    .venv/bin/python tests/models/cases.py

The forward pass is written out here, the Jacobian is found by complex steps, and its norm by a dense SVD. For GPT-2 the map is
attention with its output matrix, for BERT the concatenated heads, as `lipscope model` measures them.
"""

import json
import math
import struct
from pathlib import Path

import numpy as np

CASES = Path(__file__).resolve().parents[1] / "data" / "cases"
N, LAYER = 6, 1
# Folders that are refused, or that a test measures with another map only.
REFUSED = {"bert_relative_key", "roberta_", "roberta_roberta", "roberta_as_bert", "gpt2_bin_only", "gpt2_zero_row_eps0"}
TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}


def tensors(folder):
    """All tensors of a folder, with the longest prefix that they share with the embeddings removed."""
    found = {}
    for path in sorted(folder.glob("*.safetensors")):
        data = path.read_bytes()
        length = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8 : 8 + length])
        aliases = header.pop("__metadata__", {})
        for name, info in header.items():
            start, end = info["data_offsets"]
            numbers = np.frombuffer(data[8 + length + start : 8 + length + end], TYPES[info["dtype"]])
            found[name] = numbers.astype(np.float64).reshape(info["shape"])
        found |= {name: found[other] for name, other in aliases.items() if other in found}
    words = next(name for name in found if name.endswith(("wte.weight", "embeddings.word_embeddings.weight")))
    prefix = words.removesuffix("wte.weight").removesuffix("embeddings.word_embeddings.weight")
    return {name.removeprefix(prefix): tensor for name, tensor in found.items() if name.startswith(prefix)}


def norm(x, t, name, eps):
    mean = x.mean(-1, keepdims=True)
    return t[name + ".weight"] * (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + eps) + t[name + ".bias"]


def attention(x, parts, heads, causal, divisor):
    """The concatenated heads at tokens x (n x d), complex or real; parts are (W, b) with W of outputs x inputs."""
    q, k, v = (x @ w.T + b for w, b in parts)
    width = x.shape[1] // heads
    out = []
    for head in range(heads):
        at = slice(head * width, (head + 1) * width)
        scores = q[:, at] @ k[:, at].T / divisor(width)
        if causal:
            scores = np.where(np.tril(np.ones(scores.shape, bool)), scores, -np.inf)
        weights = np.exp(scores - scores.real.max(-1, keepdims=True))
        out.append(weights / weights.sum(-1, keepdims=True) @ v[:, at])
    return np.concatenate(out, -1)


def spectral(f, x):
    """The largest singular value of the Jacobian of f at x."""
    h, columns = 1e-30, []
    for i in range(x.size):
        step = np.zeros(x.size, complex)
        step[i] = 1j * h
        columns.append(f(x + step.reshape(x.shape)).imag.ravel() / h)
    return float(np.linalg.svd(np.array(columns), compute_uv=False)[0])


def gpt2(config, t, ids):
    heads, eps = config["n_head"], config["layer_norm_epsilon"]
    is_linear = t["h.0.attn.c_attn.weight"].shape[0] == 3 * config["n_embd"]

    def linear(name):
        weight = t[name + ".weight"]
        return (weight if is_linear else weight.T), t[name + ".bias"]

    def divisor(layer):
        root = config.get("scale_attn_weights", True)
        inverse = config.get("scale_attn_by_inverse_layer_idx", False)
        return lambda width: (math.sqrt(width) if root else 1.0) * (layer + 1 if inverse else 1)

    def attend(y, layer):
        w, b = linear(f"h.{layer}.attn.c_attn")
        d = config["n_embd"]
        parts = [(w[at : at + d], b[at : at + d]) for at in (0, d, 2 * d)]
        w, b = linear(f"h.{layer}.attn.c_proj")
        return attention(y, parts, heads, True, divisor(layer)) @ w.T + b

    x = t["wte.weight"][ids] + t["wpe.weight"][: len(ids)]
    for layer in range(LAYER):
        x = x + attend(norm(x, t, f"h.{layer}.ln_1", eps), layer)
        (w, b), (w2, b2) = linear(f"h.{layer}.mlp.c_fc"), linear(f"h.{layer}.mlp.c_proj")
        y = norm(x, t, f"h.{layer}.ln_2", eps) @ w.T + b
        y = 0.5 * y * (1 + np.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * y**3)))
        x = x + y @ w2.T + b2
    return spectral(lambda y: attend(y, LAYER), norm(x, t, f"h.{LAYER}.ln_1", eps))


def bert(config, t, ids):
    heads, eps, causal = config["num_attention_heads"], config["layer_norm_eps"], config.get("is_decoder", False)
    linear = lambda name: (t[name + ".weight"], t[name + ".bias"])
    attend = lambda x, layer: attention(
        x, [linear(f"encoder.layer.{layer}.attention.self.{part}") for part in ("query", "key", "value")], heads, causal, math.sqrt
    )
    kinds = t["embeddings.token_type_embeddings.weight"][0]
    x = t["embeddings.word_embeddings.weight"][ids] + t["embeddings.position_embeddings.weight"][: len(ids)] + kinds
    x = norm(x, t, "embeddings.LayerNorm", eps)
    for layer in range(LAYER):
        at = f"encoder.layer.{layer}."
        (w, b), (w1, b1), (w2, b2) = map(linear, (at + "attention.output.dense", at + "intermediate.dense", at + "output.dense"))
        x = norm(x + attend(x, layer) @ w.T + b, t, at + "attention.output.LayerNorm", eps)
        y = x @ w1.T + b1
        y = 0.5 * y * (1 + np.vectorize(math.erf)(y / math.sqrt(2)))
        x = norm(x + y @ w2.T + b2, t, at + "output.LayerNorm", eps)
    return spectral(lambda x: attend(x, LAYER), x)


def main():
    known = json.loads((CASES.parent / "tokenizers" / "expected.json").read_text(encoding="utf-8"))["cases"]
    values = {}
    for folder in sorted((CASES / "models").iterdir()):
        if folder.name in REFUSED:
            continue
        config = json.loads((folder / "config.json").read_text(encoding="utf-8-sig"))
        ids = known[folder.name][:N]
        measure = gpt2 if config["model_type"] == "gpt2" else bert
        values[folder.name] = {"n": len(ids), "layer": LAYER, "spectral": measure(config, tensors(folder), ids)}
    (CASES / "model_values.json").write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


main()
