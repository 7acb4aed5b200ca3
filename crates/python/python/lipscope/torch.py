"""Self-attention inside PyTorch modules, head by head, the maps of a layer, and the norm of any function's Jacobian.

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

What has no experiment, such as a whole block, is measured on the module itself by `lipscope.torch.blocks`.

Biases
------
An experiment has no biases, and mostly it needs none. With q_i = Q x_i + b_Q and so on, plain attention with biases at the tokens
X is attention without biases at the tokens X + c, up to a constant, if Q c = b_Q: the queries are those of Q, the keys are all
moved by K c - b_K, which adds a constant to each row of scores, and the outputs by V c - b_V. So both have the same Jacobian, and
every number of the experiment at X + c is exact for the module, its bounds at these tokens included. Its R is the largest norm of
X + c. Where keys are turned or normalised, scores are capped or rows of weights add to less than 1 (sinks), a constant no longer
cancels, and c must solve K c = b_K too; with sinks also V c = b_V. There is such a c where these rows together have full rank, as
they can for heads of k <= d/2 or d/3 rows. Where there is none, no experiment is the module's, and an error says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Sequence

import numpy as np

from ._experiment import Experiment
from ._functions import measure
from ._measurement import Measurement

try:
    import torch
    import torch.nn.attention
except ImportError as problem:
    raise ImportError("lipscope.torch needs PyTorch. Install it: pip install torch.") from problem

from ._blocks import BlockNorm, blocks
from ._calls import call, chosen, evaluated, uncompiled
from ._families import family_of
from ._layers import Catcher, Weights, is_attention
from ._masks import Item
from ._monitor import Monitor
from ._multihead import tokens_thrice
from ._norm import norm
from ._penalty import penalty

__all__ = ["BlockNorm", "HeadAttention", "Monitor", "attention", "blocks", "norm", "penalty"]

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
        An experiment with the same Jacobian. Its tokens are moved so that they include the biases on which it depends.
    tokens : array (n, d)
        The tokens at the input of the layer, in the order of the item, without padding.
    shift : array (d,)
        What was added to each token for these biases; zero without them.
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


def attention(
    module: torch.nn.Module, inputs: Any, *, heads: str = "each", layers: Sequence[str] | None = None, **options: Any
) -> list[HeadAttention]:
    """The self-attention of a module at given inputs, as an experiment for each layer, head and item of the batch.

    Parameters
    ----------
    module : torch.nn.Module
        A `torch.nn.MultiheadAttention`, or the self-attention of a family of transformers (those of `lipscope model
        --families`), or a model that holds some.
    inputs : tensor, tuple or dict
        What the module is called with. For a `MultiheadAttention` by itself the tokens, once: query, key and value are the
        same.
    heads : {"each", "all"}
        An experiment for each head without the output matrix, or one for all heads together with it.
    layers : list of str, optional
        The names of the modules of attention to read; without it all.
    **options
        Further arguments of the call. For a `MultiheadAttention` by itself: `attn_mask`, `key_padding_mask` and `is_causal`.

    Returns
    -------
    list of HeadAttention
        In the order of the layers, then the items, then the heads.

    Raises
    ------
    ValueError
        For attention that is no experiment, by the name of its module: `add_bias_kv`, `add_zero_attn`, masks that differ from
        head to head, norms of all queries together (OLMo 2), rotary positions that are scaled, biases that are no shift of the
        tokens, and whatever else a class of modules has that is not known. `lipscope.torch.blocks` measures these.

    Notes
    -----
    The map is attention alone, without dropout: no residual connection, no layer norm. Padding is left out: the map is that of
    the tokens of an item that are not padded, which attend to each other only. In a mask of transformers (batch, heads, n, n), a
    token to which no token attends counts as padding. Cross-attention beside self-attention is passed by. Weights are taken in
    float64, and rotary positions by their formula.

    Queries and keys may be normalised head by head (RMS) and turned, scores capped, moved by a bias or by ALiBi, masked by a
    window or any other mask that the heads share, and weights may have sinks. What was read must give the output that the module
    gave in the same call, to 2e-5 of it, and the change of its output between two lists of drawn tokens; otherwise the module is
    refused, as it is where a forward pre-hook changes its tokens. This holds for subclasses of `torch.nn.MultiheadAttention` too.

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
    module = uncompiled(module)
    inputs = tokens_thrice(module, inputs)
    attentions = {name: part for name, part in module.named_modules() if is_attention(part)}
    if not attentions:
        raise ValueError(
            f"{type(module).__name__} holds no attention that is known. Known are torch.nn.MultiheadAttention and the "
            "self-attention of the families that `lipscope model --families` lists; for others use lipscope.torch.blocks."
        )
    chosen(layers, list(attentions))
    found: list[tuple[str, str, Weights, list[Item]]] = []
    crossing: list[ValueError] = []
    catchers = [
        Catcher(name, part, family_of(part), found, crossing)
        for name, part in attentions.items()
        if layers is None or name in layers
    ]
    with evaluated(module, [hook for catcher in catchers for hook in catcher.hooks()]):
        call(module, inputs, options)
    if crossing and not found:
        raise crossing[0]
    return [one for read in found for one in _Call(*read).heads(heads)]


@dataclass(frozen=True)
class _Call:
    """One call of a layer: its weights, its items, and how it is measured if it is no experiment."""

    layer: str
    fix: str
    weights: Weights
    items: list[Item]

    def heads(self, which: str) -> list[HeadAttention]:
        found = []
        for at, item in enumerate(self.items):
            for head in range(self.weights.count) if which == "each" else [None]:
                found.append(self._head(head, at, item))
        return found

    def _head(self, head: int | None, at: int, item: Item) -> HeadAttention:
        of = self.weights.of(head)
        shift = self._shift(of, head)
        score = {**of.score(), **item.score(head, of.sinks)}
        weighting = None if of.sinks is None else {"kind": "softmax", "sink": of.sinks.tolist()}
        experiment = Experiment.from_arrays(
            item.tokens + shift, of.q, of.k, of.v, output=of.output, mask=item.mask(), score=score or None,
            weighting=weighting,
        )  # fmt: skip
        return HeadAttention(self.layer, head, at, experiment, item.tokens, shift)

    def _shift(self, of: Weights, head: int | None) -> np.ndarray:
        """The shortest c that gives the biases on which the Jacobian depends: Q c = b_Q and so on."""
        matrix, bias = of.needed()
        if not bias.any():
            return np.zeros(matrix.shape[1])
        shift = np.linalg.lstsq(matrix, bias, rcond=None)[0]
        if np.linalg.norm(matrix @ shift - bias) > _SHIFT_TOLERANCE * np.linalg.norm(bias):
            whose = "the heads together" if head is None else f"head {head}"
            fix = 'Measure each head by itself with heads="each"' if head is None else self.fix
            raise ValueError(
                f"The {of.biases_needed()} of {whose} of {self.layer or 'the module'} are no shift of the tokens, so that no "
                f"experiment has the same Jacobian. {fix}."
            )
        return shift
