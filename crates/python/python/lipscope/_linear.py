"""The Jacobian as a matrix and as a map, and the norm of any map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _lipscope
from ._arrays import ArrayLike, contiguous, plain, real, vector, whole
from ._experiment import experiment_of
from ._functions import _bytes
from ._measurement import CONVERGED
from ._results import ROUNDINGS, Norm

#: Pairs of random vectors at which the products of a map and of its transpose are compared.
_PROBES = 2
#: The digits of products that are taken for right: those of float32, whatever the map's own type is.
_EPS = float(np.finfo(np.float32).eps)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._experiment import Options


def jacobian(
    tokens: Any,
    q: ArrayLike | None = None,
    k: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    form: str = "dense",
    memory: int | None = None,
    **options: Unpack[Options],
) -> Any:
    """The Jacobian of attention at given tokens.

    Parameters
    ----------
    tokens, q, k, v, **options
        As for `lipscope.measure`.
    form : {"dense", "operator"}
        An array, or a `scipy.sparse.linalg.LinearOperator`, whose products never form it.
    memory : int, optional
        The most bytes that it may hold; without it 2 GiB.

    Returns
    -------
    array (n d_out, n d), or LinearOperator
        Row ``i d_out + r`` is entry r of output token i, column ``j d + c`` entry c of token j.

    Examples
    --------
    >>> tokens, one = np.array([[-1.0], [0.5], [1.0]]), np.eye(1)
    >>> jacobian(tokens, one, -one, one).shape
    (3, 3)
    """
    experiment = experiment_of(tokens, q, k, v, **options)
    if form == "dense":
        entries, n_rows, n_columns = _lipscope.dense_jacobian(experiment._engine, _bytes(memory))
        # The engine's matrices are stored by columns.
        return entries.reshape(n_columns, n_rows).T
    if form != "operator":
        raise ValueError(f"`form` is {form!r}, but it must be one of: dense, operator.")
    try:
        from scipy.sparse.linalg import LinearOperator
    except ImportError as problem:
        raise ImportError('form="operator" needs SciPy. Install it: pip install scipy.') from problem
    products = _lipscope.Jacobian(experiment._engine, _bytes(memory))
    flat = lambda x: contiguous(plain("x", x).ravel())
    return LinearOperator(
        products.shape,
        matvec=lambda x: products.matvec(flat(x)),
        rmatvec=lambda x: products.rmatvec(flat(x)),
        dtype=np.float64,
    )


def spectral_norm(
    operator: Any,
    *,
    tolerance: float = 1e-10,
    iterations: int = 600,
    seed: int = 0,
    failure: float | None = 1e-9,
) -> Norm:
    """The spectral norm of any linear map, by Golub-Kahan-Lanczos on its products.

    Parameters
    ----------
    operator : array or sparse array of SciPy (m, n), or an object with `shape`, `matvec` and `rmatvec`
        Such as a `scipy.sparse.linalg.LinearOperator`.
    tolerance : float
        The relative residual at which the iteration stops, from 1e-15 to 1e-2.
    iterations : int
        The most steps; a step is one product each way.
    seed : int
        Of the start vector.
    failure : float or None
        The probability, over the seeds, that the upper number is too small: at most 0.5. It takes ten more steps at most;
        None leaves it out. Products that are rounded to float32 have none: their rounding would decide.

    Returns
    -------
    Norm
        With the residual of the singular vectors themselves: |J^T u - s v| / s.

    Raises
    ------
    ValueError
        For numbers that are not finite, and where `rmatvec` is not the transpose of `matvec`: at random u and v,
        <u, matvec(v)> and <rmatvec(u), v> differ by more than products that are rounded to float32, or to the map's `dtype` where
        that is coarser.

    Examples
    --------
    >>> found = spectral_norm(np.diag([3.0, 1.0, 2.0]))
    >>> f"{found.value:.12f}", found.kind
    ('3.000000000000', 'exact')
    """
    if hasattr(operator, "matvec") and not hasattr(operator, "rmatvec"):
        raise TypeError("`operator` has no `rmatvec`, the product with the transposed matrix. Give it one.")
    if not hasattr(operator, "matvec"):
        array = _finite_matrix(operator)
        return lanczos(array.shape, lambda x: array @ x, lambda x: array.T @ x, (tolerance, iterations, seed), failure)
    apply = lambda x: vector("operator.matvec", np.ravel(operator.matvec(x)))
    transpose = lambda x: vector("operator.rmatvec", np.ravel(operator.rmatvec(x)))
    rounding = _checked_rounding(operator, apply, transpose, whole("seed", seed))
    return lanczos(operator.shape, apply, transpose, (tolerance, iterations, seed), failure, rounding)


def _finite_matrix(given: Any) -> Any:
    """A dense or sparse matrix of finite float64 numbers."""
    sparse = hasattr(given, "tocoo")
    array = given if sparse else plain("operator", given)
    if array.ndim != 2:
        raise ValueError(f"`operator` has shape {array.shape}, but it must be a matrix.")
    if sparse:
        entries = array.tocoo()
        rows, columns, values = entries.row, entries.col, plain("operator", entries.data)
    else:
        values = array
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        first = tuple(wrong[0])
        row, column = (rows[first], columns[first]) if sparse else first
        found = "NaN" if np.isnan(values[first]) else "infinite"
        raise ValueError(
            f"Row {row + 1}, column {column + 1} of `operator` is {found}: the matrix has no norm. Give finite numbers."
        )
    return array.tocsr().astype(np.float64) if sparse else contiguous(array)


def _checked_rounding(operator: Any, apply: Any, transpose: Any, seed: int) -> float:
    """How far the products of a map are rounded, relative. Refuses a map whose `rmatvec` is that of another one."""
    try:
        own = float(np.finfo(operator.dtype).eps)
    except (AttributeError, TypeError, ValueError):
        own = 0.0
    eps = max(_EPS, own)
    n_outputs, n_inputs = (whole("shape", size) for size in operator.shape)
    gap = adjoint_gap((n_outputs, n_inputs), apply, transpose, seed)
    if gap is not None and not gap <= eps**0.5:
        raise ValueError(
            f"`operator.rmatvec` is not the transpose of `operator.matvec`: at random u and v, <u, matvec(v)> and <rmatvec(u), v> "
            f"differ by {gap:.1g}, relative, but they must be equal up to rounding. Give the product with the transposed matrix."
        )
    return rounding_of(own, gap)


def rounding_of(eps: float, gap: float | None) -> float:
    """How far products may be rounded, relative, given the rounding of their type and `adjoint_gap`.

    For 21 modules in float32, bfloat16 and float16, the norm was off by up to eight times the larger one, mostly by a tenth of it.
    """
    return ROUNDINGS * max(eps, gap or 0.0, float(np.finfo(np.float64).eps))


def adjoint_gap(shape: tuple[int, int], apply: Any, transpose: Any, seed: int) -> float | None:
    """The most by which <u, J v> and <J^T u, v> differ at random vectors, relative to the size that these products have.

    It is also a sample of how far products are rounded. None where there is nothing to compare: without entries, or for products
    of other lengths or with entries that are not finite, which the iteration refuses by their name.
    """
    n_outputs, n_inputs = shape
    if n_outputs == 0 or n_inputs == 0:
        return None
    draw, most = np.random.default_rng(seed), 0.0
    for _ in range(_PROBES):
        u, v = draw.normal(size=n_outputs), draw.normal(size=n_inputs)
        image = apply(v)
        if len(image) != n_outputs:
            return None
        preimage = transpose(u)
        if len(preimage) != n_inputs:
            return None
        largest = max(np.abs(image).max(), np.abs(preimage).max())
        if not np.isfinite(largest):
            return None
        if largest > 0:
            # The squares of numbers below 1e-154 are lost, and sums of numbers near 1e308.
            image, preimage = image / largest, preimage / largest
            # Each is the size that the products of random vectors have.
            scale = max(np.linalg.norm(image), np.linalg.norm(preimage))
            # Below the least number, rounding is no longer relative.
            lost = np.finfo(np.float64).smallest_subnormal / largest * (n_outputs + n_inputs)
            most = max(most, float(max(abs(u @ image - preimage @ v) - lost, 0.0) / scale))
    return most


def lanczos(
    shape: tuple[int, int],
    apply: Any,
    transpose: Any,
    options: tuple[float, int, int],
    failure: float | None,
    rounding: float = rounding_of(0.0, None),
) -> Norm:
    """The norm of the map of that shape whose products are two functions of vectors, given tolerance, iterations and seed, and how
    far these products are rounded.
    """
    tolerance, iterations, seed = options
    n_outputs, n_inputs = (whole("shape", size) for size in shape)
    checked = real("tolerance", tolerance), whole("iterations", iterations, least=1), whole("seed", seed)
    chance = None if failure is None else real("failure", failure)
    value, residual, steps, right, left, upper = _lipscope.operator_norm(
        (n_inputs, n_outputs), apply, transpose, checked, chance
    )
    kind = "exact" if max(residual, rounding) <= CONVERGED else "lower bound"
    return Norm(value, kind, residual, steps, right, left, upper, None if upper is None else chance, rounding)
