"""The norm of the Jacobian of any function of JAX, such as a layer of Flax or Equinox.

Examples
--------
>>> import jax.numpy as jnp
>>> import lipscope.jax
>>> found = lipscope.jax.norm(lambda x: 3 * jnp.sin(x), jnp.zeros((2, 2)))
>>> f"{found.value:.5f}"
'3.00000'
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ._arrays import first_line, whole
from ._linear import adjoint_gap, lanczos, rounding_of
from ._results import Norm
from ._slopes import Slopes

try:
    import jax
    import jax.numpy as jnp
except ImportError as problem:
    raise ImportError("lipscope.jax needs JAX. Install it: pip install jax.") from problem

__all__ = ["norm"]


def norm(
    f: Callable[[Any], Any],
    x: Any,
    *,
    tolerance: float = 1e-10,
    iterations: int = 600,
    seed: int = 0,
    failure: float | None = 1e-9,
) -> Norm:
    """The spectral norm of the Jacobian of any function at x, by Golub-Kahan-Lanczos on `jax.jvp` and `jax.vjp`, both compiled.

    Parameters
    ----------
    f : function of an array
        With one array of floating-point numbers as its result: a layer with its parameters, such as
        ``lambda x: module.apply(params, x)`` in Flax, or a module of Equinox itself.
    x : array
        The point. In float32, which JAX has without ``jax_enable_x64``, products are rounded to seven digits: the result has this
        as its `rounding`.
    tolerance, iterations, seed, failure
        As for `lipscope.torch.norm`.

    Returns
    -------
    lipscope.Norm
        Its `right` and `left` vectors are flat, in the order of the entries of x and f(x).

    Raises
    ------
    ValueError
        For NaN or infinity in x, in f(x) or in a derivative, a function that gives another output when it is called again, forward
        and reverse derivatives that differ, as those of `jax.custom_vjp` may, and derivatives that are not those of the values,
        because x is at a kink or a part of `f` has a derivative of its own.
    TypeError
        For an x or an f(x) that is no array of floating-point numbers.

    Notes
    -----
    A part of `f` inside `jax.lax.stop_gradient` has no derivative, as JAX has it, though its values move: that is refused too, where
    a few random directions show it.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> matrix = jnp.array([[3.0, 0.0], [0.0, 1.0]])
    >>> round(norm(lambda x: x @ matrix, jnp.ones((4, 2))).value, 5)
    3.0
    """
    seed = whole("seed", seed)
    x = jnp.asarray(x)
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise TypeError(f"`x` holds {x.dtype}, but it must hold floating-point numbers.")
    _check("`x`", x)
    try:
        value, pull = jax.vjp(f, x)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"`f` cannot be differentiated in reverse at `x`: {first_line(problem)}.") from problem
    if not isinstance(value, jax.Array) or not jnp.issubdtype(value.dtype, jnp.floating):
        what = str(value.dtype) if isinstance(value, jax.Array) else f"a {type(value).__name__}"
        raise TypeError(f"`f` returns {what}, but it must return one array of floating-point numbers.")
    _check("`f(x)`", value)
    eps = max(float(jnp.finfo(part.dtype).eps) for part in (x, value))
    again = f(x)
    if again.shape != value.shape or float(jnp.linalg.norm(again - value)) > max(1e-6, 4 * eps) * float(jnp.linalg.norm(value)):
        raise ValueError("`f` gives another output when it is called again. Give it a key of its own, and leave dropout out.")
    push, back = jax.jit(lambda v: jax.jvp(f, (x,), (v,))[1]), jax.jit(lambda u: pull(u)[0])
    forward = lambda v: _vector("forward", push, v, x)
    reverse = lambda u: _vector("reverse", back, u, value)
    shape = (value.size, x.size)
    gap = adjoint_gap(shape, forward, reverse, seed)
    if gap is not None and not gap <= max(eps, float(np.finfo(np.float32).eps)) ** 0.5:
        raise ValueError(
            f"The forward and the reverse derivative of `f` at `x` differ (by {gap:.1g}, relative). A part of it has a derivative of "
            "its own that is another one, or runs in half precision."
        )
    if all(shape):

        def at(change: np.ndarray) -> np.ndarray | None:
            try:
                there = f(x + jnp.asarray(change, x.dtype).reshape(x.shape))
            except (TypeError, ValueError, ArithmeticError):
                return None
            return np.asarray(there, np.float64).ravel()

        least = max(float(jnp.finfo(part.dtype).tiny) for part in (x, value))
        slopes = Slopes(at, np.asarray(x, np.float64), np.asarray(value, np.float64), eps, least)
        if slopes.differ_from(forward, seed):
            raise ValueError(
                "What JAX gives as the derivative of `f` at `x` is not that of its values: for a random v and small h, "
                "`f(x + h v) - f(x)` is another change. A part of `f` has a derivative of its own or none, as inside "
                "`stop_gradient`, or `f` has a kink at `x`."
            )
    return lanczos(shape, forward, reverse, (tolerance, iterations, seed), failure, rounding_of(eps, gap))


def _vector(which: str, product: Callable[[Any], Any], vector: np.ndarray, like: Any) -> np.ndarray:
    try:
        image = product(jnp.asarray(np.array(vector), like.dtype).reshape(like.shape))
    except (TypeError, ValueError, NotImplementedError) as problem:
        raise ValueError(f"`f` has no {which} derivative at `x`: {first_line(problem)}.") from problem
    found = np.asarray(image, np.float64).ravel()
    if not np.isfinite(found).all():
        raise ValueError(f"The {which} derivative of `f` at `x` is NaN or infinite, so that it has no norm.")
    return found


def _check(name: str, array: Any) -> None:
    if not bool(jnp.isfinite(array).all()):
        raise ValueError(f"{name} holds NaN or infinity, so that there is no Jacobian.")
