"""Self-attention inside PyTorch modules, head by head, and the norm of any function's Jacobian.

Examples
--------
>>> import torch
>>> import lipscope.torch
>>> _ = torch.manual_seed(0)
>>> module = torch.nn.MultiheadAttention(8, 2, batch_first=True)
>>> layers = lipscope.torch.attention(module, torch.randn(1, 5, 8))
>>> [(head.layer, head.head, head.item) for head in layers]
[('', 0, 0), ('', 1, 0)]
>>> layers[0].measure().kind
'exact'

Biases
------
An experiment has no biases, and it needs none. With q_i = Q x_i + b_Q and so on, b_K adds a constant to each row of scores,
which softmax cancels, and b_V and the bias of the output add a constant to the output: the Jacobian depends on none of them.
It depends on b_Q. Where b_Q = Q c for some c, as it is for every Q of full row rank, attention with biases at the tokens X is
attention without biases at the tokens X + c, up to a constant: the queries are those of Q, the keys are all moved by K c, which
adds a constant to each row of scores, and the values by V c. So both have the same Jacobian, and every number of the
experiment at X + c is exact for the module, its bounds at these tokens included. Its R is the largest norm of X + c. Where b_Q
is not in the range of Q there is no such experiment, and an error says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

from ._experiment import Experiment
from ._functions import measure
from ._linear import lanczos
from ._measurement import Measurement
from ._results import Norm

try:
    import torch
    import torch.nn.attention
except ImportError as problem:
    raise ImportError("lipscope.torch needs PyTorch. Install it: pip install torch.") from problem

from ._layers import Reader, Weights, float64, reader_of

#: The most that Q c may differ from b_Q, relative to b_Q, for c to stand for it.
_SHIFT_TOLERANCE = 1e-12


@dataclass(frozen=True)
class HeadAttention:
    """The self-attention of one head of one layer at one item of a batch.

    Attributes
    ----------
    layer : str
        The name of the module in the model; "" for the module itself.
    head : int or None
        The head from 0; None for all heads together, with the output matrix.
    item : int
        The item of the batch, from 0.
    experiment : Experiment
        An experiment with the same Jacobian. Its tokens are moved so that they include the bias of the queries.
    tokens : array (n, d)
        The tokens at the input of the layer, in the order of the item, without padding.
    shift : array (d,)
        What was added to each token for the bias of the queries; zero without one.
    """

    layer: str
    head: int | None
    item: int
    experiment: Experiment = field(repr=False)
    tokens: np.ndarray = field(repr=False)
    shift: np.ndarray = field(repr=False)

    def measure(self, **options: Any) -> Measurement:
        """`lipscope.measure` of the experiment.

        Parameters
        ----------
        **options
            `norm`, `tolerance` and `memory`.
        """
        return measure(self.experiment, **options)


def attention(module: torch.nn.Module, inputs: Any, *, heads: str = "each", **options: Any) -> list[HeadAttention]:
    """The self-attention of a module at given inputs, as an experiment for each layer, head and item of the batch.

    Parameters
    ----------
    module : torch.nn.Module
        A `torch.nn.MultiheadAttention`, or a model that holds some, or the self-attention of BERT, RoBERTa, DistilBERT or
        GPT-2 of transformers.
    inputs : tensor, tuple or dict
        What the module is called with. For a `MultiheadAttention` by itself the tokens, once: query, key and value are the
        same.
    heads : {"each", "all"}
        An experiment for each head without the output matrix, or one for all heads together with it.
    **options
        Further arguments of the call. For a `MultiheadAttention` by itself: `attn_mask`, `key_padding_mask` and `is_causal`.

    Returns
    -------
    list of HeadAttention
        In the order of the layers, then the items, then the heads.

    Raises
    ------
    ValueError
        For attention that is no experiment: other masks than the causal one and padding, keys that are not the tokens,
        `add_bias_kv`, `add_zero_attn`, relative positions, cross-attention.

    Notes
    -----
    The map is attention alone, without dropout: no residual connection, no layer norm. Padding is left out: the map is that
    of the tokens of an item that are not padded, which attend to each other only. Weights are taken in float64.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    >>> found = attention(layer, torch.randn(2, 5, 8), heads="all")
    >>> [(one.layer, one.item) for one in found]
    [('self_attn', 0), ('self_attn', 1)]
    """
    if heads not in ("each", "all"):
        raise ValueError(f"`heads` is {heads!r}, but it must be one of: each, all.")
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"`module` is a {type(module).__name__}, but it must be a torch.nn.Module.")
    calls: list[_Call] = []
    if isinstance(module, torch.nn.MultiheadAttention) and isinstance(inputs, torch.Tensor):
        inputs = (inputs, inputs, inputs)
    handles = [
        part.register_forward_pre_hook(_catcher(name, calls, reader), with_kwargs=True)
        for name, part in module.named_modules()
        if (reader := reader_of(part)) is not None
    ]
    if not handles:
        raise ValueError(
            f"{type(module).__name__} holds no attention that is known. Known are torch.nn.MultiheadAttention and the "
            "self-attention of BERT, RoBERTa, DistilBERT and GPT-2; for others use lipscope.torch.norm."
        )
    was_training = {part: part.training for part in module.modules()}
    # Fused paths of evaluation skip the modules inside a layer, and with them their hooks.
    fast = torch.backends.mha.get_fastpath_enabled()
    try:
        torch.backends.mha.set_fastpath_enabled(False)
        module.eval()
        with torch.no_grad():
            _call(module, inputs, options)
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
        for part, training in was_training.items():
            part.training = training
        for handle in handles:
            handle.remove()
    return [one for call in calls for one in call.heads(heads)]


def norm(
    f: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    *,
    tolerance: float = 1e-10,
    iterations: int = 600,
    seed: int = 0,
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

    return lanczos((value.numel(), x.numel()), apply, transpose, tolerance, iterations, seed)


def _differentiable() -> Any:
    """Attention by its formula: the fused kernels cannot be differentiated forward."""
    return torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)


@dataclass(frozen=True)
class _Call:
    """One call of a layer: its weights, and of each item its tokens (n, d) and whether its mask is causal."""

    layer: str
    weights: Weights
    items: list[tuple[np.ndarray, str]]

    def heads(self, which: str) -> list[HeadAttention]:
        found = []
        for item, (tokens, mask) in enumerate(self.items):
            for head in range(self.weights.count) if which == "each" else [None]:
                found.append(self._head(head, item, tokens, mask))
        return found

    def _head(self, head: int | None, item: int, tokens: np.ndarray, mask: str) -> HeadAttention:
        of, count = self.weights, self.weights.count
        split = lambda stacked: stacked.reshape(count, -1, stacked.shape[-1])
        q, k, v = split(of.q), split(of.k), split(of.v)
        q_bias, output = of.q_bias.reshape(count, -1), of.output
        if head is not None:
            q, k, v, q_bias, output = q[head : head + 1], k[head : head + 1], v[head : head + 1], q_bias[head], None
        shift = self._shift(q.reshape(-1, q.shape[-1]), q_bias.ravel(), head)
        experiment = Experiment.from_arrays(tokens + shift, q, k, v, output=output, mask=mask)
        return HeadAttention(self.layer, head, item, experiment, tokens, shift)

    def _shift(self, q: np.ndarray, bias: np.ndarray, head: int | None) -> np.ndarray:
        """c with Q c = b_Q, the shortest one."""
        if not bias.any():
            return np.zeros(q.shape[1])
        shift = np.linalg.lstsq(q, bias, rcond=None)[0]
        if np.linalg.norm(q @ shift - bias) > _SHIFT_TOLERANCE * np.linalg.norm(bias):
            whose = "the heads together" if head is None else f"head {head}"
            fix = 'Measure each head by itself with heads="each"' if head is None else "Use lipscope.torch.norm"
            raise ValueError(
                f"The bias of the queries of {whose} of {self.layer or 'the module'} is not in the range of Q, so that no "
                f"experiment has the same Jacobian. {fix}."
            )
        return shift


def _catcher(name: str, calls: list[_Call], reader: Reader) -> Callable[..., None]:
    def catch(module: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        weights, items = reader(module, arguments, options)
        calls.append(_Call(name, weights, items))

    return catch


def _call(module: torch.nn.Module, inputs: Any, options: dict[str, Any]) -> Any:
    if isinstance(inputs, dict) or hasattr(inputs, "keys"):
        return module(**inputs, **options)
    return module(*inputs, **options) if isinstance(inputs, (tuple, list)) else module(inputs, **options)
