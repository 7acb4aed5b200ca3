"""The same norms by PyTorch: power iteration on J^T J, in float64 on one thread or more.

    python benches/peer.py DATA OUT.json [THREADS [EXPERIMENT...]]

DATA holds a folder an experiment with the tokens and weights as .npy and a reference, as benches/measure.rs writes them.
J v is the SECOND element of torch.func.jvp (the first is the function's value); J^T u is the pullback of torch.func.vjp,
taken once for all steps.
"""

import json
import math
import pathlib
import statistics
import sys
import time

import numpy as np
import torch
from torch.func import jvp, vjp

torch.set_num_threads(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
torch.set_default_dtype(torch.float64)

MAX_STEPS = 2000
SETTINGS = json.loads((pathlib.Path(__file__).parent / "settings.json").read_text())
VALUE_ERROR = SETTINGS["value_error"]
RESIDUAL = SETTINGS["tolerance"]


def attention(folder):
    """Dot-product attention of all heads at once, and its tokens (n x d)."""
    q, k, v = (torch.from_numpy(np.load(folder / f"{name}.npy")) for name in "qkv")
    tokens = torch.from_numpy(np.load(folder / "tokens.npy"))
    n_heads, head_dim, _ = q.shape
    stacked = torch.cat([q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1)])

    def f(x):
        queries, keys, values = (x @ stacked.T).reshape(len(x), 3, n_heads, head_dim).permute(1, 2, 0, 3)
        weights = torch.softmax(queries @ keys.transpose(-1, -2) / math.sqrt(head_dim), -1)
        return (weights @ values).transpose(0, 1).reshape(len(x), n_heads * head_dim)

    return f, tokens


def power_iteration(f, x, reference):
    """Seconds and steps to the value within VALUE_ERROR of the reference, and to the residual |J^T u - s v| / s."""
    torch.manual_seed(0)
    v = torch.randn_like(x)
    v /= v.norm()
    reached = {}
    began = time.perf_counter()
    pull = vjp(f, x)[1]
    for step in range(1, MAX_STEPS + 1):
        u = jvp(f, (x,), (v,))[1]
        value = u.norm()
        back = pull(u / value, retain_graph=True)[0]
        spent = time.perf_counter() - began
        error = abs(value.item() / reference - 1)
        if "value" not in reached and error < VALUE_ERROR:
            reached["value"] = {"steps": step, "seconds": spent}
        if (back - value * v).norm() < RESIDUAL * value:
            reached["residual"] = {"steps": step, "seconds": spent, "relative_error": error}
            break
        v = back / back.norm()
    return reached


def seconds(call, least=5, most=2.0):
    call()
    samples, end = [], time.perf_counter() + most
    while len(samples) < least or (time.perf_counter() < end and len(samples) < 200):
        began = time.perf_counter()
        call()
        samples.append(time.perf_counter() - began)
    return statistics.median(samples)


def measure(folder):
    f, x = attention(folder)
    reference = json.loads((folder / "reference.json").read_text())["spectral"]
    v = torch.randn_like(x)
    u = f(x)
    pull = vjp(f, x)[1]
    runs = [power_iteration(f, x, reference)]
    while sum(run["residual"]["seconds"] for run in runs) < 2 and len(runs) < 7:
        runs.append(power_iteration(f, x, reference))
    assert runs[0]["residual"]["relative_error"] < 1e-9, f"{folder.name}: PyTorch disagrees with {reference}"
    best = lambda key: min((run[key] for run in runs), key=lambda reached: reached["seconds"])
    return {
        "apply": seconds(lambda: jvp(f, (x,), (v,))[1]),
        "apply_transpose": seconds(lambda: pull(u, retain_graph=True)[0]),
        "measure": best("residual"),
        "measure_loose": best("value"),
    }


def main():
    data, out = map(pathlib.Path, sys.argv[1:3])
    names = sys.argv[4:]
    folders = (folder for folder in sorted(data.iterdir()) if folder.is_dir())
    found = {folder.name: measure(folder) for folder in folders if not names or folder.name in names}
    out.write_text(json.dumps({"torch": torch.__version__, "experiments": found}, indent=1))


main()
