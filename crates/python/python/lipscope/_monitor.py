"""Norms of the Jacobians of a model's layers while it trains."""

from __future__ import annotations

import hashlib
import json
import math
import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

import torch

from ._arrays import first_line, real, whole
from ._blocks import LayerAt, LayerCall, Padding, map_of, recording, rerun, stacks_of
from ._buffers import kept_buffers
from ._calls import checked_call, each_tensor, evaluated, refuse_filled_caches, refuse_quantized, refuse_unknown, split, uncompiled, with_fresh_caches
from ._closed import closed_attentions
from ._families import family_of
from ._golub_kahan import JacobianProducts, Pair, leading_pair
from ._head_norms import COLUMNS as NORMS, head_norms
from ._norm import differentiable, why_not
from ._scores import LayerScores, ScoreWatch, Statistics

#: The name and the version of the format of a run.
FORMAT, VERSION = "lipscope-run", 1
#: The maps of a layer that are measured.
MAPS = ("attention", "block")
#: What a row may hold beside its norm.
COLUMNS = ("condition", "output", *Statistics.COLUMNS, *NORMS)
#: The columns of attention, and how the heads are taken together.
_OF_HEADS: dict[str, Callable[[list[float]], float]] = {**Statistics.COLUMNS, **dict.fromkeys(NORMS, max)}
#: The length of the random part of a start, relative to the vector that the last measurement ended with.
_FRESH = 3.0

Row = dict[str, Any]


class Monitor:
    """Measures the layers of a model every so many steps of a training, at one fixed input.

    Parameters
    ----------
    model : torch.nn.Module
        With a list of layers. Compiled models and those inside `DistributedDataParallel` are measured as they were before.
    probe : tensor, tuple or dict
        What the model is called with, the batch first. One item is enough; it costs as many products as it has items.
    every : int
        Steps between measurements; step 0 is measured.
    maps : tuple of {"attention", "block"}
        For each layer the attention and the whole layer. The attention of a family of `lipscope model` is the concatenated heads
        before the output matrix; that of another model is the module that computes it, as a whole. The key `part` of a row says
        which: "heads" or the module's name.
    layers : str, list of str or list of modules, optional
        The name of a list of layers ("model.layers"), names of layers, or the layers; without it all that are found.
    columns : tuple of str
        Of "condition", "output", and for attention "max_logit", "entropy_mean", "entropy_min", "sink", "a_norm" and "vo_norm".
        The last two are norms of weights by head, of the matrix of the scores and of the values through the output matrix; None
        where the module's class is of no known family, and "a_norm" also where queries and keys are normalised.
    tolerance, steps : float, int
        An iteration ends at this relative residual, or after so many steps. It starts from the vector that it ended with before,
        with a random part that is three times as long: another singular value may have become the largest.
    exact : bool
        Whether the last pair is measured again by products in float64, so that its value is a lower bound and its residual is
        right; without it the value is an estimate in the model's own type.
    log : path, optional
        A file of JSON Lines, which is created or appended to.
    seed : int
        Of the random parts of start vectors.

    Raises
    ------
    ValueError
        For a model without layers that are found, sharded parameters, a probe that the model does not take, a layer that gives
        another output when it is run again, and a log of another model.

    Notes
    -----
    The parameters, gradients, buffers, modes and random states of the training are as before afterwards. Autocast is off within:
    a layer is measured in the type of its parameters. A probe whose layers
    give NaN or infinity gives rows whose value is None, with the reason under `problem`: a run that diverges goes on.

    A row is a dict with the keys `step`, `layer`, `map`, `value`, `residual`, `kind` ("lower bound", "exact", "estimate" or
    "none"), `steps`, the columns, and what `step` was given. The columns of attention are over the heads, which stand under
    `heads`; for an item with padding those of scores are left out. With several items `item` is the number of the item, and where
    a layer is called several times `call` is the number of the call.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    >>> model = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    >>> monitor = Monitor(model, torch.randn(1, 5, 8), every=10)
    >>> rows = monitor.step(0)
    >>> [(row["layer"], row["map"], row["kind"]) for row in rows[:2]]
    [('layers.0', 'attention', 'lower bound'), ('layers.0', 'block', 'lower bound')]
    >>> monitor.step(1) is None
    True
    """

    def __init__(
        self,
        model: torch.nn.Module,
        probe: Any,
        *,
        every: int = 100,
        maps: Sequence[str] = MAPS,
        layers: str | Sequence[Any] | None = None,
        columns: Sequence[str] = COLUMNS,
        tolerance: float = 0.03,
        steps: int = 12,
        exact: bool = True,
        log: str | Path | None = None,
        seed: int = 0,
    ) -> None:
        if not isinstance(model, torch.nn.Module):
            raise TypeError(f"`model` is a {type(model).__name__}, but it must be a torch.nn.Module.")
        self.model = _bare(model)
        refuse_quantized(self.model)
        _refuse_sharded(self.model)
        self.every = whole("every", every, least=1)
        self.maps = _chosen("maps", maps, MAPS)
        self.columns = _chosen("columns", columns, COLUMNS)
        self.tolerance, self.steps = real("tolerance", tolerance), whole("steps", steps, least=1)
        self.exact, self.seed = exact, whole("seed", seed)
        self._stacks = _layers(self.model, layers)
        arguments, named = split(probe)
        refuse_unknown(self.model, list(named))
        refuse_filled_caches(self.model, arguments, named)
        # A copy: the caller may change the probe later.
        self._probe = each_tensor(lambda tensor: tensor.detach().clone(), (arguments, named))
        self._draw = torch.Generator().manual_seed(self.seed)
        self._starts: dict[tuple[int, str, int], torch.Tensor] = {}
        self._listeners: list[Callable[[list[Row]], Any]] = []
        self._is_checked = False
        self._log = None if log is None else Path(log)
        if self._log is not None:
            self._begin_log()

    def step(self, step: int, **numbers: Any) -> list[Row] | None:
        """Measures where `step` is a multiple of `every`.

        Parameters
        ----------
        step : int
            The number of steps that were done.
        **numbers
            What every row holds besides, such as `loss`: numbers, or tensors of one number.

        Returns
        -------
        list of dict, or None
            The rows that were written; None between.
        """
        return self.measure(step, **numbers) if step % self.every == 0 else None

    def measure(self, step: int, **numbers: Any) -> list[Row]:
        """Measures now. Parameters and result as those of `step`."""
        numbers = {name: _number(name, value) for name, value in numbers.items()}
        rows = [] if _rank() else [{"step": int(step), **_finite(row), **numbers} for row in self._rows()]
        if rows and self._log is not None:
            with self._log.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
        for listener in self._listeners if rows else []:
            listener(rows)
        return rows

    def on_rows(self, listener: Callable[[list[Row]], Any]) -> Callable[[list[Row]], Any]:
        """Has a function called with the rows of every measurement, after they are written. Returns the function."""
        self._listeners.append(listener)
        return listener

    @staticmethod
    def flat(rows: Sequence[Row]) -> dict[str, float]:
        """The numbers of rows by name, as loggers take them: "local_lipschitz/layers.0/block", "max_logit/layers.0" and so on."""
        found = {}
        for row in rows:
            call = f".call{row['call']}" if row.get("call") is not None else ""
            item = f".{row['item']}" if row.get("item") is not None else ""
            where = row["layer"] + call + item
            if row["value"] is not None:
                found[f"local_lipschitz/{where}/{row['map']}"] = row["value"]
            for name in COLUMNS:
                if row.get(name) is not None:
                    found[f"{name}/{where}" if name in _OF_HEADS else f"{name}/{where}/{row['map']}"] = row[name]
        return found

    def _begin_log(self) -> None:
        """Writes the first line of the log, or checks that of a log to which this run is appended."""
        head = {"format": FORMAT, "version": VERSION, "model": type(self.model).__name__, "fingerprint": fingerprint(self.model)}
        if self._log.exists() and self._log.stat().st_size > 0:
            with self._log.open(encoding="utf-8") as file:
                first = file.readline()
            try:
                found = json.loads(first)
            except ValueError:
                found = None
            if not isinstance(found, dict) or found.get("format") != FORMAT:
                raise ValueError(f"`log` is {str(self._log)!r}, which is no log of a run. Give a file that does not exist.")
            if found.get("fingerprint") != head["fingerprint"]:
                raise ValueError(f"`log` is {str(self._log)!r}, which is the log of another model. Give a file of its own.")
            return
        head.update(maps=list(self.maps), columns=list(self.columns), every=self.every)
        self._log.write_text(json.dumps(head) + "\n", encoding="utf-8")

    def _rows(self) -> Iterator[Row]:
        arguments, named = self._probe
        run = with_fresh_caches(self.model, arguments, named)
        calls: list[LayerCall] = []
        watch = ScoreWatch()
        with _as_it_was(self.model), kept_buffers():
            hooks = [*recording(self._stacks, calls), *(hook for layer in {layer: None for _, _, layer in self._stacks} for hook in watch.hooks(layer))]
            with evaluated(self.model, hooks), checked_call(self.model, arguments, named), watch:
                run()
            if not calls:
                raise ValueError("The model ran none of these layers with this probe. Give a probe with which it does.")
            padding = Padding(self.model, arguments, named)
            # The calls of a module come in one order, also where it stands in several lists, with a name in each.
            found = {module: iter(scores) for module, scores in watch.of.items()}
            scores_of = {id(call): next(found[call.module]) for call in calls}
            with evaluated(self.model, []):
                if not self._is_checked:
                    for call in calls:
                        call.check_rerun(padding)
                for item in range(max(len(call.entered) for call in calls)):
                    of_item = [LayerAt(call, item, padding.kept(call, item)) for call in calls if item < len(call.entered)]
                    for at, layer in enumerate(of_item):
                        if not self._is_checked:
                            layer.check_alone()
                        place = {"layer": layer.name}
                        if len(layer.call.entered) > 1:
                            place["item"] = item
                        calls_of_layer = [other for other, one in enumerate(of_item) if one.name == layer.name]
                        if len(calls_of_layer) > 1:
                            place["call"] = calls_of_layer.index(at)
                        for name in self.maps:
                            row = self._row(name, of_item, at, scores_of[id(layer.call)], run)
                            if row is not None:
                                yield {**place, "map": name, **row}
            self._is_checked = True

    def _row(self, name: str, layers: list[LayerAt], at: int, scores: LayerScores, run: Callable[[], Any]) -> Row | None:
        """The row of a map of a layer; None for the attention of a layer that has none."""
        layer = layers[at]
        of_attention: Row = {}
        if name == "attention":
            inner = _Attention.of(layer, scores)
            if inner is None:
                return None
            of_attention = {"part": inner.part, **inner.columns(layer, self.columns)}
        make = (lambda one: map_of("block", [one], 0, run)) if name == "block" else (lambda one: inner.map(one, run))
        try:
            row = self._measured(make, layer, (at, name))
        except _NotFinite as problem:
            row = {"value": None, "residual": None, "kind": "none", "steps": 0, "problem": str(problem)}
        return {**row, **of_attention}

    def _measured(self, make: Callable[[LayerAt], Any], layer: LayerAt, place: tuple[int, str]) -> Row:
        """The norm of a map of a layer, from where the last measurement at its place ended: the number of the call and the map."""
        key = (*place, layer.item)
        with differentiable(), closed_attentions():
            f, x = make(layer)
            if not bool(x.isfinite().all()):
                raise _NotFinite("the tokens that enter are NaN or infinite")
            # Another singular value may have become the largest, with a vector that the last one has no part of.
            start = torch.randn(x.shape, generator=self._draw, dtype=torch.float64).to(x.device)
            before = self._starts.get(key)
            if before is not None and before.shape == x.shape:
                start = before.double() + _FRESH * start / start.norm()
            try:
                products = JacobianProducts(f, x)
                start = start.to(x.dtype)
                pair = leading_pair(products.forward, products.reverse, start, tolerance=self.tolerance, steps=self.steps)
            except torch.OutOfMemoryError:
                raise
            except RuntimeError as problem:
                raise ValueError(f"{layer.named} cannot be differentiated: {why_not(problem)}") from problem
            if pair is None:
                raise _NotFinite("a product with the Jacobian is NaN or infinite")
            value, residual, kind = pair.value, pair.residual, "estimate"
            size, output = float(x.double().norm()), float(products.value.double().norm())
            # Their memory is that of a reverse pass.
            del products
            if self.exact:
                entered = layer.call.entered.double()
                with _in_double(layer.call.module), _runs_in_double(layer):
                    f, x = make(replace(layer, call=replace(layer.call, entered=entered)))
                    value, residual = _exact(f, x, pair)
                kind = "exact" if residual <= 1e-9 else "lower bound"
            # The vector is that of the model's own type: the next measurement begins there.
            self._starts[key] = pair.right.detach()
        if not (math.isfinite(value) and math.isfinite(residual)):
            raise _NotFinite("a product with the Jacobian is NaN or infinite")
        row = {"value": value, "residual": residual, "kind": kind, "steps": pair.steps}
        if "condition" in self.columns:
            row["condition"] = value * size / output if output > 0 else None
        if "output" in self.columns:
            row["output"] = output
        return row


class _NotFinite(ValueError):
    """A number that a run which diverges has, and not a mistake of the caller."""


@dataclass(frozen=True)
class _Attention:
    """The attention of a layer, and what was caught of its scores: None where that is not of one call of attention."""

    name: str
    module: torch.nn.Module
    statistics: Statistics | None

    @staticmethod
    def of(layer: LayerAt, scores: LayerScores) -> _Attention | None:
        """The attention that the layer called; None where none was seen. Where its parts compute it together, such as a module for
        each head, it is the module that calls them all; where the layer itself does, it is the first of them.
        """
        named = {module: name for name, module in layer.module.named_modules()}
        names = [named[module] for module in named if module in scores.modules]
        if not names:
            return None
        of_name = {name: module for module, name in named.items()}
        whole = os.path.commonprefix([[*name.split(".")] for name in names])
        while whole and of_name[".".join(whole)] not in scores.called:
            whole = whole[:-1]
        name = ".".join(whole) or names[0]
        return _Attention(name, of_name[name], scores.statistics(of_name[name]))

    @property
    def part(self) -> str:
        """What of it is measured."""
        return "heads" if family_of(self.module) is not None else self.name

    def columns(self, layer: LayerAt, names: Sequence[str]) -> Row:
        """The numbers of the heads and what they are together."""
        # The rows and columns of padding would count.
        found: dict[str, Any] = dict.fromkeys(Statistics.COLUMNS) if layer.is_whole else {}
        # Attention of other rows than the tokens is a part of that of the tokens, such as that of a window or of landmarks.
        if layer.is_whole and self.statistics is not None and self.statistics.queries == layer.call.entered.shape[1]:
            found.update(self.statistics.of_item(self.module, layer.item, len(layer.call.entered)))
        if any(name in names for name in NORMS):
            found = {**found, **head_norms(layer.module, self.name, self.module)}
        chosen = {name: values for name, values in found.items() if name in names}
        heads = {name: values for name, values in chosen.items() if values is not None}
        # Which of several numbers is the largest depends on their order where one is NaN.
        is_known = {name: values is not None and not any(map(math.isnan, values)) for name, values in chosen.items()}
        together = {name: _OF_HEADS[name](values) if is_known[name] else None for name, values in chosen.items()}
        return {**together, **({"heads": heads} if heads else {})}

    def map(self, layer: LayerAt, run: Callable[[], Any]) -> tuple[Callable[[torch.Tensor], torch.Tensor], torch.Tensor]:
        """Attention as a function of its tokens, and these."""
        return rerun(layer, self.module) if family_of(self.module) is None else map_of("attention", [layer], 0, run)


def _exact(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, pair: Pair) -> tuple[float, float]:
    """The value and the residual of a pair by products in the type of x."""
    products = JacobianProducts(f, x)
    v = pair.right.to(x.dtype)
    v = v / v.norm()
    image = products.forward(v)
    value = float(image.norm())
    if value == 0:
        return 0.0, 0.0
    back = products.reverse((image / value).to(products.value.dtype))
    return value, float((back.to(x.dtype) - value * v).norm()) / value


@contextmanager
def _in_double(module: torch.nn.Module) -> Iterator[None]:
    """A module whose parameters and buffers are float64 for a while: the tensors themselves stay where and what they are."""
    changed: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for part in module.modules():
            for table in (part._parameters, part._buffers):
                for name, tensor in table.items():
                    if isinstance(tensor, torch.Tensor) and tensor.is_floating_point() and tensor.dtype != torch.float64:
                        changed.append((table, name, tensor))
                        table[name] = tensor.detach().double()
        yield
    finally:
        for table, name, tensor in reversed(changed):
            table[name] = tensor


@contextmanager
def _runs_in_double(layer: LayerAt) -> Iterator[None]:
    """Turns what PyTorch says of a layer that keeps numbers of another type into a sentence."""
    try:
        yield
    except (RuntimeError, TypeError) as problem:
        if isinstance(problem, torch.OutOfMemoryError) or "type" not in str(problem):
            raise
        raise ValueError(
            f"{layer.named} cannot run in float64, in which its last pair is measured: {first_line(problem)}. Give exact=False."
        ) from problem


@contextmanager
def _as_it_was(model: torch.nn.Module) -> Iterator[None]:
    """Random states as before, and no autocast."""
    devices = sorted({parameter.device.index or 0 for parameter in model.parameters() if parameter.is_cuda})
    kinds = {parameter.device.type for parameter in model.parameters()} | {"cpu"}
    with torch.random.fork_rng(devices=devices), ExitStack() as stack:
        for kind in kinds:
            stack.enter_context(torch.autocast(kind, enabled=False))
        yield


def _bare(model: torch.nn.Module) -> torch.nn.Module:
    """The model without what compiles or copies it."""
    while True:
        inner = uncompiled(model)
        if isinstance(inner, (torch.nn.parallel.DistributedDataParallel, torch.nn.DataParallel)):
            inner = inner.module
        if inner is model:
            return model
        model = inner


def _refuse_sharded(model: torch.nn.Module) -> None:
    is_wrapped = any(hasattr(part, "_fsdp_wrapped_module") for part in model.modules())
    for name, parameter in model.named_parameters():
        if is_wrapped or type(parameter).__name__ == "FlatParameter" or hasattr(parameter, "device_mesh"):
            raise ValueError(
                f"The parameter {name!r} is sharded over several processes. Gather the model's parameters, and give the monitor a "
                "model of whole ones."
            )


def _rank() -> int:
    """The number of this process among those that train together: the first one measures."""
    distributed = torch.distributed
    return distributed.get_rank() if distributed.is_available() and distributed.is_initialized() else 0


def _layers(model: torch.nn.Module, layers: str | Sequence[Any] | None) -> list[tuple[str, str, torch.nn.Module]]:
    """The layers as `stacks_of` gives them: the name of their list, their own, and themselves."""
    if layers is None:
        found = stacks_of(model)
        if found == [("", "", model)] and not any(isinstance(part, torch.nn.ModuleList) for part in model.modules()):
            raise ValueError(
                f"{type(model).__name__} has no list of layers (torch.nn.ModuleList). Give their names or modules as `layers`."
            )
        return found
    named = dict(model.named_modules())
    names = {module: name for name, module in named.items()}
    if isinstance(layers, str):
        if layers not in named:
            raise ValueError(f"`layers` is {layers!r}, which is no module of the model.")
        return [(layers, names[part], part) for part in named[layers].children()]
    found = []
    for one in layers:
        part = named.get(one) if isinstance(one, str) else one
        if part not in names:
            raise ValueError(f"`layers` holds {one if isinstance(one, str) else type(one).__name__!r}, which is no module of the model.")
        found.append((names[part].rpartition(".")[0], names[part], part))
    if not found:
        raise ValueError("`layers` is empty. Give the names of layers, or leave it out.")
    return found


def _chosen(name: str, values: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    values = (values,) if isinstance(values, str) else tuple(values)
    for value in values:
        if value not in known:
            raise ValueError(f"`{name}` holds {value!r}, but each must be one of: {', '.join(known)}.")
    return values


def _number(name: str, value: Any) -> float | None:
    """A number of a row; None for NaN and infinity, which JSON does not have."""
    if isinstance(value, torch.Tensor):
        if value.numel() != 1:
            raise ValueError(f"`{name}` has {value.numel()} numbers, but a row holds one.")
        value = value.item()
    if value is None:
        return None
    value = float(value)
    return value if math.isfinite(value) else None


def _finite(row: Any) -> Any:
    """A row with None in the place of NaN and infinity, which JSON does not have."""
    if isinstance(row, dict):
        return {name: _finite(value) for name, value in row.items()}
    if isinstance(row, list):
        return [_finite(value) for value in row]
    return None if isinstance(row, float) and not math.isfinite(row) else row


def fingerprint(model: torch.nn.Module) -> str:
    """What tells a model from others: its class and the names, shapes and types of its parameters, and not their numbers."""
    text = [type(model).__name__, *(f"{name} {tuple(part.shape)} {part.dtype}" for name, part in model.named_parameters())]
    return hashlib.sha256("\n".join(text).encode()).hexdigest()[:16]
