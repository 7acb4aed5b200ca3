"""Calls of modules of PyTorch: their arguments by name, and what they keep from call to call."""

from __future__ import annotations

import copy
import difflib
import inspect
from contextlib import contextmanager, nullcontext
from typing import Any, Callable, ContextManager, Iterator, Sequence

import torch

from ._arrays import first_line
from ._multihead import check_call

#: Arguments that keep the keys and values of earlier tokens.
CACHES = ("past_key_values", "past_key_value", "layer_past", "past", "cache", "cache_params", "kv_cache")


#: The names of the tokens that a layer is called with.
TOKENS = ("hidden_states", "inputs_embeds", "src", "tgt", "query", "x", "input")

#: Arguments that transformers takes by `**kwargs` and reads by name, and what its tokenizers give to every model.
TAKEN_BY_NAME = (
    "cache_position",
    "num_items_in_batch",
    "output_attentions",
    "output_hidden_states",
    "output_router_logits",
    "position_ids",
    "return_dict",
    "token_type_ids",
    "use_cache",
)


def call(module: torch.nn.Module, inputs: Any, options: dict[str, Any]) -> Any:
    """Calls a module with a tensor, a tuple or a dict."""
    arguments, named = split(inputs)
    refuse_unknown(module, [*named, *options])
    with checked_call(module, arguments, {**named, **options}):
        return module(*arguments, **named, **options)


@contextmanager
def checked_call(module: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any]) -> Iterator[None]:
    """Turns what PyTorch says against a call of the user's module into a sentence.

    Raises
    ------
    ValueError, TypeError
        With the name of the argument, or else with what PyTorch says.
    """
    check_call(module, arguments, options)
    try:
        yield
    except torch.OutOfMemoryError:
        raise
    except (AssertionError, RuntimeError, TypeError) as problem:
        raise ValueError(
            f"{type(module).__name__} cannot be called with these `inputs` and options: {first_line(problem)}."
        ) from problem


def refuse_unknown(module: torch.nn.Module, names: Sequence[str]) -> None:
    """Refuses arguments that no `forward` has: those that one with `**kwargs` would swallow have to be of some part of the module.

    Raises
    ------
    TypeError
        With the name of the argument, and the most alike that there is.
    """
    own = parameters_of(module)
    known, where = {parameter.name for parameter in own}, type(module).__name__
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in own):
        known.update(CACHES, TAKEN_BY_NAME)
        for part in module.modules():
            known.update(parameter.name for parameter in parameters_of(part))
        where += ", nor of any part of it"
    for name in names:
        if name not in known:
            alike = difflib.get_close_matches(name, sorted(known), 1)
            fix = f" Did you mean `{alike[0]}`?" if alike else ""
            raise TypeError(f"`{name}` is no argument of {where}.{fix}")


def split(inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The inputs of a module as arguments by position and by name."""
    if isinstance(inputs, dict) or hasattr(inputs, "keys"):
        return (), dict(inputs)
    return (tuple(inputs), {}) if isinstance(inputs, (tuple, list)) else ((inputs,), {})


def uncompiled(module: torch.nn.Module) -> torch.nn.Module:
    """The module that `torch.compile` wrapped, or the module itself."""
    return getattr(module, "_orig_mod", module)


def parameters_of(module: torch.nn.Module) -> list[inspect.Parameter]:
    """The parameters of a module's `forward`. Where Python has no signature of it, as of what torch.jit traced or froze, those of
    its schema; `*args` and `**kwargs` where it has neither.
    """
    forward = uncompiled(module).forward
    try:
        return list(inspect.signature(forward).parameters.values())
    except (TypeError, ValueError):
        schema = getattr(forward, "schema", None)
    if schema is None:
        kinds = {"args": inspect.Parameter.VAR_POSITIONAL, "kwargs": inspect.Parameter.VAR_KEYWORD}
    else:
        # The first is the module.
        names = (argument.name for argument in schema.arguments[1:])
        kinds = {name: inspect.Parameter.POSITIONAL_OR_KEYWORD for name in names if name.isidentifier()}
    return [inspect.Parameter(name, kind) for name, kind in kinds.items()]


def names_by_position(module: torch.nn.Module, count: int) -> list[str | None]:
    """The names of the first arguments of a module, as its `forward` has them; None for those that `*args` takes."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names: list[str | None] = [parameter.name for parameter in parameters_of(module) if parameter.kind in kinds]
    return (names + [None] * count)[:count]


def is_cache(name: str | None, value: Any) -> bool:
    """Whether an argument remembers the tokens of earlier calls, by its name or its class."""
    if value is None or isinstance(value, (bool, int)):
        return False
    return name in CACHES or hasattr(value, "get_seq_length")


def without_caches(
    module: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with None in the place of caches: each rerun would append its tokens to them."""

    def plain(name: str | None, value: Any) -> Any:
        if name == "use_cache":
            return False
        return None if is_cache(name, value) else value

    return _each(plain, module, arguments, options)


def with_fresh_caches(module: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any]) -> Callable[[], Any]:
    """A call of a module that can be repeated: each time with a copy of each cache, which is empty, and to which a call appends its
    tokens.

    Nothing else is changed. A model whose caller wants no cache may be another function: some of transformers see packed texts by
    their positions only then.
    """

    def run() -> Any:
        fresh = lambda name, value: copy.deepcopy(value) if is_cache(name, value) else value
        positional, by_name = _each(fresh, module, arguments, options)
        return module(*positional, **by_name)

    return run


def _each(
    change: Callable[[str | None, Any], Any], module: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, each changed by its name and value."""
    names = names_by_position(module, len(arguments))
    return (
        tuple(change(name, value) for name, value in zip(names, arguments)),
        {name: change(name, value) for name, value in options.items()},
    )


def refuse_filled_caches(module: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Refuses caches that hold tokens already: a call without them would be another one.

    Raises
    ------
    ValueError
        With the name of the argument.
    """
    for name, value in [*zip(names_by_position(module, len(arguments)), arguments), *options.items()]:
        is_empty = hasattr(value, "get_seq_length") and int(value.get_seq_length()) == 0
        if is_cache(name, value) and not is_empty:
            raise ValueError(
                f"`{name or 'a cache'}` holds the keys of earlier tokens. Leave it out, and give all tokens in one call."
            )


def refuse_quantized(module: torch.nn.Module) -> None:
    """Refuses modules whose weights PyTorch has packed into whole numbers: it takes them for constants, not for maps.

    Raises
    ------
    ValueError
        With the name of such a part.
    """
    for name, part in module.named_modules():
        if ".quantized" in type(part).__module__ and type(part).__module__.startswith("torch."):
            raise ValueError(
                f"{name or 'The module'} ({type(part).__name__}) is quantized, so that PyTorch has no derivative of it. Measure the "
                "module before it was quantized."
            )


def refuse_scripted(name: str, module: torch.nn.Module) -> None:
    """Refuses a module that hooks are needed on and that torch.jit compiled: it takes none.

    Raises
    ------
    ValueError
        With the module's name.
    """
    if isinstance(module, torch.jit.ScriptModule):
        raise ValueError(
            f"{name or 'The module'} is compiled by torch.jit, so that its calls cannot be read. Give the module before it was "
            "scripted or traced, or measure a function of its tokens by lipscope.torch.norm."
        )


def tokens_of(module: torch.nn.Module, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The tokens of a call: they come first, or have a name that is known."""
    if arguments and isinstance(arguments[0], torch.Tensor):
        return arguments[0]
    given = {**dict(zip(names_by_position(module, len(arguments)), arguments)), **options}
    for name in TOKENS:
        if name in given:
            return given[name]
    raise ValueError(f"{type(module).__name__} is called without tokens (batch, n, d).")


def watched(name: str, module: torch.nn.Module) -> list[Any]:
    """Hooks that refuse a call whose tokens another forward pre-hook of the module changes: run again, it would change them
    twice. The caller removes them.

    Raises
    ------
    ValueError
        At the call, with the module's name.
    """
    before: list[Any] = []

    def enter(_: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        tokens = tokens_of(module, arguments, options)
        before.append(tokens.detach().clone() if isinstance(tokens, torch.Tensor) else tokens)

    def check(_: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        first, last = before.pop(), tokens_of(module, arguments, options)
        if not isinstance(first, torch.Tensor) or not isinstance(last, torch.Tensor):
            return
        if first.shape != last.shape or not torch.equal(first.nan_to_num(), last.nan_to_num()):
            raise ValueError(
                f"{name or 'The model'} has a forward pre-hook that changes its tokens. Remove the hook, or measure a function of the "
                "tokens before it by lipscope.torch.norm."
            )

    return [
        module.register_forward_pre_hook(enter, with_kwargs=True, prepend=True),
        module.register_forward_pre_hook(check, with_kwargs=True),
    ]


def each_tensor(change: Callable[[torch.Tensor], torch.Tensor], value: Any) -> Any:
    """A value with its tensors changed, in tuples, lists and dicts too."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (tuple, list)):
        return type(value)(each_tensor(change, part) for part in value)
    if type(value) is dict:
        return {name: each_tensor(change, part) for name, part in value.items()}
    return value


def eagerly() -> ContextManager[None]:
    """While it is active, compiled parts run as they are written: compiled code skips hooks, and derivatives do not see into it.
    PyTorch before 2.6 has no such switch.
    """
    return torch.compiler.set_stance("force_eager") if hasattr(torch.compiler, "set_stance") else nullcontext()


@contextmanager
def evaluated(module: torch.nn.Module, handles: list[Any]) -> Iterator[None]:
    """Without dropout, gradients and fused layers; the hooks of `handles` are removed in the end."""
    # What torch.jit froze has no mode.
    was_training = {part: part.training for part in module.modules() if hasattr(part, "training")}
    # Fused paths of evaluation skip the modules inside a layer, and with them their hooks.
    fast = torch.backends.mha.get_fastpath_enabled()
    try:
        torch.backends.mha.set_fastpath_enabled(False)
        module.eval()
        # What is recorded in inference mode cannot be differentiated later.
        with torch.inference_mode(False), torch.no_grad(), eagerly():
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
        for part, training in was_training.items():
            part.training = training
        for handle in handles:
            handle.remove()


def chosen(layers: Sequence[str] | None, known: list[str]) -> None:
    """Refuses names that are not those of layers."""
    unknown = [name for name in layers or [] if name not in known]
    if unknown:
        raise ValueError(f"`layers` names {unknown[0]!r}, but the layers are: {', '.join(map(repr, known))}.")
