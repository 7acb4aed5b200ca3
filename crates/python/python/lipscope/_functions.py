"""Measuring: the functions that take arrays or an experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _lipscope
from ._arrays import ArrayLike, numbers, real, whole, word
from ._bounds import BoundTable, Growth
from ._experiment import Experiment, experiment_of
from ._measurement import Measurement
from ._results import CertifiedRow, Certificate, Search, Spectrum, Sweep

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._experiment import Options

#: Tokens as an array, or a whole experiment: an Experiment, the dict or the text of its file.
_Input = Any


def measure(
    tokens: _Input,
    q: ArrayLike | None = None,
    k: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    norm: str = "spectral",
    tolerance: float = 1e-10,
    memory: int | None = None,
    **options: Unpack[Options],
) -> Measurement:
    """The local Lipschitz constant of self-attention at given tokens, and the bounds on it.

    Parameters
    ----------
    tokens : array (n, d), or Experiment, dict or str
        A row a token; or a whole experiment, or its file.
    q, k : array (heads, k, d) or (k, d)
        The matrices of queries and keys.
    v : array (heads, d_v, d) or (d_v, d)
        The matrix of values.
    norm : {"spectral", "frobenius", "linf", "l1", "max_token"}
        The norm of the Jacobian. All but the first need every entry of it; the last is an upper bound on it.
    tolerance : float
        The relative residual at which the iteration stops, from 1e-15 to 1e-2.
    memory : int, optional
        The most bytes that the measurement may hold; without it 2 GiB. One that would hold more is refused.
    **options
        `output`, `mask`, `attention`, `score`, `weighting`, `q2`, `k2`, `lam`, `normalization`, `normalization_scope` and `eps` of `Experiment.from_arrays`.

    Returns
    -------
    Measurement

    Raises
    ------
    ValueError
        For what cannot be measured, with the argument and the fix.
    TypeError
        For what holds no real numbers.

    Examples
    --------
    Two heads on four tokens:

    >>> rng = np.random.default_rng(0)
    >>> tokens, q, k, v = rng.normal(size=(4, 3)), *rng.normal(size=(3, 2, 2, 3))
    >>> found = measure(tokens, q, k, v, mask="causal")
    >>> found.kind, found.method
    ('exact', 'dense_svd')
    >>> all(found.value <= bound.value for bound in found.bounds if bound.kind == "upper bound")
    True

    The adversarial tokens on a line:

    >>> tokens = np.ones((100, 1)); tokens[0] = -1
    >>> f"{measure(tokens, [[1.0]], [[-1.0]], [[1.0]]).value:.4f}"
    '2.0504'
    """
    experiment = experiment_of(tokens, q, k, v, **options)
    arguments = word("norm", norm), real("tolerance", tolerance), _bytes(memory)
    return Measurement._of(_lipscope.measure(experiment._engine, *arguments), norm, experiment)


def bounds(
    tokens: _Input,
    q: ArrayLike | None = None,
    k: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    lengths: Sequence[float] | None = None,
    memory: int | None = None,
    **options: Unpack[Options],
) -> BoundTable:
    """All bounds on the ball at a list of n, for an experiment's weights and radius.

    Parameters
    ----------
    tokens, q, k, v, **options
        As for `measure`. R is the largest norm of a token, or the radius that a distribution states.
    lengths : list of numbers from 2 to 1e300, optional
        The n; without it the experiment's own.

    Returns
    -------
    BoundTable

    Examples
    --------
    >>> table = bounds([[-1.0], [1.0]], [[1.0]], [[-1.0]], [[1.0]], lengths=[2, 100, 1e18])
    >>> bool((table["sharp"] <= table["unified"]).all())
    True
    >>> bool(np.isnan(table["unified_masked"]).all())
    True
    """
    experiment = experiment_of(tokens, q, k, v, **options)
    given = [float(experiment.n)] if lengths is None else numbers("lengths", lengths)
    return BoundTable(**BoundTable._parts(_lipscope.bound_table(experiment._engine, given, _bytes(memory))))


def growth(
    tokens: _Input,
    q: ArrayLike | None = None,
    k: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    lengths: Sequence[float] | None = None,
    growing_from: float | None = None,
    memory: int | None = None,
    **options: Unpack[Options],
) -> Growth:
    """The growth of the Lipschitz constant with n: all bounds, and the exact norms at the adversarial tokens.

    Parameters
    ----------
    tokens, q, k, v, **options
        As for `measure`.
    lengths : list of numbers from 2 to 1e300, optional
        The n; without it 60 of them up to 1e18, evenly spaced in log n.
    growing_from : float, optional
        Let R grow like sqrt(log n), with the experiment's own R at this n. With a normaliser the ball of the bounds
        keeps its radius sqrt(d).

    Returns
    -------
    Growth

    Examples
    --------
    >>> found = growth([[-1.0], [1.0]], [[1.0]], [[-1.0]], [[1.0]], lengths=[2, 10, 100])
    >>> bool((found.adversarial <= found["unified"]).all())
    True
    >>> f"{found.crossover:.3f}"
    '2.000'
    """
    experiment = experiment_of(tokens, q, k, v, **options)
    given = (
        np.unique(np.round(np.logspace(np.log10(2), 18, 60))).tolist()
        if lengths is None
        else numbers("lengths", lengths)
    )
    grows = None if growing_from is None else real("growing_from", growing_from)
    rows, points, crossover = _lipscope.growth(experiment._engine, given, grows, _bytes(memory))
    exact = dict(points)
    parts = BoundTable._parts(rows)
    adversarial = np.array([exact.get(n, np.nan) for n in parts["n"]])
    return Growth(**parts, adversarial=adversarial, crossover=None if crossover is None else crossover[0])


def sweep(
    tokens: _Input,
    q: ArrayLike | None = None,
    k: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    lengths: str | Sequence[int] = "2:256:x16",
    draws: int = 8,
    norm: str = "spectral",
    threads: int = 0,
    memory: int | None = None,
    **options: Unpack[Options],
) -> Sweep:
    """A norm over lengths n, with several random samples at each.

    Parameters
    ----------
    tokens, q, k, v, **options
        As for `measure`. Listed tokens are sampled by random subsets, a distribution by new draws.
    lengths : str or list of int
        ``2,4,8``, ``first:last:step``, or ``first:last:xCOUNT`` for COUNT lengths evenly spaced in log n.
    draws : int
        Samples at each length.
    norm : str
        As for `measure`.
    threads : int
        0 for all cores.

    Returns
    -------
    Sweep

    Examples
    --------
    >>> experiment = {"tokens": {"source": "random", "distribution": "ball", "d": 2, "radius": 1.5},
    ...               "weights": {"source": "identity", "sign": -1}}
    >>> found = sweep(experiment, lengths=[2, 8, 32], draws=4)
    >>> found.value.shape, sorted(found.fit)
    ((12,), ['exponent', 'factor', 'factor_95', 'half_width_95', 'points'])
    """
    experiment = experiment_of(tokens, q, k, v, **options)
    if not isinstance(lengths, str):
        if not hasattr(lengths, "__iter__"):
            raise TypeError(f"`lengths` is {lengths!r}, but it must be a text or a list of whole numbers.")
        lengths = [whole("lengths", n) for n in lengths]
    counts = whole("draws", draws), word("norm", norm), whole("threads", threads, most=1024)
    return Sweep._of(_lipscope.sweep(experiment._engine, lengths, *counts, _bytes(memory)), norm)


def search(
    tokens: _Input,
    q: ArrayLike | None = None,
    k: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    restarts: int = 12,
    steps: int = 400,
    region: str = "ball",
    dim: int | None = None,
    seed: int = 0,
    memory: int | None = None,
    **options: Unpack[Options],
) -> Search:
    """Searches the ball for tokens with a large norm, by gradient ascent with restarts.

    Parameters
    ----------
    tokens, q, k, v, **options
        As for `measure`. These tokens are the first start; R is their largest norm, or the radius of their distribution.
    restarts : int
        Starts: the tokens, adversarial ones, clusters, then random ones.
    steps : int
        The most iterations of each start.
    region : {"ball", "sphere"}
        Whether |x_i| <= R or |x_i| = R.
    dim : int, optional
        A larger dimension than the tokens'; it needs identity weights.
    seed : int
        Of the random starts and kicks.

    Returns
    -------
    Search
        A lower bound on the Lipschitz constant, and the tokens that reach it.

    Examples
    --------
    >>> found = search([[-1.0], [0.5], [1.0]], [[1.0]], [[-1.0]], [[1.0]], restarts=2, steps=20)
    >>> found.kind, found.value >= measure([[-1.0], [0.5], [1.0]], [[1.0]], [[-1.0]], [[1.0]]).value
    ('lower bound', True)
    """
    experiment = experiment_of(tokens, q, k, v, **options)
    effort = whole("restarts", restarts), whole("steps", steps), whole("seed", seed)
    dim = None if dim is None else whole("dim", dim)
    text, best = _lipscope.search(experiment._engine, effort, word("region", region), dim, _bytes(memory))
    return Search._of(text, Experiment(best))


def certify(
    tokens: _Input,
    q: ArrayLike | None = None,
    k: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    epsilon: float | Sequence[float] = (1e-3, 1e-2, 1e-1),
    restarts: int = 3,
    steps: int = 40,
    seed: int = 0,
    memory: int | None = None,
    **options: Unpack[Options],
) -> Certificate:
    """Bounds the norm at all tokens within epsilon of these.

    Parameters
    ----------
    tokens, q, k, v, **options
        As for `measure`: dot-product attention at a list of tokens, without a normaliser.
    epsilon : float or list of floats
        How far each token may move, in units of R, the largest norm of a token.
    restarts, steps, seed : int
        The effort of the search within each epsilon.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> row, = certify([[-1.0], [0.5], [1.0]], [[1.0]], [[-1.0]], [[1.0]], epsilon=0.1)
    >>> row.found <= row.certified
    True
    """
    experiment = experiment_of(tokens, q, k, v, **options)
    effort = whole("restarts", restarts), whole("steps", steps), whole("seed", seed)
    rows = _lipscope.certify(experiment._engine, numbers("epsilon", epsilon), effort, _bytes(memory))
    return Certificate([CertifiedRow(*row) for row in rows])


def spectrum(
    tokens: _Input,
    q: ArrayLike | None = None,
    k: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    count: int = 20,
    map: str = "attention",
    memory: int | None = None,
    **options: Unpack[Options],
) -> Spectrum:
    """Singular values of the Jacobian: all of a small one, the leading ones of a large one.

    Parameters
    ----------
    tokens, q, k, v, **options
        As for `measure`.
    count : int
        How many, from 1 to 100, where the Jacobian has more than 600 rows or columns.
    map : {"attention", "attention-residual"}
        Whose Jacobian: attention F(X), or attention with its residual connection, X + F(X).

    Returns
    -------
    Spectrum

    Examples
    --------
    >>> found = spectrum([[-1.0], [0.5], [1.0]], [[1.0]], [[-1.0]], [[1.0]])
    >>> found.coverage, found.size
    ('all', 3.0)
    """
    experiment = experiment_of(tokens, q, k, v, **options)
    return Spectrum._of(_lipscope.spectrum(experiment._engine, whole("count", count), word("map", map), _bytes(memory)))


def _bytes(memory: int | None) -> int | None:
    return None if memory is None else whole("memory", memory, least=1)
