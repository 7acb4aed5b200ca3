"""The same norms by PyTorch: power iteration on J^T J, and ARPACK, in float64 on one thread or more.

    python benches/peer.py DATA OUT.json [THREADS [EXPERIMENT...]]

DATA holds a folder an experiment with the tokens and weights as .npy and a reference, as benches/measure.rs writes them.
J^T u is the pullback of torch.func.vjp, taken once for all steps. J v comes in two ways, and the faster one counts:
torch.func.jvp, which runs the function again in each product, and torch.func.linearize, which traces it once. ARPACK is
scipy.sparse.linalg.svds over the same products.
"""

import json
import math
import pathlib
import statistics
import sys
import time

import numpy as np
import scipy
import torch
from scipy.sparse.linalg import LinearOperator, svds
from torch.func import jvp, linearize, vjp

torch.set_num_threads(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
torch.set_default_dtype(torch.float64)

MAX_STEPS = 2000
SETTINGS = json.loads((pathlib.Path(__file__).parent / "settings.json").read_text())
VALUE_ERROR = SETTINGS["value_error"]
RESIDUAL = SETTINGS["tolerance"]
# The residual at which Lipscope stops for a value within VALUE_ERROR. ARPACK stops at the same one.
LOOSE_RESIDUAL = SETTINGS["loose_tolerance"]


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


def by_jvp(f, x):
    """The product J v. The derivative is the SECOND element of jvp; the first is the function's value."""
    return lambda v: jvp(f, (x,), (v,))[1]


def by_linearize(f, x):
    """The product J v from a trace of the function."""
    return linearize(f, x)[1]


def power_iteration(f, x, reference, product, until="residual"):
    """Seconds and steps to the value within VALUE_ERROR of the reference, and to the residual |J^T u - s v| / s unless the
    value is all that is asked for."""
    torch.manual_seed(0)
    v = torch.randn_like(x)
    v /= v.norm()
    reached = {}
    began = time.perf_counter()
    pull, push = vjp(f, x)[1], product(f, x)
    for step in range(1, MAX_STEPS + 1):
        u = push(v)
        value = u.norm()
        back = pull(u / value, retain_graph=True)[0]
        spent = time.perf_counter() - began
        error = abs(value.item() / reference - 1)
        if "value" not in reached and error < VALUE_ERROR:
            reached["value"] = {"steps": step, "seconds": spent}
            if until == "value":
                break
        if (back - value * v).norm() < RESIDUAL * value:
            reached["residual"] = {"steps": step, "seconds": spent, "relative_error": error}
            break
        v = back / back.norm()
    return reached


def arpack(f, x, reference, product, residual):
    """Seconds and steps of svds to a residual. ARPACK works on J^T J, whose residual |J^T J v - s^2 v| / s^2 is the
    |J^T u - s v| / s of the others. A step is one product with J and one with its transpose."""
    counts = {"push": 0, "pull": 0}
    start = np.random.default_rng(0).standard_normal(x.numel())
    began = time.perf_counter()
    output, pull = vjp(f, x)
    push = product(f, x)

    def matvec(v):
        counts["push"] += 1
        return push(torch.from_numpy(v.reshape(x.shape))).numpy().ravel()

    def rmatvec(u):
        counts["pull"] += 1
        return pull(torch.from_numpy(u.reshape(output.shape)), retain_graph=True)[0].numpy().ravel()

    operator = LinearOperator((output.numel(), x.numel()), matvec=matvec, rmatvec=rmatvec, dtype=np.float64)
    found = svds(operator, k=1, tol=residual, v0=start, return_singular_vectors=False)
    spent = time.perf_counter() - began
    error = abs(float(found[0]) / reference - 1)
    return {"steps": max(counts.values()), "seconds": spent, "relative_error": error}


def runs(run, seconds_of, least=1):
    """Some runs: at least `least`, until they have taken two seconds together, seven at most."""
    found = [run()]
    while len(found) < least or (sum(map(seconds_of, found)) < 2 and len(found) < 7):
        found.append(run())
    return found


def seconds(call, least=5, most=2.0):
    call()
    samples, end = [], time.perf_counter() + most
    while len(samples) < least or (time.perf_counter() < end and len(samples) < 200):
        began = time.perf_counter()
        call()
        samples.append(time.perf_counter() - began)
    return statistics.median(samples)


PRODUCTS = {"jvp": by_jvp, "linearize": by_linearize}


def fastest(reached):
    """The fastest of some results; `reached` holds them by the name of their product J v."""
    return min(({**run, "product": name} for name, found in reached.items() for run in found), key=lambda run: run["seconds"])


def measure(folder):
    f, x = attention(folder)
    reference = json.loads((folder / "reference.json").read_text())["spectral"]
    v = torch.randn_like(x)
    u = f(x)
    pull = vjp(f, x)[1]
    # The first trace of a process takes seconds: it loads what later ones use.
    pushes = {name: product(f, x) for name, product in PRODUCTS.items()}

    def by_power(name):
        found = runs(lambda: power_iteration(f, x, reference, PRODUCTS[name]), lambda run: run["residual"]["seconds"])
        assert found[0]["residual"]["relative_error"] < 1e-9, f"{folder.name}: PyTorch disagrees with {reference}"
        return found

    def by_arpack(residual, most_error):
        each = lambda name: lambda: arpack(f, x, reference, PRODUCTS[name], residual)
        # On a busy machine one run may take twice as long as the next.
        found = {name: runs(each(name), lambda run: run["seconds"], 3) for name in PRODUCTS}
        best = fastest(found)
        assert best["relative_error"] < most_error, f"{folder.name}: ARPACK is {best['relative_error']} off"
        return best

    powers = {name: by_power(name) for name in PRODUCTS}
    part = lambda key: {name: [run[key] for run in found] for name, found in powers.items()}
    return {
        "apply": min(seconds(lambda: push(v)) for push in pushes.values()),
        "apply_transpose": seconds(lambda: pull(u, retain_graph=True)[0]),
        "measure": fastest(part("residual")),
        "measure_loose": fastest(part("value")),
        "arpack": by_arpack(RESIDUAL, 1e-9),
        "arpack_loose": by_arpack(LOOSE_RESIDUAL, VALUE_ERROR),
    }


def main():
    data, out = map(pathlib.Path, sys.argv[1:3])
    names = sys.argv[4:]
    folders = (folder for folder in sorted(data.iterdir()) if folder.is_dir())
    found = {folder.name: measure(folder) for folder in folders if not names or folder.name in names}
    versions = {"torch": torch.__version__, "scipy": scipy.__version__}
    out.write_text(json.dumps({**versions, "experiments": found}, indent=1))


if __name__ == "__main__":
    main()
