"""The norm of the Jacobian of any function of PyTorch."""

from __future__ import annotations

import random
from contextlib import contextmanager
from typing import Any, Callable, Iterator

import numpy as np
import torch
import torch.nn.attention

from ._arrays import first_line, whole
from ._buffers import kept_buffers
from ._calls import eagerly, refuse_quantized
from ._closed import closed_attentions
from ._golub_kahan import JacobianProducts
from ._linear import adjoint_gap, lanczos, rounding_of
from ._masks import float64
from ._results import Norm
from ._slopes import Slopes, length

#: The most that two outputs of a function at one point may differ, relative to their length.
_REPEATED = 1e-6


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
        What `torch.func.jvp` and `torch.func.vjp` can differentiate, and gives the same output in every call.
    x : tensor
        The point. In float32, products are rounded to seven digits, in half precision to three: the result has this as its
        `rounding`, and a lower bound is one up to it. In float64, also of a module, it is one to fifteen digits.
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

    Raises
    ------
    ValueError
        For a function that draws random numbers (dropout in train mode), has a batch norm in train mode, or gives another output
        in its second call, for NaN in x, in f(x) or in the derivative, where the forward and the reverse derivative differ: |<u, J v> - <J^T u, v>|, and where
        they are not the derivative of the values, because a part is detached or x is at a kink.

    Notes
    -----
    Values and derivative are compared along a few random directions, to one percent: a detached part that is smaller than that, or
    that only a few of many entries have, is not seen, and the value is then that of the derivative.

    `torch.no_grad` and `torch.inference_mode` around the call do not matter. Buffers that `f` changes in place, such as running
    statistics, have their numbers back in the end, also where `f` is refused.

    Examples
    --------
    >>> import torch
    >>> found = norm(lambda x: 3 * torch.sin(x), torch.zeros(2, 2, dtype=torch.float64))
    >>> f"{found.value:.12f}", found.kind
    ('3.000000000000', 'exact')
    """
    if not isinstance(x, torch.Tensor) or not x.is_floating_point():
        raise TypeError("`x` must be a tensor of floating-point numbers.")
    if isinstance(f, torch.nn.Module):
        refuse_quantized(f)
        _refuse_attention(f)
    seed = whole("seed", seed)
    with differentiable(), closed_attentions(), kept_buffers():
        # A clone: an inference tensor cannot be differentiated at.
        products = _Products(f, x.detach().clone())
        gap = products.check_adjoint(seed)
        if all(products.shape):
            products.check_values(seed)
        options, rounding = (tolerance, iterations, seed), rounding_of(products.eps, gap)
        return lanczos(products.shape, products.forward, products.reverse, options, failure, rounding)


def _refuse_attention(f: torch.nn.Module) -> None:
    """`torch.nn.MultiheadAttention` is no function of one tensor."""
    if isinstance(f, torch.nn.MultiheadAttention) and type(f).forward is torch.nn.MultiheadAttention.forward:
        raise TypeError(
            f"`f` is a {type(f).__name__}, which takes query, key and value, but it must be a function of one tensor. Give "
            "lambda x: f(x, x, x, need_weights=False)[0]."
        )


class _Products:
    """J v and J^T u of a function at x.

    Raises
    ------
    ValueError
        For a function that gives another output when it is called again, or NaN, or that PyTorch cannot differentiate.
    """

    def __init__(self, f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> None:
        # `f` may change what it is given.
        self.f, self.x = lambda x: f(x.clone()), x
        _check_finite("`x`", x)
        self.value = _repeated(self.f, x)
        #: The rounding of the coarser of the two types.
        self.eps = max(torch.finfo(part.dtype).eps for part in (x, self.value))
        with named("in reverse"):
            self.products = JacobianProducts(f, x)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of entries of f(x) and of x."""
        return self.value.numel(), self.x.numel()

    def forward(self, v: np.ndarray) -> np.ndarray:
        """J v."""
        with named("forward"):
            image = self.products.forward(_tensor(v, self.x))
        return _finite("forward", image)

    def reverse(self, u: np.ndarray) -> np.ndarray:
        """J^T u."""
        with named("in reverse"):
            image = self.products.reverse(_tensor(u, self.value))
        return _finite("reverse", image)

    def check_adjoint(self, seed: int) -> float | None:
        """Refuses products of two different matrices: <u, J v> must be <J^T u, v>. Returns how far they differ."""
        tolerance = max(self.eps, torch.finfo(torch.float32).eps) ** 0.5
        gap = adjoint_gap(self.shape, self.forward, self.reverse, seed)
        if gap is not None and not gap <= tolerance:
            raise ValueError(
                f"The forward and the reverse derivative of `f` at `x` differ (by {gap:.1g}, relative). A part of it runs under "
                "torch.no_grad, has a backward pass of its own that is another derivative, or is rounded to half precision. "
                "Differentiate all of `f`, in float32 or float64."
            )
        return gap

    def check_values(self, seed: int) -> None:
        """Refuses a derivative that is not that of the values."""

        def at(change: np.ndarray) -> np.ndarray | None:
            there = _elsewhere(self.f, self.x + _tensor(change, self.x))
            return None if there is None else float64(there).ravel()

        least = max(torch.finfo(part.dtype).tiny for part in (self.x, self.value))
        slopes = Slopes(at, float64(self.x), float64(self.value), self.eps, least)
        if slopes.differ_from(self.forward, seed):
            raise ValueError(
                "What PyTorch gives as the derivative of `f` at `x` is not that of its values: for a random v and small h, "
                "`f(x + h v) - f(x)` is another change. A part of `f` is detached or has a backward pass of its own, or `f` has "
                "a kink at `x`."
            )


def _repeated(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """f(x), which must be the same in every call."""
    first = _value(f, x)
    # What keeps the keys of other tokens shows them; and a first call may draw what later ones keep.
    _elsewhere(f, x + 0.01 * x.roll(1, -1) if x.dim() else 1.01 * x)
    with without_randomness(x):
        value = _value(f, x)
    _check_finite("`f(x)`", value)
    tolerance = max(_REPEATED, 4 * torch.finfo(value.dtype).eps)
    is_same = first.shape == value.shape and length(float64(first) - float64(value)) <= tolerance * length(
        float64(value)
    )
    if not is_same:
        raise ValueError(
            "`f` gives another output when it is called again: it draws random numbers, or keeps something from call to call, such "
            "as a cache of keys. Call `.eval()` on its module, and leave caches out."
        )
    return value


def _elsewhere(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor | None:
    """f at another point than the user's; None where it is not defined there, such as the root of a matrix."""
    try:
        return f(x).detach()
    except (RuntimeError, ValueError, ArithmeticError):
        return None


def _value(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    return one_tensor(f(x)).detach()


def one_tensor(value: Any) -> torch.Tensor:
    """What `f` returns, which must be a tensor of floating-point numbers."""
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"`f` returns a {type(value).__name__}, but it must return one tensor.")
    if not value.is_floating_point():
        raise TypeError(f"`f` returns {value.dtype}, but it must return floating-point numbers.")
    return value


@contextmanager
def without_randomness(x: torch.Tensor) -> Iterator[None]:
    """Refuses a function of x that draws random numbers within."""
    before = _random_states(x)
    yield
    if not all(torch.equal(*pair) for pair in zip(before, _random_states(x))):
        raise ValueError(
            "`f` draws random numbers, so that it is another function in every call. Turn dropout off: call `.eval()` on its "
            "module."
        )


def _random_states(x: torch.Tensor) -> list[torch.Tensor]:
    """The states of the generators that a function of x may draw from without being given one."""
    states = [torch.get_rng_state()]
    if x.is_cuda:
        states.append(torch.cuda.get_rng_state(x.device))
    # hash() of a tuple of whole numbers is the same in one process.
    of_python = hash(random.getstate()), hash(str(np.random.get_state()))
    return [*states, torch.tensor(of_python)]


def _check_finite(name: str, tensor: torch.Tensor) -> None:
    """Refuses entries that are NaN or infinite, by their place."""
    for word, wrong in (("NaN", tensor.isnan()), ("infinite", tensor.isinf())):
        count = int(wrong.sum())
        if count:
            place = ", ".join(str(index) for index in wrong.nonzero()[0].tolist())
            raise ValueError(
                f"{name} is {word} in {count} of {tensor.numel()} entries, first at [{place}], so that there is no Jacobian. "
                "NaN and infinity come from half precision that overflows, from padding, and from rows that are masked as a whole."
            )


def _finite(which: str, image: torch.Tensor) -> np.ndarray:
    found = float64(image).ravel()
    for word, wrong in (("NaN", np.isnan(found)), ("infinite", np.isinf(found))):
        if wrong.any():
            raise ValueError(
                f"The {which} derivative of `f` at `x` is {word} in {wrong.sum()} of {len(found)} entries, so that it has no norm. "
                "A step has no derivative there, such as a root or a length at 0, or half precision overflows."
            )
    return found


@contextmanager
def named(which: str) -> Iterator[None]:
    """Turns errors of PyTorch's differentiation into a sentence."""
    try:
        yield
    except torch.OutOfMemoryError:
        raise
    except RuntimeError as problem:
        raise ValueError(f"`f` cannot be differentiated {which} at `x`: {why_not(problem)}") from problem


def why_not(problem: RuntimeError) -> str:
    """What PyTorch says against a derivative, and what to do about it."""
    if "setup_context" in str(problem):
        return (
            "a part of it is a torch.autograd.Function of the older form, such as that of gradient checkpointing with "
            "use_reentrant=True, or the GELU of BLOOM. Turn checkpointing off, or put another function in its place."
        )
    fix = " Turn gradient checkpointing off: it runs without it." if "saved tensor hooks" in str(problem) else ""
    return f"{first_line(problem)}.{fix}"


def _tensor(vector: np.ndarray, like: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.array(vector)).to(like.dtype).to(like.device).reshape(like.shape)


@contextmanager
def differentiable() -> Iterator[None]:
    """Attention by its formula, uncompiled, with gradients: fused kernels cannot be differentiated forward.

    `torch.no_grad` and `torch.inference_mode` around it do not matter.
    """
    fast = torch.backends.mha.get_fastpath_enabled()
    try:
        torch.backends.mha.set_fastpath_enabled(False)
        with (
            torch.inference_mode(False),
            torch.enable_grad(),
            eagerly(),
            torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH),
        ):
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
