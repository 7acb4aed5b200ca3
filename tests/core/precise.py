"""Makes tests/golden/precise.json, norms of experiments with large offsets and small spreads, to 50 digits, and
tests/golden/cases.json, the norms of the experiments of tests/data/cases/experiments.

Attention is written out here from its definition in numbers of 110 digits (mpmath); its Jacobian comes from complex steps
of 1e-40, so no formula of the engine is used. Each case has the norm and its condition number: the relative change of
the norm per relative change of tokens and weights, summed in size over all entries. The L2 kernel with
Q = K only sees differences of tokens: where the entries of all tokens in a coordinate lie within an eighth of each other,
their size is that of the difference from the first one, and Q and K change together.

    pip install mpmath gmpy2
    python tests/core/precise.py
"""

import json
import math
import pathlib
import random

import mpmath
from mpmath import mp, mpc, mpf

mp.dps = 110
# Far below one over the scores of any case; its square is the relative error of the derivative.
STEP = mpf(10) ** -40
CASES = 200


def normalised(rows, kind, eps):
    if kind == "none":
        return rows
    out = []
    for row in rows:
        mean = mpmath.fsum(row) / len(row) if kind == "layer" else 0
        centred = [x - mean for x in row]
        scale = mpmath.sqrt(mpmath.fsum(x * x for x in centred) / len(row) + mpf(eps))
        out.append([x / scale for x in centred])
    return out


def times(matrix, vector):
    return [mpmath.fsum(a * x for a, x in zip(row, vector)) for row in matrix]


def attention(rows, experiment, heads):
    outputs = [[] for _ in rows]
    for q, k, v in heads:
        root = mpmath.sqrt(len(q))
        queries, keys, values = ([times(matrix, row) for row in rows] for matrix in (q, k, v))
        for i, query in enumerate(queries):
            seen = range(i + 1) if experiment["mask"] == "causal" else range(len(rows))
            if experiment["attention"] == "l2":
                scores = [-mpmath.fsum((a - b) * (a - b) for a, b in zip(query, keys[j])) / root for j in seen]
            else:
                scores = [mpmath.fsum(a * b for a, b in zip(query, keys[j])) / root for j in seen]
            largest = max(mpmath.re(score) for score in scores)
            powers = [mpmath.exp(score - largest) for score in scores]
            total = mpmath.fsum(powers)
            outputs[i] += [
                mpmath.fsum(power * values[j][row] for power, j in zip(powers, seen)) / total for row in range(len(v))
            ]
    if experiment["weights"].get("output"):
        matrix = [[mpf(x) for x in row] for row in experiment["weights"]["output"]]
        outputs = [times(matrix, output) for output in outputs]
    return [x for output in outputs for x in output]


def mapped(rows, experiment, heads):
    """f, including the normaliser in scope composed."""
    if experiment["normalization_scope"] == "composed":
        rows = normalised(rows, experiment["normalization"], experiment["eps"])
    return attention(rows, experiment, heads)


def start(rows, experiment):
    """The tokens at which the Jacobian is taken."""
    if experiment["normalization_scope"] == "composed":
        return rows
    return normalised(rows, experiment["normalization"], experiment["eps"])


def along(rows, field, experiment, heads):
    """J times a field."""
    moved = [[mpc(x, STEP * v) for x, v in zip(*pair)] for pair in zip(rows, field)]
    return [mpmath.im(y) / STEP for y in mapped(moved, experiment, heads)]


def jacobian(rows, experiment, heads):
    n, d = len(rows), len(rows[0])
    columns = []
    for i in range(n):
        for c in range(d):
            field = [[mpf(int((j, e) == (i, c))) for e in range(d)] for j in range(n)]
            columns.append(along(rows, field, experiment, heads))
    return mpmath.matrix(columns).T


def leading(matrix):
    """The largest singular value with its vectors."""
    values, vectors = mpmath.eigsy(matrix.T * matrix)
    at = max(range(len(values)), key=lambda at: values[at])
    right = vectors[:, at]
    left = matrix * right
    value = mpmath.norm(left)
    return value, left / value if value else left, right


def exact(matrices):
    return [[[mpf(x) for x in row] for row in matrix] for matrix in matrices]


def parts(experiment):
    rows = [[mpf(x) for x in row] for row in experiment["tokens"]["rows"]]
    return rows, [exact((head["q"], head["k"], head["v"])) for head in experiment["weights"]["heads"]]


def norm(experiment):
    """The norm alone; None where the map has no derivative."""
    global STEP
    rows, heads = parts(experiment)
    largest = max(abs(x) for row in rows for x in row)
    if largest > mpf(10) ** 20:
        mp.dps, STEP = 1500, mpf(10) ** -600
    else:
        mp.dps, STEP = 110, mpf(10) ** -40
    try:
        return leading(jacobian(start(rows, experiment), experiment, heads))[0]
    except ZeroDivisionError:
        return None


def solve(experiment):
    rows, heads = parts(experiment)
    n, d = len(rows), len(rows[0])
    value, left, right = leading(jacobian(start(rows, experiment), experiment, heads))
    field = [[right[i * d + c] for c in range(d)] for i in range(n)]

    def form():
        """u J v, whose change is that of the norm to first order."""
        moved = along(start(rows, experiment), field, experiment, heads)
        return mpmath.fsum(u * y for u, y in zip(left, moved))

    base = form()
    is_tied = all(head["q"] == head["k"] for head in experiment["weights"]["heads"])
    is_moved = experiment["attention"] == "l2" and is_tied and experiment["normalization"] == "none"
    first = list(rows[0])
    total = mpf(1)

    def is_common(c):
        """Whether the tokens' offset in this coordinate costs nothing."""
        sizes = [row[c] * mpmath.sign(first[c]) for row in rows]
        return is_moved and min(sizes) > 0 and max(sizes) <= 1.125 * min(sizes)

    # Lists of entries that change together, with the size of the change.
    places = [([(row, c)], row[c] - (first[c] if is_common(c) else 0)) for row in rows for c in range(d)]
    for q, k, v in heads:
        for c in range(d):
            for matrices in [(q, k), (v,)] if is_common(c) else [(q,), (k,), (v,)]:
                places += [([(row, c) for row in together], together[0][c]) for together in zip(*matrices)]
    for together, size in places:
        if size and value:
            change = abs(size) * mpf(10) ** -30
            for row, c in together:
                row[c] += change
            total += abs(form() - base) / mpf(10) ** -30 / value
            for row, c in together:
                row[c] -= change
    return value, total


def drawn(seed):
    dice = random.Random(seed)
    n, d = dice.choice([2, 3, 3, 4]), dice.choice([1, 2, 2, 3])
    attention_kind, mask = dice.choice(["dot", "l2"]), dice.choice(["none", "causal"])
    normalization = dice.choice(["none", "none", "layer", "rms"])
    scope = dice.choice(["inputs", "composed"]) if normalization != "none" else "inputs"
    spread = 10.0 ** dice.uniform(-8, 1)
    offset = 10.0 ** dice.uniform(-2, min(8, 15 + math.log10(spread)))
    centre = [offset * dice.choice([-1, 0, 1, 1]) * dice.uniform(0.5, 1) for _ in range(d)]
    rows = [[c + spread * dice.gauss(0, 1) for c in centre] for _ in range(n)]
    if dice.random() < 0.15:
        rows[dice.randrange(n)] = [spread * dice.gauss(0, 1) for _ in range(d)]
    if normalization == "none":
        reach = max(max(abs(x) for x in row) for row in rows) if attention_kind == "dot" else spread
        size = 10.0 ** dice.uniform(-0.5, 0.4) / math.sqrt(reach * spread) if dice.random() < 0.9 else 1.0
    else:
        size = 10.0 ** dice.uniform(-0.5, 0.4)
    heads = []
    for _ in range(dice.choice([1, 1, 2])):
        k = dice.choice([1, d])

        def matrix(height, factor):
            return [[factor * dice.gauss(0, 1) for _ in range(d)] for _ in range(height)]

        q = matrix(k, size)
        keys = q if dice.random() < 0.5 else matrix(k, size)
        heads.append({"q": q, "k": keys, "v": matrix(dice.choice([1, d]), 1.0)})
    eps = dice.choice([1e-5, 1e-5, 1e-12, 0.0]) if normalization != "none" and d > 1 else 1e-5
    return experiment_of(rows, heads, attention_kind, mask, normalization, scope, eps)


def experiment_of(rows, heads, attention_kind="dot", mask="none", normalization="none", scope="inputs", eps=1e-5):
    return {
        "attention": attention_kind,
        "mask": mask,
        "normalization": normalization,
        "normalization_scope": scope,
        "eps": eps,
        "tokens": {"source": "explicit", "rows": rows},
        "weights": {"source": "explicit", "heads": heads},
    }


def known():
    """Situations in which an earlier version was wrong."""

    def identity(d):
        matrix = [[float(i == j) for j in range(d)] for i in range(d)]
        return [{"q": matrix, "k": matrix, "v": matrix}]

    yield experiment_of([[9999998.68318622], [10000000.18547932]], identity(1), "l2", "causal")
    yield experiment_of([[1000000.000001739], [999999.999999504]], identity(1), "dot", "causal")
    yield experiment_of([[1e4, 3e3], [1.0, -2.0]], identity(2), "dot", "none", "layer", "composed")
    yield experiment_of([[1e6, 3e5], [2e6, -1e6]], identity(2), "dot", "none", "layer", "composed")
    yield experiment_of([[1e5], [-3e4], [2e5]], identity(1), "dot", "none", "rms", "composed")
    yield experiment_of([[1e8, 0.0], [1e8 + 1, 1.0], [1e8 - 1, 0.5]], identity(2), "l2")
    yield experiment_of([[1e7, 0.3], [1e7 + 1, 1.0], [1e7 - 1, 0.5], [0.0, 0.0]], identity(2), "l2")
    yield experiment_of([[2.0, 2.0, 2.0000001], [1.0, 0.0, -1.0]], identity(3), "dot", "none", "layer", "composed", 0.0)


def completed(experiment):
    """An experiment file with all defaults and weights written out."""
    weights = experiment["weights"]
    if weights["source"] == "identity":
        d, sign = len(experiment["tokens"]["rows"][0]), weights["sign"]
        plain = [[float(i == j) for j in range(d)] for i in range(d)]
        # A = K^T Q / sqrt(k) is plus or minus the identity.
        signed = [[sign * math.sqrt(d) * x for x in row] for row in plain]
        weights = {"heads": [{"q": plain, "k": signed, "v": plain}]}
    defaults = {"attention": "dot", "mask": "none", "normalization": "none", "eps": 1e-5}
    defaults["normalization_scope"] = "inputs"
    return {**defaults, **experiment, "weights": weights}


def write_cases(golden):
    folder = pathlib.Path(__file__).parent.parent / "data" / "cases" / "experiments"
    found = {}
    for file in sorted(folder.iterdir()):
        texts = file.read_text(encoding="utf-8").splitlines() if file.suffix == ".jsonl" else [file.read_text()]
        values = [norm(completed(json.loads(text))) for text in texts]
        found[file.name] = [None if value is None else float(mpmath.nstr(value, 20)) for value in values]
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(values)}" for name, values in found.items())
    (golden / "cases.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def main():
    golden = pathlib.Path(__file__).parent.parent / "golden"
    cases, seed = [], 0
    waiting = list(known())
    while len(cases) < CASES:
        experiment = waiting.pop(0) if waiting else drawn(seed)
        seed += 1
        value, condition = solve(experiment)
        # Numbers below those that f64 keeps to full precision say nothing.
        if value < mpf(10) ** -290 or condition > mpf(10) ** 12:
            continue
        # Of those whose attention does not move, uniform or one-hot, a few are enough.
        if condition < 2.6 and len(cases) >= 8 and seed % 8 > 0:
            continue
        found = {"spectral": mpmath.nstr(value, 50), "condition": float(mpmath.nstr(condition, 4))}
        cases.append({"experiment": experiment, **found})
    lines = ",\n".join(json.dumps(case) for case in cases)
    (golden / "precise.json").write_text(f'{{"cases": [\n{lines}\n]}}\n', encoding="utf-8")
    write_cases(golden)


if __name__ == "__main__":
    main()