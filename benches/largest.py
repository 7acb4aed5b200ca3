"""One J v and one J^T u by PyTorch at n tokens, in a process that may hold BYTES of memory; fails if they do not suffice.

    python benches/largest.py N DIMENSION HEAD_DIM BYTES

benches/cores.mjs looks for the largest n. The matrix of attention is formed by softmax and kept for both products.
"""

import math
import resource
import sys

import torch
from torch.func import jvp, vjp

n, d, k, limit = map(int, sys.argv[1:])
torch.set_default_dtype(torch.float64)
q, m, v = (torch.randn(k, d) / math.sqrt(d) for _ in range(3))
tokens, change = torch.randn(n, d), torch.randn(n, d)


def f(x):
    return torch.softmax((x @ q.T) @ (x @ m.T).T / math.sqrt(k), -1) @ (x @ v.T)


# The memory of the libraries themselves does not count: it differs from one build to the next.
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + limit, held + limit))
try:
    pushed = jvp(f, (tokens,), (change,))[1]
    vjp(f, tokens)[1](pushed)
except (MemoryError, RuntimeError) as problem:
    sys.exit(f"n = {n}: {str(problem).splitlines()[0]}")
