"""What the tests share: the golden values, experiments, and the command line."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np

import lipscope

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "tests/golden/attention.json").read_text())

#: The same for attention with steps: cosine, caps, sinks, windows, grouped queries, second maps, ..
KERNELS = json.loads((ROOT / "tests/golden/kernels.json").read_text())

OPTIONS = ("attention", "mask", "normalization", "normalization_scope", "eps")


def options_of(case, names):
    """Options of a case as arguments, which are refused where nothing takes them."""
    unused = ("normalization_scope", "eps") if case["normalization"] == "none" else ()
    return {name: case[name] for name in names if name not in unused}


def arrays_of(case):
    """Tokens, heads and options of a golden case, as a Python program has them."""
    q, k, v = ([np.array(head[name]) for head in case["heads"]] for name in "qkv")
    output = None if case["output"] is None else np.array(case["output"])
    options = options_of(case, OPTIONS)
    return np.array(case["tokens"]), np.stack(q), np.stack(k), np.stack(v), {"output": output, **options}


def kernel_arrays_of(case):
    """Tokens, heads and options of a golden case of attention with steps."""
    heads, keys = case["heads"], case.get("kv_heads", case["heads"])
    is_differential = "q2" in heads[0]
    # Arrays share keys in groups of one size. In a case with second maps, each head lists the second keys.
    if "kv_heads" in case and (is_differential or len(heads) % len(keys)):
        keys = [case["kv_heads"][head["kv"]] for head in heads]
    q, (k, v) = [head["q"] for head in heads], ([head[name] for head in keys] for name in "kv")
    second = {}
    if is_differential:
        second = {"q2": [head["q2"] for head in case["heads"]], "k2": [head["k2"] for head in case["heads"]]}
        second["lam"] = [head["lambda"] for head in case["heads"]]
    options = options_of(case, (*OPTIONS, "score", "weighting"))
    return case["tokens"], q, k, v, {"output": case["output"], **options, **second}


def file_of(case):
    """The experiment file of a golden case."""
    weights = {"source": "explicit", "heads": case["heads"]}
    if case["output"] is not None:
        weights["output"] = case["output"]
    tokens = {"source": "explicit", "rows": case["tokens"]}
    return {**{name: case[name] for name in OPTIONS}, "tokens": tokens, "weights": weights}


#: Every kind of tokens and weights, small and too large for a dense decomposition.
DRAWN = [
    {"tokens": {"source": "adversarial", "n": 300, "radius": 2}, "weights": {"source": "identity", "sign": -1}},
    {"tokens": {"source": "skew", "n": 40}},
    {"tokens": {"source": "random", "n": 60, "d": 6}, "weights": {"source": "random", "heads": 2, "head_dim": 3, "output": True}},
    {"tokens": {"source": "random", "distribution": "ball", "n": 60, "d": 6, "radius": 3}, "weights": {"source": "random", "head_dim": 5}, "mask": "causal"},
    {"tokens": {"source": "random", "n": 30, "d": 8}, "weights": {"source": "kim", "heads": 2}, "attention": "l2"},
    {"tokens": {"source": "random", "n": 20, "d": 4}, "weights": {"source": "random"}, "normalization": "layer", "normalization_scope": "composed"},
    {"tokens": {"source": "clusters", "positions": [[-1], [1]], "log_multiplicities": [0, 600]}, "weights": {"source": "identity", "sign": -1}},
]  # fmt: skip


def experiment(n=12, d=3):
    """A small experiment of drawn tokens."""
    tokens = {"source": "random", "distribution": "ball", "n": n, "d": d, "radius": 1.5}
    return lipscope.Experiment.from_dict({"tokens": tokens, "weights": {"source": "random", "heads": 2, "head_dim": 2}})


def command(*arguments, stdin):
    """What the command line writes."""
    program = os.environ["LIPSCOPE_BIN"]
    run = subprocess.run([program, *arguments], input=stdin, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout
