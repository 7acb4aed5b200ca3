"""Reads the self-attention of modules of PyTorch: weights, steps, and what a call gives them."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, replace
from typing import Any, Callable

import numpy as np
import torch

from ._calls import each_tensor, is_cache, refuse_scripted, uncompiled, watched
from ._families import Family, family_of
from ._masks import Item, float64, items, masked_items, numpy, same_for_heads, split
from ._positions import Rope, rope_of

#: The most by which what is read may miss what a module computes in float32, relative to it: some hundred roundings.
_VALUE_TOLERANCE = 2e-5


#: The names of the tokens of a call, of torch.nn.MultiheadAttention and of families of transformers.
_MULTIHEAD_TOKENS = ("query", "key", "value")
_FAMILY_TOKENS = ("hidden_states", "query")
_OTHER = "computes something else than the attention of its class"
#: What is said of a module that gives NaN at the tokens of the call, before anything is differentiated.
GIVES_NAN = (
    "gives NaN at these inputs by itself: a parameter is NaN, or numbers overflow. In float64, eager attention of transformers does so where a token attends to nothing, "
    'as padding on the left: use attn_implementation="sdpa" or float32, or pad on the right'
)


@dataclass(frozen=True)
class QkNorm:
    """RMS norms of the queries and of the keys of each head."""

    eps: float
    q_gain: np.ndarray
    k_gain: np.ndarray

    def score(self) -> dict[str, Any]:
        """As an experiment has it."""
        gains = {"q_gain": self.q_gain.tolist(), "k_gain": self.k_gain.tolist()}
        return {"qk_norm": {"kind": "rms", "eps": self.eps, **gains}}


@dataclass(frozen=True)
class Weights:
    """The weights of a layer and the steps of its attention.

    q (heads, k, d), k and v (groups, k, d) with their biases (heads or groups, k), the output matrix (d_out, heads k), the
    factor of scores, the norms, the positions, the cap of scores and the sinks (heads,), where they are.
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    q_bias: np.ndarray
    k_bias: np.ndarray
    v_bias: np.ndarray
    output: np.ndarray | None
    scale: float
    norm: QkNorm | None = None
    rope: Rope | None = None
    softcap: float | None = None
    sinks: np.ndarray | None = None

    @property
    def count(self) -> int:
        """The number of heads."""
        return len(self.q)

    def group(self, head: int) -> int:
        """The group of keys and values of a head."""
        return head * len(self.k) // len(self.q)

    def score(self) -> dict[str, Any]:
        """The steps between projections and weights, as an experiment has them."""
        usual = self.q.shape[1] ** -0.5
        return {
            **({} if abs(self.scale / usual - 1) < 1e-15 else {"scale": self.scale}),
            **({} if self.softcap is None else {"softcap": self.softcap}),
            **({} if self.norm is None else self.norm.score()),
            **({} if self.rope is None else self.rope.score()),
        }

    def of(self, head: int | None) -> Weights:
        """Those of one head, without the output matrix; None for all heads."""
        if head is None:
            return self
        group, one = self.group(head), slice(head, head + 1)
        of_group = slice(group, group + 1)
        return replace(
            self, q=self.q[one], k=self.k[of_group], v=self.v[of_group], q_bias=self.q_bias[one],
            k_bias=self.k_bias[of_group], v_bias=self.v_bias[of_group], output=None,
            sinks=None if self.sinks is None else self.sinks[one],
        )  # fmt: skip

    def _needed(self) -> list[tuple[str, np.ndarray, np.ndarray]]:
        parts = [("queries", self.q, self.q_bias)]
        # A bias of keys adds a number to each row of plain scores, which softmax without a sink cancels.
        if any(step is not None for step in (self.norm, self.rope, self.softcap, self.sinks)):
            parts.append(("keys", self.k, self.k_bias))
        # Rows of weights that add to 1 pass a bias of values on as a constant.
        if self.sinks is not None:
            parts.append(("values", self.v, self.v_bias))
        return parts

    def needed(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows (r, d) of the matrices whose biases the Jacobian depends on, and these biases (r,)."""
        parts = self._needed()
        return (
            np.concatenate([matrix.reshape(-1, matrix.shape[-1]) for _, matrix, _ in parts]),
            np.concatenate([bias.ravel() for _, _, bias in parts]),
        )

    def biases_needed(self) -> str:
        """These biases in words."""
        names = [name for name, _, _ in self._needed()]
        return "biases of " + " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

    def scores(self, tokens: np.ndarray) -> np.ndarray:
        """The scores (heads, n, n) at tokens (n, d), before their cap, bias and mask."""
        q, k = _projected(self.q, self.q_bias, tokens), _projected(self.k, self.k_bias, tokens)
        if self.norm is not None:
            rms = lambda z: z / np.sqrt((z**2).mean(-1, keepdims=True) + self.norm.eps)
            q, k = rms(q) * self.norm.q_gain, rms(k) * self.norm.k_gain
        if self.rope is not None:
            q, k = self.rope.turn(q), self.rope.turn(k)
        return self.scale * q @ k[self._groups()].swapaxes(1, 2)

    def _groups(self) -> list[int]:
        return [self.group(head) for head in range(self.count)]

    def value(self, item: Item) -> np.ndarray:
        """The concatenated heads (n, heads k) at an item, by their formula."""
        scores, v = self.scores(item.tokens), _projected(self.v, self.v_bias, item.tokens)
        if self.softcap is not None:
            scores = self.softcap * np.tanh(scores / self.softcap)
        if item.bias is not None:
            scores = scores + item.bias
        scores = np.where(item.allowed, scores, -np.inf)
        largest = scores.max(-1, keepdims=True)
        weights = np.exp(scores - largest)
        sums = weights.sum(-1, keepdims=True)
        if self.sinks is not None:
            sums = sums + np.exp(self.sinks[:, None, None] - largest)
        return (weights / sums @ v[self._groups()]).swapaxes(0, 1).reshape(len(item.tokens), -1)


def _projected(matrix: np.ndarray, bias: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """What heads (h, k, d) with a bias (h, k) make of tokens (n, d): (h, n, k)."""
    return np.einsum("hkd,nd->hnk", matrix, tokens) + bias[:, None]


class CrossAttention(ValueError):
    """A call whose keys are of other tokens."""


@dataclass
class Catcher:
    """Reads every call of one module of attention, through hooks on it."""

    name: str
    module: torch.nn.Module
    family: Family | None
    calls: list[tuple[str, str, Weights, list[Item]]]
    crossing: list[ValueError]
    _heads: list[torch.Tensor] = field(default_factory=list)
    #: What the output matrix gave in the same calls.
    _given: list[torch.Tensor] = field(default_factory=list)
    _is_repeated: bool = False

    def __post_init__(self) -> None:
        output = self._output()
        if output is not None:
            refuse_scripted(f"The output matrix of {self.name or 'the module'}", output)

    def _output(self) -> torch.nn.Module | None:
        """The module of the output matrix, where a family has one."""
        return None if self.family is None else getattr(self.module, self.family.output or "", None)

    def hooks(self) -> list[Any]:
        """Hooks that add each call to `calls`, or its refusal to `crossing`; the caller removes them."""
        hooks = watched(self.name, self.module)
        hooks.append(self.module.register_forward_hook(self._read, with_kwargs=True))
        output = self._output()
        if output is not None:
            hooks.append(output.register_forward_hook(self._keep, with_kwargs=True))
        return hooks

    def _keep(self, output: Any, arguments: tuple[Any, ...], options: dict[str, Any], result: Any) -> None:
        """Keeps what the output matrix is given, and compares what it gives with the matrix that is read."""
        heads = next(iter((*arguments, *options.values())))
        self._heads.append(heads)
        self._given.append(result)
        try:
            matrix, bias = linear(output)
        except ValueError as problem:
            raise refusal(self.name, self.module, str(problem)) from None
        if heads.shape[-1] != matrix.shape[1] or result.shape[-1] != len(matrix):
            raise refusal(self.name, self.module, "has an output matrix of another shape than its weights")
        expected = float64(heads) @ matrix.T + bias
        # Of half precision the matrix itself is all that can be read.
        tolerance = max(_VALUE_TOLERANCE, 4 * torch.finfo(heads.dtype).eps)
        error, size = (np.linalg.norm(np.nan_to_num(part)) for part in (expected - float64(result), expected))
        if not error <= tolerance * size:
            raise refusal(self.name, self.module, "has an output matrix with other parts beside it")

    def _read(self, module: Any, arguments: tuple[Any, ...], options: dict[str, Any], result: Any) -> None:
        family, given = self.family, given_to(module, arguments, options)
        if self._is_repeated:
            return
        read = self._named(
            lambda: _multihead(module, given) if family is None else _transformers(module, family, given)
        )
        output = self._of_module(result, given.get("residual"))
        if read is None:
            return
        weights, found = read
        run = self._again
        if torch.finfo(output.dtype).eps > _VALUE_TOLERANCE:
            run = self._in_single
            output = run(weights, given)
        self._compare(weights, found, output)
        self._compare_elsewhere(weights, found, given, lambda elsewhere: run(weights, elsewhere))
        self.calls.append((self.name, fix(module), weights, found))

    def _of_module(self, result: Any, residual: Any = None) -> torch.Tensor:
        """What the module computed: the concatenated heads, or for torch.nn.MultiheadAttention its output."""
        output = result[0] if isinstance(result, tuple) else result
        if self.family is not None and self.family.output:
            if not is_kept(self._given.pop(), output, residual):
                raise refusal(self.name, self.module, "changes what its output matrix gives, in a hook or a forward of its own")
            return self._heads.pop()
        if self.family is not None:
            return output
        return _batch_first(self.module, output)

    def _named(self, read: Callable[[], tuple[Weights, list[Item]]]) -> tuple[Weights, list[Item]] | None:
        """What is read, or an error that names the module; None for cross-attention."""
        try:
            return read()
        except ValueError as problem:
            named = refusal(self.name, self.module, str(problem))
            if not isinstance(problem, CrossAttention):
                raise named from None
            self.crossing.append(named)
            return None

    def _in_single(self, weights: Weights, given: dict[str, Any]) -> torch.Tensor:
        """What the module gives if it computes in float32, with cosines that are not rounded to half of that."""

        single = lambda tensor: tensor.float() if tensor.is_floating_point() else tensor
        given = {name: each_tensor(single, part) for name, part in given.items() if not is_cache(name, part)}
        if weights.rope is not None and given.get("position_embeddings") is not None:
            given["position_embeddings"] = weights.rope.embeddings(given["position_embeddings"])
        parameters = {name: single(parameter) for name, parameter in self.module.named_parameters()}
        return self._repeated(lambda: torch.func.functional_call(self.module, parameters, (), given), given)

    def _again(self, _: Weights, given: dict[str, Any]) -> torch.Tensor:
        """What the module gives in its own type."""
        plain = {name: part for name, part in given.items() if not is_cache(name, part)}
        return self._repeated(lambda: self.module(**plain), plain)

    def _repeated(self, call: Callable[[], Any], given: dict[str, Any]) -> torch.Tensor:
        """What a call of the module gives that is not read."""
        self._is_repeated = True
        try:
            return self._of_module(call(), given.get("residual"))
        finally:
            self._is_repeated = False

    def _compare(self, weights: Weights, found: list[Item], output: torch.Tensor) -> None:
        """What was read must give what the module gave: a class may have learnt a step that its row does not know."""
        for item, of_module in zip(found, float64(output)):
            expected = of_module.reshape(len(item.kept), -1)[item.kept]
            if np.isnan(expected).any():
                raise ValueError(f"{self.name or 'The module'} ({type(self.module).__name__}) {GIVES_NAN}.")
            if not np.isfinite(expected).all():
                raise refusal(self.name, self.module, "gives infinite numbers")
            value = self._expected(weights, item)
            error = np.linalg.norm(value - expected) if value.shape == expected.shape else np.inf
            if not error <= _VALUE_TOLERANCE * np.linalg.norm(expected):
                raise refusal(self.name, self.module, _OTHER)

    def _expected(self, weights: Weights, item: Item) -> np.ndarray:
        """What the module gives at an item, by the formula."""
        value = weights.value(item)
        if self.family is None:
            matrix, bias = linear(self.module.out_proj)
            value = value @ matrix.T + bias
        return value

    def _compare_elsewhere(
        self,
        weights: Weights,
        found: list[Item],
        given: dict[str, Any],
        run: Callable[[dict[str, Any]], torch.Tensor],
    ) -> None:
        """The same at drawn tokens, by the change of the output from some to others. At tokens that are all alike, beside large
        biases and where one score is far above the others, outputs say little about the steps that they come from.
        """
        names = _MULTIHEAD_TOKENS if self.family is None else [next(name for name in _FAMILY_TOKENS if name in given)]
        tokens = given[names[0]]
        draw = np.random.default_rng(0)
        drawn = [draw.normal(size=tuple(tokens.shape)) for _ in range(2)]
        # So long that scores differ by about one.
        spread = float(weights.scores(self._items_of(drawn[0])[0][found[0].kept]).std())
        scale = spread**-0.5 if weights.norm is None and spread > 0 else 1.0
        placed = [torch.from_numpy(scale * one).to(tokens.dtype).to(tokens.device) for one in drawn]
        outputs = [run({**given, **dict.fromkeys(names, one)}) for one in placed]
        wholes = [self._items_of(float64(one)) for one in placed]
        for at, item in enumerate(found):
            of_module = [float64(one[at]).reshape(len(item.kept), -1)[item.kept] for one in outputs]
            if not all(np.isfinite(one).all() for one in of_module):
                continue
            read = [self._expected(weights, replace(item, tokens=whole[at][item.kept])) for whole in wholes]
            change = read[1] - read[0]
            error = np.linalg.norm(change - (of_module[1] - of_module[0]))
            rounding = 64 * torch.finfo(outputs[0].dtype).eps * sum(np.linalg.norm(one) for one in of_module)
            if not error <= _VALUE_TOLERANCE * np.linalg.norm(change) + rounding:
                raise refusal(self.name, self.module, _OTHER)

    def _items_of(self, tokens: np.ndarray) -> np.ndarray:
        """The tokens of a call as (batch, n, d)."""
        return tokens if self.family is not None else _batch_first(self.module, tokens)


def is_kept(given: torch.Tensor, left: torch.Tensor, residual: Any) -> bool:
    """Whether a module gives what its output matrix gave. One family adds its residual connection inside."""
    # The same numbers in another shape, and NaN, which differs from itself.
    flat = lambda part: part.reshape(-1).nan_to_num()
    expected = [given, *([given + residual] if isinstance(residual, torch.Tensor) and residual.shape == given.shape else [])]
    return any(one.numel() == left.numel() and torch.equal(flat(one.to(left.dtype)), flat(left)) for one in expected)


def _batch_first(module: torch.nn.MultiheadAttention, part: Any) -> Any:
    """The tokens or outputs of a call as (batch, n, d), an array or a tensor."""
    if part.ndim == 2:
        return part[None]
    return part if module.batch_first else part.swapaxes(0, 1)


def refusal(name: str, module: Any, what: str) -> ValueError:
    """An error that says which module has no experiment, and what to do."""
    return ValueError(
        f"{name or 'The module'} ({type(module).__name__}) {what}: no experiment has the same Jacobian. {fix(module)}."
    )


def fix(module: Any) -> str:
    """How attention that is no experiment is measured."""
    by_name = 'blocks(.., map="attention")' if family_of(module) is not None else "norm"
    return f"Measure it with lipscope.torch.{by_name}"


def is_attention(module: Any) -> bool:
    """Whether a module is self-attention that is known."""
    return isinstance(module, torch.nn.MultiheadAttention) or family_of(module) is not None


def given_to(module: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names."""
    bound = inspect.signature(uncompiled(module).forward).bind_partial(*arguments, **options)
    kinds = {name: parameter.kind for name, parameter in bound.signature.parameters.items()}
    found: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        found.update(value if kinds[name] is inspect.Parameter.VAR_KEYWORD else {name: value})
    return found


def _multihead(module: torch.nn.MultiheadAttention, given: dict[str, Any]) -> tuple[Weights, list[Item]]:
    if not {"query", "key", "value"} <= given.keys():
        raise ValueError("has a forward with other arguments than query, key and value")
    query = given["query"]
    # Query, key and value may be views of one tensor.
    same = lambda other: other is query or (other.shape == query.shape and torch.equal(other, query))
    if not (same(given["key"]) and same(given["value"])):
        raise CrossAttention("is cross-attention: key and value are not the query")
    if module.bias_k is not None or module.add_zero_attn:
        raise ValueError("has keys that are no tokens, by add_bias_kv or add_zero_attn")
    d, heads = module.embed_dim, module.num_heads
    if module.in_proj_weight is not None:
        q, k, v = float64(module.in_proj_weight).reshape(3, heads, -1, d)
    else:
        parts = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
        q, k, v = (float64(part).reshape(heads, -1, d) for part in parts)
    biases = np.zeros(3 * d) if module.in_proj_bias is None else float64(module.in_proj_bias)
    q_bias, k_bias, v_bias = biases.reshape(3, heads, -1)
    weights = Weights(q, k, v, q_bias, k_bias, v_bias, float64(module.out_proj.weight), (d // heads) ** -0.5)
    tokens = _batch_first(module, query)
    count, n = tokens.shape[:2]
    padding, mask = given.get("key_padding_mask"), given.get("attn_mask")
    kept = np.ones((count, n), bool)
    if padding is not None:
        padding = padding.reshape(count, -1)
        kept, added = (~numpy(padding), None) if padding.dtype == torch.bool else split(padding)
        if added is not None:
            raise ValueError("has a padding mask that adds numbers to the scores")
    # `is_causal` masks nothing by itself: it only promises that the given mask is causal. Where it is not, the mask that PyTorch
    # takes depends on `need_weights`.
    allowed, bias = np.ones((count, n, n), bool), None
    if mask is not None:
        of_mask, added = (~numpy(mask), None) if mask.dtype == torch.bool else split(mask)
        if of_mask.size not in (n * n, count * heads * n * n):
            raise ValueError(
                f"has an `attn_mask` of shape {tuple(mask.shape)}, which fits neither the tokens nor the heads"
            )
        whole = lambda part: np.broadcast_to(part.reshape(-1, n, n), (count * heads, n, n)).reshape(count, heads, n, n)
        allowed = same_for_heads(whole(of_mask))
        if given.get("is_causal") and not (allowed == np.tril(np.ones((n, n), bool))).all():
            raise ValueError("is called with is_causal=True beside an `attn_mask` that is not causal")
        bias = None if added is None else whole(added)
    return weights, items(tokens, allowed, kept, bias)


def _transformers(module: Any, family: Family, given: dict[str, Any]) -> tuple[Weights, list[Item]]:
    for name in ("encoder_hidden_states", "key_value_states"):
        if given.get(name) is not None:
            raise CrossAttention("is cross-attention")
    if getattr(module, "is_cross_attention", False):
        raise CrossAttention("is cross-attention")
    if getattr(module, "position_embedding_type", None) not in (None, "absolute"):
        raise ValueError("has relative positions")
    if family.wide:
        raise ValueError(f"has {family.wide}")
    check_parts(module, family)
    weights = _weights(module, family)
    tokens = next((given[name] for name in _FAMILY_TOKENS if name in given), None)
    if tokens is None:
        raise ValueError(f"has a forward of other arguments than its class: none is called {' or '.join(_FAMILY_TOKENS)}")
    n = tokens.shape[1]
    mask = next((given[name] for name in ("attention_mask", "mask") if given.get(name) is not None), None)
    said = given.get("is_causal")
    is_causal = getattr(module, "is_causal", False) if said is None else said
    if family.own_mask:
        usual = numpy(getattr(module, family.own_mask))[0, 0, :n, :n].astype(bool)
    elif mask is None and is_causal:
        usual = np.tril(np.ones((n, n), bool))
    else:
        usual = np.ones((n, n), bool)
    found = masked_items(tokens, mask, usual, _score_bias(module, family, given, tokens.shape[0], weights.count))
    # ALiBi stands in place of rotary positions.
    is_turned = family.rope and given.get("alibi") is None and (not family.rope_if or getattr(module, family.rope_if))
    if is_turned:
        rope = rope_of(module, family.rope, given, [item.kept for item in found], weights.q.shape[1])
        weights = replace(weights, rope=rope)
    return weights, found


def check_parts(module: Any, family: Family) -> None:
    """Refuses a module with parts that its row does not know."""
    known = {*family.projections, *family.norms, *family.more, family.output, family.sinks}
    parts = [name for name, part in module.named_children() if any(True for _ in part.parameters())]
    parts += [name for name, _ in module.named_parameters(recurse=False)]
    unknown = [name for name in parts if name not in known]
    if unknown:
        raise ValueError(f"has parts that are not known ({', '.join(unknown)})")


def _weights(module: Any, family: Family) -> Weights:
    matrices, biases = zip(*(linear(getattr(module, name)) for name in family.projections))
    # A bias is one more column.
    rows = np.concatenate([np.column_stack(part) for part in zip(matrices, biases)])
    q, keys, values = split_heads(module, family, rows, len(matrices[0]))
    return Weights(
        q[..., :-1], keys[..., :-1], values[..., :-1], q[..., -1], keys[..., -1], values[..., -1],
        output=None if family.output is None else linear(getattr(module, family.output))[0],
        scale=scale_of(module, family, q.shape[1]),
        norm=_qk_norm(module, family),
        softcap=_first(module, family.softcap),
        sinks=float64(getattr(module, family.sinks)) if family.sinks else None,
    )  # fmt: skip


def split_heads(module: Any, family: Family, rows: Any, first: int) -> tuple[Any, Any, Any]:
    """The rows of all projections, an array or a tensor, as queries (heads, k, ..), keys and values (groups, k, ..). The first
    projection has so many of them.

    Raises
    ------
    ValueError
        Where they do not fit the heads of the class.
    """
    heads = _first(module, "num_heads", "num_attention_heads", "n_heads") or module.config.num_attention_heads
    k = _first(module, "head_dim", "attention_head_size", "head_size", "key_value_proj_dim")
    k = k or first // heads
    rows = rows.reshape(-1, k, rows.shape[1])
    groups = (len(rows) - heads) // 2
    if len(rows) != heads + 2 * groups or groups < 1 or heads % groups:
        raise ValueError("has projections of other shapes than its class")
    if family.fused == "grouped":
        of_groups = rows.reshape(groups, heads // groups + 2, k, -1)
        return of_groups[:, :-2].reshape(heads, k, -1), of_groups[:, -2], of_groups[:, -1]
    return rows[:heads], rows[heads : heads + groups], rows[heads + groups :]


def scale_of(module: Any, family: Family, k: int) -> float:
    """The factor of scores."""
    return float(family.scale or _first(module, "scaling", "scale") or k**-0.5)


def _first(module: Any, *names: str) -> Any:
    """The first of these attributes that the module has; None without one."""
    return next((getattr(module, name) for name in names if hasattr(module, name)), None)


def _qk_norm(module: Any, family: Family) -> QkNorm | None:
    if not family.norms:
        return None
    of_q, of_k = (getattr(module, name) for name in family.norms)
    eps, other = (_first(norm, "variance_epsilon", "eps") for norm in (of_q, of_k))
    if eps != other:
        raise ValueError("has norms of queries and keys with two epsilons")
    return QkNorm(float(eps), *(family.gain_base + float64(norm.weight) for norm in (of_q, of_k)))


def _score_bias(module: Any, family: Family, given: dict[str, Any], count: int, heads: int) -> np.ndarray | None:
    """What a call adds to the scores beside its mask: (batch or 1, heads, n or 1, n)."""
    if not family.bias:
        return None
    bias = given.get(family.bias)
    if bias is None and hasattr(module, "relative_attention_bias"):
        n = given["hidden_states"].shape[1]
        bias = module.compute_bias(n, n)
    if bias is None:
        return None
    of_call = float64(bias)
    return of_call.reshape(count, heads, 1, -1) if of_call.ndim == 3 else of_call


def matrix_of(part: Any) -> torch.Tensor:
    """The matrix of a linear map, where and of the type that it is. What Conv1D calls weight is the transposed matrix.

    Raises
    ------
    ValueError
        For weights that are no matrix of floating-point numbers, as quantized ones are not.
    """
    weight = getattr(part, "weight", None)
    if not isinstance(weight, torch.Tensor) or not weight.is_floating_point() or weight.dim() != 2:
        raise ValueError(f"has a {type(part).__name__} whose weights are no matrix of floating-point numbers")
    return weight.detach().T if type(part).__name__ == "Conv1D" else weight.detach()


def linear(part: Any) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of a linear map, as `matrix_of` reads it, and its bias."""
    matrix = np.ascontiguousarray(float64(matrix_of(part)))
    bias = getattr(part, "bias", None)
    return matrix, np.zeros(len(matrix)) if bias is None else float64(bias)
