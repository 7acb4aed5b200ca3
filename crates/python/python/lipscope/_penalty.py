"""The norm of a Jacobian as a number that can be differentiated."""

from __future__ import annotations

from typing import Callable

import torch

from ._arrays import real, whole
from ._buffers import kept_buffers
from ._closed import closed_attentions
from ._golub_kahan import JacobianProducts, leading_pair
from ._norm import differentiable, named, one_tensor, without_randomness


def penalty(
    f: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    *,
    tolerance: float = 1e-3,
    iterations: int = 30,
    seed: int = 0,
) -> torch.Tensor:
    """The spectral norm of the Jacobian of a function at x, differentiable in the parameters of the function and in x.

    Parameters
    ----------
    f : function of a tensor
        Such as a layer, or what `lipscope.torch.norm` takes. Dropout must be off.
    x : tensor
        The point.
    tolerance, iterations, seed
        Of the iteration that finds the pair of singular vectors: the relative residual at which it stops, the most steps, and the
        start vector.

    Returns
    -------
    tensor without axes
        <J^T u, v> at the pair that was found: a lower bound, and off by the square of the residual at most where the norm is a
        simple singular value. Its gradient is <u, dJ v>, that of the norm itself.

    Raises
    ------
    TypeError
        For a function that does not return one tensor of floating-point numbers.
    ValueError
        For a function that draws random numbers, has a batch norm in train mode or cannot be differentiated, and for products that
        are NaN or infinite.

    Notes
    -----
    A part of `f` that is detached has no derivative, as PyTorch has it: `lipscope.torch.norm` refuses such functions.

    The iteration has no derivative of its own and keeps no n x n matrix; the last product does, since it is differentiated twice.

    Examples
    --------
    >>> import torch
    >>> scale = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    >>> found = penalty(lambda x: scale * torch.sin(x), torch.zeros(3, dtype=torch.float64))
    >>> found.backward()
    >>> round(found.item(), 9), round(scale.grad.item(), 9)
    (2.0, 1.0)
    """
    if not isinstance(x, torch.Tensor) or not x.is_floating_point():
        raise TypeError("`x` must be a tensor of floating-point numbers.")
    tolerance, iterations = real("tolerance", tolerance), whole("iterations", iterations, least=1)
    measured = lambda x: one_tensor(f(x))
    with differentiable(), kept_buffers():
        with closed_attentions():
            point = x.detach()
            with without_randomness(point), named("in reverse"):
                products = JacobianProducts(measured, point)
            draw = torch.Generator().manual_seed(whole("seed", seed))
            start = torch.randn(x.shape, generator=draw, dtype=torch.float64).to(x.device, x.dtype)
            pair = leading_pair(products.forward, products.reverse, start, tolerance=tolerance, steps=iterations)
        if pair is None:
            raise ValueError("A product with the Jacobian of `f` at `x` is NaN or infinite, so that it has no norm.")
        # Twice in reverse: the forward derivative of some of PyTorch's functions, as LayerNorm, has no right derivative of its own.
        here = x if x.requires_grad else x.detach().clone().requires_grad_()
        # A function may change its argument in place.
        value = measured(here.clone())
        if not value.requires_grad:
            # Nothing of `f` depends on x.
            return value.new_zeros(())
        (back,) = torch.autograd.grad(value, here, pair.left.to(value.dtype), create_graph=True)
        return (back * pair.right.to(back.dtype)).sum()
