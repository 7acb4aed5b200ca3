"""The norm of the Jacobian of any function of PyTorch."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import torch
import torch.nn.attention

from ._linear import lanczos
from ._masks import float64
from ._results import Norm


def norm(
    f: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    *,
    tolerance: float = 1e-10,
    iterations: int = 600,
    seed: int = 0,
    failure: float | None = 1e-9,
) -> Norm:
    """The spectral norm of the Jacobian of any function at x, by Golub-Kahan-Lanczos on its jvp and vjp.

    Parameters
    ----------
    f : function of a tensor
        What `torch.func.jvp` and `torch.func.vjp` can differentiate.
    x : tensor
        The point. In float32, products are rounded to seven digits: the residual shows how accurate the norm is.
    tolerance : float
        The relative residual at which the iteration stops, from 1e-15 to 1e-2.
    iterations : int
        The most steps; a step is one jvp and one vjp.
    seed : int
        Of the start vector.
    failure : float or None
        The probability, over the seeds, that the upper number is too small: at most 0.5. It takes ten more steps at most;
        None leaves it out. Products that are rounded to float32, at any place, have none: their rounding would decide.

    Returns
    -------
    lipscope.Norm
        Its `right` and `left` vectors are flat, in the order of the entries of x and f(x).

    Examples
    --------
    >>> import torch
    >>> found = norm(lambda x: 3 * torch.sin(x), torch.zeros(2, 2, dtype=torch.float64))
    >>> f"{found.value:.12f}", found.kind
    ('3.000000000000', 'exact')
    """
    if not isinstance(x, torch.Tensor) or not x.is_floating_point():
        raise TypeError("`x` must be a tensor of floating-point numbers.")
    x = x.detach()
    try:
        with _differentiable():
            value, pull = torch.func.vjp(f, x)
    except RuntimeError as problem:
        raise ValueError(f"`f` cannot be differentiated at `x`: {str(problem).splitlines()[0]}") from problem
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"`f` returns a {type(value).__name__}, but it must return one tensor.")

    def tensor(vector: np.ndarray, like: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(np.array(vector)).to(like.dtype).to(like.device).reshape(like.shape)

    def apply(v: np.ndarray) -> np.ndarray:
        with _differentiable():
            return float64(torch.func.jvp(f, (x,), (tensor(v, x),))[1]).ravel()

    def transpose(u: np.ndarray) -> np.ndarray:
        return float64(pull(tensor(u, value), retain_graph=True)[0]).ravel()

    return lanczos((value.numel(), x.numel()), apply, transpose, (tolerance, iterations, seed), failure)


def _differentiable() -> Any:
    """Attention by its formula: the fused kernels cannot be differentiated forward."""
    return torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)
