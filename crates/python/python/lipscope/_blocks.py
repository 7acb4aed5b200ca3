"""The norm of the Jacobian of a layer's maps, by products on the module itself."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Iterator, Sequence

import numpy as np
import torch

from ._calls import call, chosen, evaluated
from ._families import Family, family_of
from ._layers import CACHES, is_attention
from ._masks import float64
from ._norm import norm
from ._results import Norm

#: The maps of a layer, by the names of `lipscope model --map`.
MAPS = ("attention", "with-output", "attention-residual", "mlp-residual", "block", "blocks")
#: Arguments that say what is padding, with the value that does.
_PADDING = {"attention_mask": 0, "src_key_padding_mask": 1, "key_padding_mask": 1}
#: Arguments that no item of a batch has for itself.
_OF_ALL = ("mask", "src_mask", "attn_mask")


@dataclass(frozen=True)
class BlockNorm:
    """The norm of the Jacobian of a map of one layer at one item of a batch.

    Attributes
    ----------
    layer : str
        The name of the layer in the model; "" for the model itself.
    item : int
        The item of the batch, from 0.
    map : str
        The map.
    norm : lipscope.Norm
        Its `right` and `left` vectors are flat, in the order of the entries of the tokens.
    tokens : array (n, d)
        Where the map was measured, without padding.
    """

    layer: str
    item: int
    map: str
    norm: Norm = field(repr=False)
    tokens: np.ndarray = field(repr=False)

    @property
    def value(self) -> float:
        """The norm."""
        return self.norm.value

    @property
    def kind(self) -> str:
        """What the value is: "exact", or a "lower bound" where the iteration ended before its tolerance."""
        return self.norm.kind

    @property
    def residual(self) -> float:
        """The relative residual of the iteration."""
        return self.norm.residual


def blocks(
    model: torch.nn.Module,
    inputs: Any,
    *,
    map: str = "block",
    layers: Sequence[str] | None = None,
    tolerance: float = 1e-10,
    iterations: int = 600,
    seed: int = 0,
    failure: float | None = 1e-9,
    **options: Any,
) -> list[BlockNorm]:
    """The norm of the Jacobian of a map of every layer, at the tokens that enter it in the model's forward pass.

    Parameters
    ----------
    model : torch.nn.Module
        A model with a list of layers, or one layer. "block" and "blocks" take any layer that maps tokens to tokens of the same
        shape; the other maps those of the families of `lipscope.torch.attention`.
    inputs : tensor, tuple or dict
        What the model is called with, the batch first. A mask (batch, n) of the names `attention_mask`, `src_key_padding_mask`
        or `key_padding_mask` says what is padding.
    map : {"attention", "with-output", "attention-residual", "mlp-residual", "block", "blocks"}
        The concatenated heads, at the input of attention; these through the output matrix with its bias; attention with its
        norms and residual connection; the MLP with them, at the output of the map before; the layer; all layers from the first
        to this one, at the tokens that enter the first.
    layers : list of str, optional
        The names of the layers to measure; without it all.
    tolerance, iterations, seed, failure
        As for `lipscope.torch.norm`.
    **options
        Further arguments of the call.

    Returns
    -------
    list of BlockNorm
        In the order of the items, then the layers.

    Raises
    ------
    ValueError
        For a layer without the parts of the map, one that is neither its attention and then its MLP nor both side by side, and
        one that PyTorch cannot differentiate forward (BLOOM's MLP; experts, unless `_experts_implementation` is "eager").

    Notes
    -----
    Only tokens that are not padding are moved and counted. Dropout is off. The parts are cut out of the layer by hooks: what a
    map leaves out gives zero, and the norms that follow sums are passed by.

    The layer runs in its own type, and layers of transformers compute norms, softmax and angles in float32 even then: the
    products are rounded to seven digits, the residual shows it, and a tolerance of 1e-5 ends the iteration when it is reached.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).double()
    >>> model = torch.nn.TransformerEncoder(layer, 2)
    >>> found = blocks(model, torch.randn(1, 5, 8, dtype=torch.float64))
    >>> [(one.layer, one.item, one.kind) for one in found]
    [('layers.0', 0, 'exact'), ('layers.1', 0, 'exact')]
    """
    if map not in MAPS:
        raise ValueError(f"`map` is {map!r}, but it must be one of: {', '.join(MAPS)}.")
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"`model` is a {type(model).__name__}, but it must be a torch.nn.Module.")
    for name, part in model.named_modules():
        if isinstance(part, torch.nn.MultiheadAttention) and not part.batch_first:
            raise ValueError(f"{name or 'The module'} has batch_first=False. Make it with batch_first=True.")
    stacks = _stacks(model)
    chosen(layers, [name for _, name, _ in stacks])
    found = []
    for item, (of_item, of_options) in enumerate(_items(inputs, options)):
        calls: list[_Layer] = []
        with evaluated(model, [_hook(*layer, calls) for layer in stacks]):
            call(model, of_item, of_options)
        # The other stack of a model of texts and pictures has other tokens.
        wanted = {layer.stack for layer in calls if layers is None or layer.name in layers}
        kept = _kept(of_item, of_options)
        calls = [layer.without_padding(kept) for layer in calls if layer.stack in wanted]
        with evaluated(model, []):
            for at, layer in enumerate(calls):
                if layers is None or layer.name in layers:
                    f, tokens = _map(map, calls, at)
                    try:
                        measured = norm(
                            f, tokens, tolerance=tolerance, iterations=iterations, seed=seed, failure=failure
                        )
                    except RuntimeError as problem:
                        raise ValueError(f"{layer.name} cannot be differentiated: {_sentence(problem)}") from problem
                    except ValueError as problem:
                        raise ValueError(f"{layer.name} has no norm: {problem}") from problem
                    found.append(BlockNorm(layer.name, item, map, measured, float64(tokens)))
    return found


@dataclass(frozen=True)
class _Layer:
    """A call of a layer with one item: the tokens (n, d) that entered, those that left, and how it is called again."""

    name: str
    module: torch.nn.Module
    stack: str
    entered: torch.Tensor
    left: torch.Tensor
    kept: torch.Tensor
    again: Callable[[torch.Tensor], Any]

    def without_padding(self, kept: torch.Tensor | None) -> _Layer:
        if kept is None or (len(kept) != len(self.entered) and kept.all()):
            return self
        if len(kept) != len(self.entered):
            raise ValueError(
                f"The padding mask has {len(kept)} entries, but {self.name} takes {len(self.entered)} tokens."
            )
        return replace(self, kept=kept.to(self.entered.device))

    def whole(self, x: torch.Tensor) -> torch.Tensor:
        """The layer at all tokens."""
        return _first(self.again(x[None]))[0]

    def placed(self, x: torch.Tensor) -> torch.Tensor:
        """All tokens that enter, with those that are kept replaced."""
        return self.entered.index_copy(0, self.kept.nonzero()[:, 0], x)

    def block(self, x: torch.Tensor) -> torch.Tensor:
        """The layer at the tokens that are kept."""
        return self.whole(self.placed(x))[self.kept]


def _map(kind: str, layers: list[_Layer], at: int) -> tuple[Callable[[torch.Tensor], torch.Tensor], torch.Tensor]:
    """A map of a layer, and the tokens where it is measured."""
    layer = layers[at]
    entered = layer.entered[layer.kept]
    if kind == "block":
        return layer.block, entered
    if kind == "blocks":
        return _composed([one for one in layers[: at + 1] if one.stack == layer.stack])
    parts = _Parts(layer)
    if kind in ("attention", "with-output"):
        return parts.attention(with_output=kind == "with-output")
    middle = parts.middle(entered)
    return (parts.attention_residual, entered) if kind == "attention-residual" else (parts.mlp_residual, middle)


def _composed(layers: list[_Layer]) -> tuple[Callable[[torch.Tensor], torch.Tensor], torch.Tensor]:
    """The layers one after another, at the tokens that enter the first."""
    for before, after in zip(layers, layers[1:]):
        if not torch.equal(before.left, after.entered):
            raise ValueError(f"Between {before.name} and {after.name} the model does more than run its layers.")

    def run(x: torch.Tensor) -> torch.Tensor:
        x = layers[0].placed(x)
        for layer in layers:
            x = layer.whole(x)
        return x[layers[0].kept]

    return run, layers[0].entered[layers[0].kept]


class _Parts:
    """The parts of a layer of a known family."""

    def __init__(self, layer: _Layer) -> None:
        self.layer = layer
        within = [(name, part) for name, part in layer.module.named_modules() if is_attention(part)]
        if len(within) != 1:
            raise ValueError(f"{layer.name} has {len(within)} attentions that are known, but this map needs one.")
        ((name, self.module),) = within
        family = family_of(self.module)
        if family is None:
            raise ValueError(f'{layer.name} is of no known family of transformers. Measure its "block".')
        self.family: Family = family
        self.output = self._part([family.dense or ".".join(filter(None, (name, family.output)))])

    def _part(self, paths: Any) -> torch.nn.Module:
        names = dict(self.layer.module.named_modules())
        part = next((names[path] for path in paths if path in names), None)
        if part is None:
            raise ValueError(f"{self.layer.name} has no {' or '.join(paths)}, which its family has.")
        return part

    def attention(self, with_output: bool) -> tuple[Callable[[torch.Tensor], torch.Tensor], torch.Tensor]:
        """Attention at its own input, before or after its output matrix."""
        layer, calls, heads = self.layer, [], []

        def keep(_: Any, arguments: Any, options: Any) -> None:
            calls.append((arguments, options))

        def run(again: Callable[[], Any]) -> torch.Tensor:
            with _hooked(self.output.register_forward_pre_hook(lambda _, arguments: heads.append(arguments[0]))):
                again()
            return heads.pop()

        with _hooked(self.module.register_forward_pre_hook(keep, with_kwargs=True)):
            layer.again(layer.entered[None])
        x, again = _again(self.module, *calls[0])
        inside = replace(layer, entered=x)

        def f(y: torch.Tensor) -> torch.Tensor:
            whole = inside.placed(y)[None]
            of_heads = _first(again(whole)) if self.family.dense else run(lambda: again(whole))
            of_heads = of_heads.reshape(1, len(x), -1)
            return (self.output(of_heads) if with_output else of_heads)[0][layer.kept]

        return f, x[layer.kept]

    def attention_residual(self, x: torch.Tensor) -> torch.Tensor:
        """The layer without its MLP."""
        with self._without(self._part(self.family.down), self.family.last[1:]):
            return self.layer.block(x)

    def mlp_residual(self, x: torch.Tensor) -> torch.Tensor:
        """The layer without its attention."""
        with self._without(self.output, self.family.last[:1]):
            return self.layer.block(x)

    def middle(self, x: torch.Tensor) -> torch.Tensor:
        """Where the MLP is measured: after attention, or at the layer's tokens where both stand side by side.

        The layer must be one or the other, so that no part of it is lost.
        """
        whole, after = self.layer.block(x), self.attention_residual(x)
        in_turn = self.mlp_residual(after) - whole
        side_by_side = after + self.mlp_residual(x) - x - whole
        errors = [float(error.norm() / whole.norm()) for error in (in_turn, side_by_side)]
        if not min(errors) <= torch.finfo(x.dtype).eps ** 0.5:
            raise ValueError(f"{self.layer.name} is neither attention and then an MLP, nor both side by side.")
        return after if errors[0] <= errors[1] else x

    @contextmanager
    def _without(self, part: torch.nn.Module, norms: tuple[str, ...]) -> Iterator[None]:
        """One part gives zero, and some norms are passed by."""
        zero = lambda _, __, out: (
            (torch.zeros_like(out[0]), *out[1:]) if isinstance(out, tuple) else torch.zeros_like(out)
        )
        handles = [part.register_forward_hook(zero)]
        handles += [self._part([path]).register_forward_hook(lambda _, given, __: given[0]) for path in norms]
        with _hooked(*handles):
            yield


@contextmanager
def _hooked(*handles: Any) -> Iterator[None]:
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _stacks(model: torch.nn.Module) -> list[tuple[str, str, torch.nn.Module]]:
    """The layers: the name of their list, their own, and themselves. They stand in no list within another."""
    has_attention = lambda module: any(is_attention(part) for part in module.modules())
    lists = [
        (name, part) for name, part in model.named_modules() if isinstance(part, torch.nn.ModuleList) and len(part)
    ]
    outer = [(name, part) for name, part in lists if not any(name.startswith(f"{other}.") for other, _ in lists)]
    if has_attention(model):
        outer = [(name, part) for name, part in outer if has_attention(part)]
    found = [(name, f"{name}.{at}", layer) for name, part in outer for at, layer in enumerate(part)]
    return found or [("", "", model)]


def _hook(stack: str, name: str, module: torch.nn.Module, found: list[_Layer]) -> Any:
    """A hook that adds each call of a layer to `found`."""

    def keep(_: Any, arguments: tuple[Any, ...], options: dict[str, Any], result: Any) -> None:
        left = _first(result)
        x, again = _again(module, arguments, options)
        if not isinstance(left, torch.Tensor) or left.shape != (1, *x.shape):
            raise ValueError(f"{name or 'The model'} does not map tokens to tokens of the same shape.")
        kept = torch.ones(len(x), dtype=torch.bool, device=x.device)
        found.append(_Layer(name, module, stack, x, left[0], kept, again))

    return module.register_forward_hook(keep, with_kwargs=True)


def _again(
    module: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[torch.Tensor, Callable[[torch.Tensor], Any]]:
    """The tokens (n, d) of a call, and the same call with others (1, n, d)."""
    names = ("hidden_states", "inputs_embeds", "src", "query", "x", "input")
    name = None if arguments else next((name for name in names if name in options), None)
    x = arguments[0] if arguments else options.get(name or "")
    if not isinstance(x, torch.Tensor) or x.dim() != 3:
        raise ValueError(f"{type(module).__name__} is called without tokens (batch, n, d).")
    others = {key: None if key in CACHES else value for key, value in options.items() if key != name}
    if name is None:
        return x[0].detach(), lambda y: module(y, *arguments[1:], **others)
    return x[0].detach(), lambda y: module(**{name: y}, **others)


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, tuple) else result


def _sentence(problem: Exception) -> str:
    return str(problem).splitlines()[0] if str(problem) else type(problem).__name__


def _items(inputs: Any, options: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The inputs and options of each item of a batch, as a batch of one."""
    is_named = isinstance(inputs, dict) or hasattr(inputs, "keys")
    parts = dict(inputs) if is_named else {} if isinstance(inputs, torch.Tensor) else dict(enumerate(inputs))
    tensors = (
        [inputs]
        if isinstance(inputs, torch.Tensor)
        else [part for part in parts.values() if isinstance(part, torch.Tensor)]
    )
    if not tensors:
        raise TypeError("`inputs` holds no tensor.")
    count = len(tensors[0])
    for at in range(count):
        own = lambda key, part: (
            part[at : at + 1] if isinstance(part, torch.Tensor) and key not in _OF_ALL and len(part) == count else part
        )
        of_item = {key: own(key, part) for key, part in parts.items()}
        whole = (
            own("", inputs) if isinstance(inputs, torch.Tensor) else of_item if is_named else tuple(of_item.values())
        )
        yield whole, {key: own(key, part) for key, part in options.items()}


def _kept(inputs: Any, options: dict[str, Any]) -> torch.Tensor | None:
    """Which tokens of the one item are no padding."""
    named = {**(inputs if isinstance(inputs, dict) else {}), **options}
    for name, padding in _PADDING.items():
        mask = named.get(name)
        if isinstance(mask, torch.Tensor) and mask.dim() == 2:
            if mask.is_floating_point() and name != "attention_mask":
                return mask[0] == 0
            return mask[0].to(torch.long) != padding
    return None
