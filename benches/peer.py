"""The peer: the spectral norm of the Jacobian of attention by power iteration in PyTorch, float64, one thread.

One step is u = J v (the SECOND element of torch.func.jvp) and v = J^T u (torch.func.vjp). It stops when sigma is within
1e-6 of a long run's value, which it is told: a stop that no real use has, in the peer's favour.

    python peer.py DATA_FOLDER OUT.json
"""

import json
import math
import pathlib
import statistics
import sys
import time

import numpy
import torch
from torch.func import jvp, vjp

RELATIVE_ACCURACY = 1e-6
MOST_STEPS = 5000
MOST_SECONDS = 60.0


def attention(q, k, v):
    """Multi-head dot-product attention of tokens (n x d), heads concatenated."""
    heads, key_dim, d = q.shape
    stacked = torch.cat([q.reshape(-1, d), k.reshape(-1, d), v.reshape(-1, d)])

    def f(x):
        n = x.shape[0]
        queries, keys, values = (x @ stacked.T).reshape(n, 3, heads, key_dim).permute(1, 2, 0, 3)
        p = torch.softmax(queries @ keys.transpose(-1, -2) / math.sqrt(key_dim), dim=-1)
        return (p @ values).permute(1, 0, 2).reshape(n, -1)

    return f


def step(f, x, v):
    u = jvp(f, (x,), (v,))[1]
    back = vjp(f, x)[1](u)[0]
    return torch.linalg.norm(u).item(), back / torch.linalg.norm(back)


def measure(folder):
    x, q, k, v = (torch.from_numpy(numpy.load(folder / f"{name}.npy")) for name in ["tokens", "q", "k", "v"])
    reference = json.loads((folder / "reference.json").read_text())["spectral"]
    f = attention(q, k, v)
    torch.manual_seed(0)
    start = torch.randn_like(x)
    start /= torch.linalg.norm(start)
    step(f, x, start)
    steps_ms = []
    for _ in range(5):
        began = time.perf_counter()
        step(f, x, start)
        steps_ms.append(1e3 * (time.perf_counter() - began))
    began = time.perf_counter()
    direction, error = start, math.inf
    for n_steps in range(1, MOST_STEPS + 1):
        sigma, direction = step(f, x, direction)
        error = abs(sigma / reference - 1)
        if error <= RELATIVE_ACCURACY or time.perf_counter() - began > MOST_SECONDS:
            break
    return {
        "step_ms": statistics.median(steps_ms),
        "measure_ms": 1e3 * (time.perf_counter() - began),
        "steps": n_steps,
        "relative_error": error,
    }


def main():
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    data, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = {folder.name: measure(folder) for folder in sorted(data.iterdir()) if folder.is_dir()}
    out.write_text(json.dumps({"torch": torch.__version__, "experiments": found}, indent=2))


if __name__ == "__main__":
    main()
