"""How long lipscope.measure takes beside `lipscope measure` on the same numbers: python.py LIPSCOPE REPEATS OUT

LIPSCOPE is the release build of the command line. Its time covers its start and the reading of the experiment; that of
the Python call covers the call alone, whose arrays are in memory. Both may use all cores.
"""

import json
import subprocess
import sys
import time

import numpy as np

import lipscope

N, D, HEADS, HEAD_DIM = 98, 768, 12, 64


def seconds(work):
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def main(program: str, repeats: int, out: str) -> None:
    random = np.random.default_rng(0)
    tokens = random.normal(size=(N, D))
    q, k, v = random.normal(size=(3, HEADS, HEAD_DIM, D)) / np.sqrt(D)
    file = lipscope.Experiment.from_arrays(tokens, q, k, v).to_json().encode()
    ours, theirs = [], []
    # In turns, so that both meet the same load.
    for _ in range(repeats):
        took, found = seconds(lambda: lipscope.measure(tokens, q, k, v))
        ours.append(took)
        took, printed = seconds(lambda: subprocess.run([program, "measure"], input=file, capture_output=True, check=True))
        theirs.append(took)
    if json.loads(printed.stdout)["spectral"] != found.spectral:
        sys.exit("Python and the command line do not find the same digits")
    with open(out, "w") as target:
        json.dump({"shape": [N, D, HEADS, HEAD_DIM], "repeats": repeats, "python": min(ours), "command": min(theirs)}, target)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
