"""The norm of the Jacobian of a layer's maps, by products on the module itself."""

from __future__ import annotations

import functools
import itertools
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Iterator, Sequence

import numpy as np
import torch

from ._calls import (
    TOKENS,
    checked_call, chosen, each_tensor, evaluated, names_by_position, parameters_of, refuse_filled_caches, refuse_quantized,
    refuse_scripted, refuse_unknown, split, tokens_of, uncompiled, watched, with_fresh_caches, without_caches,
)  # fmt: skip
from ._closed import closed_attentions
from ._families import Family, family_of
from ._layers import GIVES_NAN, is_attention, is_kept
from ._masks import float64
from ._multihead import tokens_thrice
from ._norm import differentiable, norm
from ._results import Norm

#: The maps of a layer, by the names of `lipscope model --map`.
MAPS = ("attention", "with-output", "attention-residual", "mlp-residual", "block", "blocks")
#: Arguments that say what is padding: of the model's tokens, and of those of a decoder that has an encoder before it.
_PADDING = ("attention_mask", "src_key_padding_mask", "key_padding_mask")
_DECODER_PADDING = ("decoder_attention_mask", "tgt_key_padding_mask")
#: Arguments of models that have a decoder behind an encoder.
_DECODER_TOKENS = ("decoder_input_ids", "decoder_inputs_embeds", "tgt")
#: What a layer of such a decoder gets from the encoder.
_OF_ENCODER = ("encoder_hidden_states", "memory")
#: Arguments of a layer that are its tokens again: their queries, keys and values.
_ATTENDED = ("query", "key", "value", "q", "k", "v", "queries", "keys", "values")
#: The least number that counts as forbidding in a mask that is added to scores, as in `_masks.split`.
_FORBIDDEN = -1e4


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        where = f"layer={self.layer!r}, item={self.item}, map={self.map!r}"
        return f"BlockNorm({where}, value={self.value!r}, kind={self.kind!r}, residual={self.residual:.1g})"

    @property
    def value(self) -> float:
        """The norm."""
        return self.norm.value

    @property
    def kind(self) -> str:
        """What the value is: "exact", or a "lower bound", up to `rounding`, where the iteration ended before its tolerance or the
        products are rounded.
        """
        return self.norm.kind

    @property
    def residual(self) -> float:
        """The relative residual of the iteration."""
        return self.norm.residual

    @property
    def rounding(self) -> float:
        """How far the rounding of the products may move the value, relative: a lower bound is one up to it."""
        return self.norm.rounding

    @property
    def warnings(self) -> tuple[str, ...]:
        """Doubts about the value, as a norm has them."""
        return self.norm.warnings


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
        What the model is called with, the batch first; for a `MultiheadAttention` by itself the tokens, once. A mask (batch, n)
        of the names `attention_mask`, `src_key_padding_mask` or `key_padding_mask` says what is padding, by name or by its
        position in the model's `forward`; of a decoder behind an encoder `decoder_attention_mask` or `tgt_key_padding_mask`.
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
        one that PyTorch cannot differentiate forward (BLOOM's MLP; experts, unless `_experts_implementation` is "eager"). Also
        for a layer that gives another output when it is run again, one in which items of the batch depend on each other, a cache
        that holds earlier tokens, and NaN; and for "blocks" where layers get more from the tokens than the layer before gives.

    Notes
    -----
    Only tokens that are not padding are moved and counted. Dropout is off. The parts are cut out of the layer by hooks: what a
    map leaves out gives zero, and the norms that follow sums are passed by.

    A layer is run again without its cache, with the whole batch, of which one item is moved; a long batch is faster item by item.
    What else a layer is called with, such as the output of an encoder, stays as it was.

    The layer runs in its own type, and layers of transformers compute norms, softmax and angles in float32 even then: the
    products are rounded to seven digits, the residual and `rounding` show it, and a tolerance of 1e-5 ends the iteration when it
    is reached.

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
    model = uncompiled(model)
    refuse_quantized(model)
    for name, part in model.named_modules():
        if isinstance(part, torch.nn.MultiheadAttention) and not part.batch_first:
            raise ValueError(f"{name or 'The module'} has batch_first=False. Make it with batch_first=True.")
    stacks = stacks_of(model)
    for _, name, layer in stacks:
        refuse_scripted(name, layer)
    chosen(layers, [name for _, name, _ in stacks])
    arguments, named = split(tokens_thrice(model, inputs))
    named = {**named, **options}
    refuse_unknown(model, list(named))
    refuse_filled_caches(model, arguments, named)
    run = with_fresh_caches(model, arguments, named)
    padding = Padding(model, arguments, named)
    calls: list[LayerCall] = []
    with evaluated(model, recording(stacks, calls)), checked_call(model, arguments, named):
        run()
    measured = [one for one in calls if layers is None or one.name in layers]
    if not measured:
        raise ValueError("The model ran none of these layers with these inputs. Give inputs with which it does.")
    # The other stack of a model of texts and images has other tokens.
    stacks_measured = {one.stack for one in measured}
    calls = [one for one in calls if one.stack in stacks_measured]
    found = []
    with evaluated(model, []):
        for one in calls if map == "blocks" else measured:
            one.check_rerun(padding)
        for item in range(max(len(one.entered) for one in measured)):
            of_item = [LayerAt(one, item, padding.kept(one, item)) for one in calls if item < len(one.entered)]
            for at, layer in enumerate(of_item):
                if layer.call in measured:
                    layer.check_alone()
                    f, tokens = map_of(map, of_item, at, run)
                    try:
                        value = norm(f, tokens, tolerance=tolerance, iterations=iterations, seed=seed, failure=failure)
                    except ValueError as problem:
                        if any(part.isnan().any() for part in (layer.call.entered[item], layer.call.left[item])):
                            raise ValueError(f"{layer.named} {GIVES_NAN}.") from problem
                        raise ValueError(f"{layer.named} has no norm: {problem}") from problem
                    found.append(BlockNorm(layer.name, item, map, value, float64(tokens)))
    return found


@dataclass(frozen=True, eq=False)
class LayerCall:
    """A call of a layer: the tokens (batch, n, d) that entered, those that left, other arguments, and how it is called again."""

    name: str
    module: torch.nn.Module
    stack: str
    entered: torch.Tensor
    left: torch.Tensor
    others: list[torch.Tensor]
    again: Callable[[torch.Tensor], Any]
    has_encoder: bool

    @property
    def named(self) -> str:
        """Its name in a sentence."""
        return self.name or "The model"

    def check_rerun(self, padding: Padding) -> None:
        """Refuses a layer that keeps something from call to call: run again, it must give what it gave."""
        with differentiable(), closed_attentions(), torch.no_grad():
            # What keeps the keys of other tokens shows them.
            self.again(_moved(self.entered))
            again = _first(self.again(self.entered.clone()))
        is_kept = torch.stack([padding.kept(self, item) for item in range(len(self.entered))])
        if again.shape != self.left.shape or not _is_close(again[is_kept], self.left[is_kept], self.left[is_kept]):
            raise ValueError(
                f"{self.named} gives another output when it is run again with the tokens that entered it: it draws random "
                "numbers, or keeps something from call to call, such as a cache of keys. Turn that off, or measure a function "
                "without it by lipscope.torch.norm."
            )


@dataclass(frozen=True)
class LayerAt:
    """A call of a layer at one item of its batch, where some tokens are kept and the others are padding."""

    call: LayerCall
    item: int
    kept: torch.Tensor

    @property
    def name(self) -> str:
        return self.call.name

    @property
    def named(self) -> str:
        return self.call.named

    @property
    def module(self) -> torch.nn.Module:
        return self.call.module

    @property
    def entered(self) -> torch.Tensor:
        """The tokens (n, d) of the item."""
        return self.call.entered[self.item]

    @functools.cached_property
    def is_whole(self) -> bool:
        """Whether no token is padding. Then nothing is copied: copies of tokens are much of what a long item takes."""
        return bool(self.kept.all())

    def batch(self, x: torch.Tensor) -> torch.Tensor:
        """All tokens that enter, with those of the item replaced."""
        if len(self.call.entered) == 1:
            return x[None]
        return self.call.entered.index_copy(0, torch.tensor([self.item], device=x.device), x[None])

    def whole(self, x: torch.Tensor) -> torch.Tensor:
        """The layer at all tokens (n, d) of the item."""
        return _first(self.call.again(self.batch(x)))[self.item]

    def check_alone(self) -> None:
        """Refuses a layer in which what an item gives depends on other items."""
        entered, left = self.call.entered, self.call.left
        if len(entered) == 1:
            return
        moved = replace(self, call=replace(self.call, entered=_moved(entered)))
        with differentiable(), closed_attentions(), torch.no_grad():
            again = moved.whole(self.entered)
        if not _is_close(again[self.kept], left[self.item][self.kept], left[self.item][self.kept]):
            raise ValueError(
                f"In {self.named} items of the batch depend on each other. The batch must come first, as in (batch, n, d), and no "
                "step may mix its items."
            )

    def placed(self, x: torch.Tensor) -> torch.Tensor:
        """All tokens that enter, with those that are kept replaced."""
        if self.is_whole:
            return x
        return self.entered.index_copy(0, self.kept.nonzero()[:, 0], x)

    def block(self, x: torch.Tensor) -> torch.Tensor:
        """The layer at the tokens that are kept."""
        return self.without_padding(self.whole(self.placed(x)))

    def without_padding(self, x: torch.Tensor) -> torch.Tensor:
        """Those of all tokens (n, d) that are kept."""
        return x if self.is_whole else x[self.kept]


def map_of(
    kind: str, layers: list[LayerAt], at: int, run: Callable[[], Any]
) -> tuple[Callable[[torch.Tensor], torch.Tensor], torch.Tensor]:
    """A map of a layer, and the tokens where it is measured."""
    layer = layers[at]
    entered = layer.without_padding(layer.entered)
    if kind == "block":
        return layer.block, entered
    if kind == "blocks":
        return _composed([one for one in layers[: at + 1] if one.call.stack == layer.call.stack], run)
    parts = _Parts(layer)
    if kind in ("attention", "with-output"):
        return parts.attention(with_output=kind == "with-output")
    middle = parts.middle(entered)
    return (parts.attention_residual, entered) if kind == "attention-residual" else (parts.mlp_residual, middle)


def rerun(layer: LayerAt, module: torch.nn.Module) -> tuple[Callable[[torch.Tensor], torch.Tensor], torch.Tensor]:
    """A module inside of a layer that maps tokens to tokens, as a function of those of the item that are kept, and these."""
    inside, again, _ = _inside(layer, module)
    f = lambda y: layer.without_padding(_first(again(inside.batch(inside.placed(y))))[layer.item])
    return f, layer.without_padding(inside.entered)


def _inside(layer: LayerAt, module: torch.nn.Module) -> tuple[LayerAt, Callable[[torch.Tensor], Any], tuple[Any, Any]]:
    """A module inside of a layer at its own tokens, the same call with others, and the arguments that the layer gives it."""
    calls: list[tuple[Any, Any]] = []

    def keep(_: Any, arguments: Any, options: Any) -> None:
        calls.append((arguments, options))

    handles = watched(f"The attention of {layer.named}", module)
    with _hooked(*handles, module.register_forward_pre_hook(keep, with_kwargs=True)):
        layer.call.again(layer.call.entered)
    x, again = _again(module, *calls[0], _in_attention)
    if len(x) != len(layer.call.entered):
        raise ValueError(f"{layer.named} calls its attention with another batch than its own.")
    return replace(layer, call=replace(layer.call, entered=x)), again, calls[0]


def _composed(
    layers: list[LayerAt], run_model: Callable[[], Any]
) -> tuple[Callable[[torch.Tensor], torch.Tensor], torch.Tensor]:
    """The layers one after another, at the tokens that enter the first."""
    for before, after in zip(layers, layers[1:]):
        if before.call.left.isnan().any():
            raise ValueError(f"{before.named} {GIVES_NAN}.")
        if not torch.equal(before.call.left, after.call.entered):
            raise ValueError(f"Between {before.name} and {after.name} the model does more than run its layers.")
    first, last = layers[0], layers[-1]

    def run(x: torch.Tensor) -> torch.Tensor:
        x = first.placed(x)
        for layer in layers:
            x = layer.whole(x)
        return x[first.kept]

    entered = first.entered[first.kept]
    for layer in layers[1:]:
        if any(other.shape == first.call.entered.shape and torch.equal(other, first.call.entered) for other in layer.call.others):
            raise _more(layer)
    if len(layers) > 1:
        # The model itself, with other tokens at its first layer.
        moved = _moved(entered)
        of_model = _of_model(layers, first.batch(first.placed(moved)), run_model)
        with differentiable(), closed_attentions(), torch.no_grad():
            here, there = run(entered), run(moved)
        if not _is_close(of_model[last.item][first.kept], there, there - here):
            raise _more(last)
    return run, entered


def _more(layer: LayerAt) -> ValueError:
    return ValueError(
        f"{layer.name} gets more from the tokens than what the layer before it gives, such as the first tokens or keys that layers "
        'share. Measure its "block".'
    )


class _Reached(Exception):
    """Ends a run of the model at a layer."""


def _of_model(layers: list[LayerAt], batch: torch.Tensor, run_model: Callable[[], Any]) -> torch.Tensor:
    """What the model gives after these layers if other tokens enter the first."""
    reached: list[torch.Tensor] = []
    runs = {"of first": 0, "of all": 0}

    def enter(module: torch.nn.Module, arguments: Any, options: Any) -> Any:
        runs["of first"] += 1
        return _with_tokens(module, arguments, options, batch, _in_layer) if runs["of first"] == 1 else None

    def leave(_: Any, __: Any, result: Any) -> None:
        runs["of all"] += 1
        if runs["of all"] == len(layers):
            reached.append(_first(result))
            raise _Reached

    handles = [layers[0].module.register_forward_pre_hook(enter, with_kwargs=True)]
    handles += [module.register_forward_hook(leave) for module in dict.fromkeys(layer.module for layer in layers)]
    with _hooked(*handles), differentiable(), closed_attentions(), torch.no_grad():
        try:
            run_model()
        except _Reached:
            pass
    return reached[0]


class _Parts:
    """The parts of a layer of a known family."""

    def __init__(self, layer: LayerAt) -> None:
        self.layer = layer
        within = [(name, part) for name, part in layer.module.named_modules() if is_attention(part)]
        if len(within) != 1:
            raise ValueError(f"{layer.name} has {len(within)} attentions that are known, but this map needs one.")
        ((name, self.module),) = within
        family = family_of(self.module)
        if family is None:
            raise ValueError(f'{layer.named} is of no known family of transformers. Measure its "block".')
        self.family: Family = family
        self.output = self._part([family.dense or ".".join(filter(None, (name, family.output)))])

    def _part(self, paths: Any) -> torch.nn.Module:
        names = dict(self.layer.module.named_modules())
        part = next((names[path] for path in paths if path in names), None)
        if part is None:
            raise ValueError(f"{self.layer.name} has no {' or '.join(paths)}, which its family has.")
        refuse_scripted(f"A part of {self.layer.named}", part)
        return part

    def attention(self, with_output: bool) -> tuple[Callable[[torch.Tensor], torch.Tensor], torch.Tensor]:
        """Attention at its own input, before or after its output matrix."""
        layer, heads, outputs = self.layer, [], []
        inside, again, (arguments, options) = _inside(layer, self.module)
        x = inside.call.entered

        def run(again: Callable[[], Any]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
            """The heads that enter the output matrix, what this gives, and what the module gives."""
            # Those of the user come before, so that what they change is seen, and seen once.
            before = self.output.register_forward_pre_hook(lambda _, arguments: heads.append(arguments[0]))
            after = self.output.register_forward_hook(lambda _, __, result: outputs.append(result))
            with _hooked(before, after):
                whole = _first(again())
            return heads.pop(), outputs.pop(), whole

        def f(y: torch.Tensor) -> torch.Tensor:
            whole = inside.batch(inside.placed(y))
            if self.family.dense:
                of_heads = _first(again(whole)).reshape(len(x), len(layer.kept), -1)
                found = self.output(of_heads) if with_output else of_heads
            else:
                of_heads, given, _ = run(lambda: again(whole))
                found = (given if with_output else of_heads).reshape(len(x), len(layer.kept), -1)
            return layer.without_padding(found[layer.item])

        if with_output and not self.family.dense:
            _, given, left = run(lambda: again(x))
            residual = options.get("residual", next(iter(arguments[1:2]), None))
            if not is_kept(given, left, residual):
                raise ValueError(
                    f"The attention of {layer.named} changes what its output matrix gives, in a hook or a forward of its own. "
                    'Measure its "block", or a function with all of it by lipscope.torch.norm.'
                )

        return f, layer.without_padding(inside.entered)

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


def stacks_of(model: torch.nn.Module) -> list[tuple[str, str, torch.nn.Module]]:
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


def recording(stacks: list[tuple[str, str, torch.nn.Module]], found: list[LayerCall]) -> list[Any]:
    """Hooks that add each call of a layer to `found`. A module that stands in a list twice is called by its names in turn."""
    names: dict[torch.nn.Module, list[tuple[str, str]]] = {}
    for stack, name, module in stacks:
        names.setdefault(module, []).append((stack, name))
    return [hook for module, of_module in names.items() for hook in _recorders(module, of_module, found)]


def _recorders(module: torch.nn.Module, names: list[tuple[str, str]], found: list[LayerCall]) -> list[Any]:
    turns = itertools.cycle(names)
    entered: list[Any] = []

    def enter(_: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        # A layer may add to its tokens in place.
        tokens = tokens_of(module, arguments, options)
        entered.append(tokens.detach().clone() if isinstance(tokens, torch.Tensor) else tokens)

    def leave(_: Any, arguments: tuple[Any, ...], options: dict[str, Any], result: Any) -> None:
        stack, name = next(turns)
        left, x = _first(result), entered.pop()
        _, again = _again(module, arguments, options, _in_layer)
        if not isinstance(left, torch.Tensor) or left.shape != x.shape:
            raise ValueError(f"{name or 'The model'} does not map tokens to tokens of the same shape.")
        given = {**dict(zip(names_by_position(module, len(arguments)), arguments)), **options}
        tokens, own = tokens_of(module, arguments, options), _own_name(module, arguments, options)
        is_other = lambda name, value: name != own and not (_in_layer(name) and _is_one(value, tokens))
        others = [value for name, value in given.items() if isinstance(value, torch.Tensor)
                  and value.dtype == x.dtype and is_other(name, value)]  # fmt: skip
        has_encoder = any(given.get(of_encoder) is not None for of_encoder in _OF_ENCODER)
        found.append(LayerCall(name, module, stack, x, left.detach().clone(), others, again, has_encoder))

    return [
        *watched(names[0][1], module),
        module.register_forward_pre_hook(enter, with_kwargs=True),
        module.register_forward_hook(leave, with_kwargs=True),
    ]


def _with_tokens(
    module: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any], x: torch.Tensor, moves: Moves
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A call with other tokens. Where `moves` says so of its name, an argument that is the same tensor is replaced too. In another
    type, all numbers of the tokens' type are of that type.
    """
    before = tokens_of(module, arguments, options)
    names = names_by_position(module, len(arguments))
    own = _own_name(module, arguments, options)
    typed = lambda tensor: tensor.to(x.dtype) if tensor.dtype == before.dtype else tensor

    def other(name: str | None, value: Any) -> Any:
        is_moved = isinstance(value, torch.Tensor) and _is_one(value, before) and moves(name)
        if is_moved or value is before and name == own:
            return x
        return value if x.dtype == before.dtype else each_tensor(typed, value)

    return (
        tuple(other(name, value) for name, value in zip(names, arguments)),
        {name: other(name, value) for name, value in options.items()},
    )


#: Whether an argument of this name follows the tokens where it is the same tensor.
Moves = Callable[[str | None], bool]


def _in_attention(name: str | None) -> bool:
    """In attention, what is given twice is query and key; the output of an encoder stays, even if it is that tensor."""
    return name not in _OF_ENCODER


def _in_layer(name: str | None) -> bool:
    """In a layer, all but the tokens stays: only the first layer of a model can be given its embeddings as the same tensor twice."""
    return name in _ATTENDED


def _own_name(module: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any]) -> str | None:
    """The name of the argument that holds the tokens."""
    if arguments and isinstance(arguments[0], torch.Tensor):
        return names_by_position(module, 1)[0]
    given = {*names_by_position(module, len(arguments)), *options}
    return next((name for name in TOKENS if name in given), None)


def _is_one(value: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors are views of the same numbers."""
    is_view = value.data_ptr() == other.data_ptr() and value.stride() == other.stride() and value.dtype == other.dtype
    return value is other or (is_view and value.shape == other.shape)


def _again(
    module: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any], moves: Moves
) -> tuple[torch.Tensor, Callable[[torch.Tensor], Any]]:
    """The tokens (batch, n, d) of a call, and the same call with others and without caches."""
    x = tokens_of(module, arguments, options)
    if not isinstance(x, torch.Tensor) or x.dim() != 3:
        raise ValueError(f"{type(module).__name__} is called without tokens (batch, n, d).")
    plain, named = without_caches(module, arguments, options)

    def again(y: torch.Tensor) -> Any:
        positional, by_name = _with_tokens(module, plain, named, y, moves)
        return module(*positional, **by_name)

    return x.detach().clone(), again


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, tuple) else result


def _moved(tokens: torch.Tensor) -> torch.Tensor:
    """Other tokens: not by a factor alone, which norms would take away."""
    return tokens + 0.5 * tokens.roll(1, -1)


def _is_close(found: torch.Tensor, expected: torch.Tensor, scale: torch.Tensor) -> bool:
    """Whether two tensors are the same to half the digits of float32, or of their own type, relative to a third."""
    eps = max(torch.finfo(found.dtype).eps, torch.finfo(torch.float32).eps)
    error, most = (found - expected).double().norm(), scale.double().norm()
    # NaN that was NaN before is named where the norm is measured.
    return bool(error <= eps**0.5 * most) or bool(expected.isnan().any() and found.isnan().any())


class Padding:
    """Which tokens of the items are no padding, by the masks (batch, n) that a model is called with."""

    def __init__(self, model: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        by_position = names_by_position(model, len(arguments))
        for name, value in list(zip(by_position, arguments))[1:]:
            if name is None and isinstance(value, torch.Tensor):
                raise ValueError(
                    f"The forward of {type(model).__name__} takes *args, so that its arguments have no names. Give all but the "
                    "first by name."
                )
        given = {**{name: value for name, value in zip(by_position, arguments) if name is not None}, **options}
        parameters = [parameter.name for parameter in parameters_of(model)]
        self._has_decoder = any(name in parameters for name in _DECODER_TOKENS)
        self._kept = {name: _kept(name, given[name]) for name in (*_PADDING, *_DECODER_PADDING)
                      if isinstance(given.get(name), torch.Tensor) and given[name].dim() == 2}  # fmt: skip

    def kept(self, call: LayerCall, item: int) -> torch.Tensor:
        """Which tokens (n,) of a call are no padding at an item."""
        names = _DECODER_PADDING if self._has_decoder and call.has_encoder else _PADDING
        batch, n = call.entered.shape[:2]
        everything = torch.ones(n, dtype=torch.bool, device=call.entered.device)
        mask = next((self._kept[name] for name in names if name in self._kept), None)
        if mask is None or (mask.shape != (batch, n) and mask.all()):
            return everything
        if mask.shape != (batch, n):
            raise ValueError(
                f"The padding mask has shape {tuple(mask.shape)}, but {call.named} takes tokens of shape {(batch, n)}."
            )
        if not mask[item].any():
            raise ValueError(f"All tokens of item {item} are padding. Leave the item out.")
        return mask[item].to(everything.device)


def _kept(name: str, mask: torch.Tensor) -> torch.Tensor:
    """Where a mask of that name says that a token is no padding."""
    if name.endswith("attention_mask"):
        if not ((mask == 0) | (mask == 1)).all():
            raise ValueError(f"`{name}` must hold 1 for tokens and 0 for padding, and nothing else, where it has two axes.")
        return mask == 1
    if not mask.is_floating_point():
        return mask == 0
    if not ((mask == 0) | (mask <= _FORBIDDEN)).all():
        raise ValueError(f"`{name}` must hold 0 for tokens and -inf for padding, and nothing else, where it has floats.")
    return mask == 0
