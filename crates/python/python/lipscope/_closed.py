"""Derivatives of our own for functions of PyTorch whose own ones take more memory or time.

Scaled dot-product attention goes by blocks of rows, so that no n x n matrix is kept. With scores S = c q k^T + b, P = softmax(S) over the keys that a row sees, and O = P v:

    dS = c (dq k^T + q dk^T),    dO = (P * dS) v - rowsum(P * dS) * O + P dv;

for a cotangent g:

    W = P * (g v^T - rowsum(g * O)),    dq = c W k,    dk = c W^T q,    dv = P^T g.

P is computed again in each block from the logarithms of the rows' sums, which are kept.

Linear maps whose weights are constant take one product forward. PyTorch takes two, the second one with zeros for the weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

import torch
from torch.overrides import TorchFunctionMode

#: The most numbers of a block of scores of all heads, on a CPU, whose allocator keeps larger ones, and elsewhere.
_MOST_SCORES = {"cpu": 1 << 19, "other": 1 << 24}


@dataclass(frozen=True)
class _Scores:
    """How scores are made of queries and keys (.., n, k): their factor, the mask and what is added to them."""

    scale: float
    is_causal: bool
    #: Booleans, true where attention is allowed, or numbers that are added; it broadcasts to (.., n, n).
    mask: torch.Tensor | None

    def blocks(self, q: torch.Tensor, k: torch.Tensor) -> Iterator[tuple[slice, torch.Tensor]]:
        """The scores of some rows after others."""
        n, keys = q.shape[-2], k.shape[-2]
        a_row = max(1, q[..., 0, 0].numel() * keys)
        step = max(1, _MOST_SCORES.get(q.device.type, _MOST_SCORES["other"]) // a_row)
        for first in range(0, n, step):
            rows = slice(first, min(n, first + step))
            scores = self.scale * (q[..., rows, :] @ k.transpose(-1, -2))
            if self.is_causal:
                at = torch.arange(rows.start, rows.stop, device=q.device)[:, None]
                scores = scores.masked_fill(torch.arange(keys, device=q.device)[None] > at, float("-inf"))
            if self.mask is not None:
                mask = self.mask if self.mask.shape[-2] == 1 else self.mask[..., rows, :]
                if mask.dtype == torch.bool:
                    scores = scores.masked_fill(~mask, float("-inf"))
                else:
                    scores = scores + mask
            yield rows, scores

    def weights(self, q: torch.Tensor, k: torch.Tensor, sums: torch.Tensor) -> Iterator[tuple[slice, torch.Tensor]]:
        """P of some rows after others, from the logarithms of the rows' sums."""
        for rows, scores in self.blocks(q, k):
            yield rows, _weights(scores, sums[..., rows, None])


def _weights(scores: torch.Tensor, sums: torch.Tensor) -> torch.Tensor:
    """P; zero in a row that sees no key, as PyTorch has it."""
    return torch.where(sums == float("-inf"), torch.zeros_like(scores), (scores - sums).exp())


class _Attention(torch.autograd.Function):
    """Attention of queries, keys and values (.., n, k), whose first axes are the same."""

    @staticmethod
    def forward(
        q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, of: _Scores
    ) -> tuple[torch.Tensor, torch.Tensor]:
        # Made first: small tensors that stay between large ones that go would keep the memory of these from being used again.
        out, sums = q.new_empty((*q.shape[:-1], v.shape[-1])), q.new_empty(q.shape[:-1])
        for rows, scores in of.blocks(q, k):
            sums[..., rows] = scores.logsumexp(-1)
            out[..., rows, :] = _weights(scores, sums[..., rows, None]) @ v
        return out, sums

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, torch.Tensor]) -> None:
        q, k, v, ctx.of = inputs
        out, sums = output
        ctx.mark_non_differentiable(sums)
        ctx.save_for_backward(q, k, v, out, sums)
        ctx.save_for_forward(q, k, v, out, sums)

    @staticmethod
    def jvp(ctx: Any, dq: Any, dk: Any, dv: Any, _: Any) -> tuple[torch.Tensor, None]:
        q, k, v, out, sums = ctx.saved_tensors
        changes = torch.zeros_like(out)
        for rows, p in ctx.of.weights(q, k, sums):
            if dq is not None or dk is not None:
                moved = torch.zeros_like(p)
                if dq is not None:
                    moved += dq[..., rows, :] @ k.transpose(-1, -2)
                if dk is not None:
                    moved += q[..., rows, :] @ dk.transpose(-1, -2)
                moved *= ctx.of.scale * p
                changes[..., rows, :] += moved @ v - moved.sum(-1, keepdim=True) * out[..., rows, :]
            if dv is not None:
                changes[..., rows, :] += p @ dv
        return changes, None

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: torch.Tensor, _: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, None]:
        q, k, v, out, sums = ctx.saved_tensors
        of_q, of_k, of_v = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
        for rows, p in ctx.of.weights(q, k, sums):
            part = g[..., rows, :]
            of_v += p.transpose(-1, -2) @ part
            w = part @ v.transpose(-1, -2) - (part * out[..., rows, :]).sum(-1, keepdim=True)
            w *= ctx.of.scale * p
            of_q[..., rows, :] = w @ k
            of_k += w.transpose(-1, -2) @ q[..., rows, :]
        return of_q, of_k, of_v, None


@dataclass(frozen=True)
class FusedCall:
    """A call of `torch.nn.functional.scaled_dot_product_attention`, with its arguments as they are there."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    attn_mask: torch.Tensor | None = None
    dropout_p: float = 0.0
    is_causal: bool = False
    scale: float | None = field(default=None, kw_only=True)
    enable_gqa: bool = field(default=False, kw_only=True)

    def _scores(self) -> _Scores:
        mask = None if self.attn_mask is None else torch.atleast_2d(self.attn_mask.detach())
        return _Scores(self.query.shape[-1] ** -0.5 if self.scale is None else self.scale, self.is_causal, mask)

    def _repeated(self, part: torch.Tensor) -> torch.Tensor:
        """Keys or values, those of groups once for each head."""
        times = self.query.shape[-3] // part.shape[-3] if self.enable_gqa else 1
        return part if times == 1 else part.repeat_interleave(times, -3)

    def scores(self) -> Iterator[torch.Tensor]:
        """The scores, some rows after others."""
        for _, scores in self._scores().blocks(self.query, self._repeated(self.key)):
            yield scores

    def value_in_closed_form(self) -> torch.Tensor:
        """What the call gives, as `closed_attention`."""
        query, key, value = self.query, self._repeated(self.key), self._repeated(self.value)
        first = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
        # As PyTorch's formula has it, half precision is computed in float32.
        wide = torch.promote_types(query.dtype, torch.float32)
        q, k, v = (part.expand(*first, *part.shape[-2:]).to(wide) for part in (query, key, value))
        return _Attention.apply(q, k, v, self._scores())[0].to(query.dtype)

    def has_closed_form(self) -> bool:
        """Whether the closed form has the same derivative: it takes the mask for a constant, is no part of `torch.vmap`, and has no
        second derivative, which a transform inside a transform takes.
        """
        mask, functorch = self.attn_mask, torch._C._functorch
        is_nested = len(functorch.get_interpreter_stack() or ()) > 1
        is_mask_differentiated = mask is not None and (mask.requires_grad or functorch.is_functorch_wrapped_tensor(mask))
        is_within_vmap = any(functorch.is_batchedtensor(part) for part in (self.query, self.key, self.value))
        return not (self.dropout_p or is_mask_differentiated or is_within_vmap or is_nested)


def closed_attention(*args: Any, **kwargs: Any) -> torch.Tensor:
    """What `torch.nn.functional.scaled_dot_product_attention` gives, with forward and reverse derivatives of their own.

    Parameters
    ----------
    *args, **kwargs
        As there. No n x n matrix is kept; the mask has no derivative.

    Raises
    ------
    ValueError
        For dropout, which is another function in every call.

    Notes
    -----
    It has one derivative: what differentiates twice needs `SDPBackend.MATH`.
    """
    call = FusedCall(*args, **kwargs)
    if call.dropout_p:
        raise ValueError("Attention has dropout, so that it is another function in every call. Call .eval() on its module.")
    return call.value_in_closed_form()


#: PyTorch's own function, whatever stands in its place for a while.
FUSED = torch.nn.functional.scaled_dot_product_attention


class Replaced(TorchFunctionMode):
    """While it is active, some functions of `torch.nn.functional` are others, whoever calls them.

    The mode sees calls from outside of PyTorch, however the function was imported. Functions of `torch.nn.functional` that call
    each other by name, as `multi_head_attention_forward` does, run without it: they find the other function in their module.
    """

    def __init__(self, functions: dict[str, Callable[..., Any]]) -> None:
        super().__init__()
        self._others = functions
        self._own = {name: getattr(torch.nn.functional, name) for name in functions}
        self._of = {self._own[name]: other for name, other in functions.items()}

    def __enter__(self) -> Replaced:
        for name, other in self._others.items():
            setattr(torch.nn.functional, name, other)
        return super().__enter__()

    def __exit__(self, *problem: Any) -> None:
        super().__exit__(*problem)
        for name, own in self._own.items():
            setattr(torch.nn.functional, name, own)

    def __torch_function__(self, f: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self._of.get(f, f)(*args, **(kwargs or {}))


def closed_attentions() -> Replaced:
    """While it is active, `closed_attention` stands in the place of `scaled_dot_product_attention`, where it has the same
    derivative: not with dropout, within `torch.vmap` or two transforms, and with a mask that may depend on what is
    differentiated.
    """

    def other(*args: Any, **kwargs: Any) -> torch.Tensor:
        call = FusedCall(*args, **kwargs)
        return call.value_in_closed_form() if call.has_closed_form() else FUSED(*args, **kwargs)

    return Replaced({"scaled_dot_product_attention": other})


class _Linear(torch.autograd.Function):
    """A linear map of tokens whose weight (rows, columns) and bias are constants."""

    @staticmethod
    def forward(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        return _OWN_LINEAR(x, weight, bias)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        weight = inputs[1]
        ctx.save_for_backward(weight)
        ctx.save_for_forward(weight)

    @staticmethod
    def jvp(ctx: Any, dx: torch.Tensor, *_: Any) -> torch.Tensor:
        return _OWN_LINEAR(dx, *ctx.saved_tensors)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (weight,) = ctx.saved_tensors
        return g @ weight, None, None


#: PyTorch's own functions, whatever stands in their place for a while.
_OWN_LINEAR, _OWN_ADDMM = torch.nn.functional.linear, torch.addmm


def linears_of_constants() -> Replaced:
    """While it is active, parameters are constants for linear maps, as they are for the derivative of a function of its tokens.

    What has another derivative stays as it is: within `torch.vmap` or two transforms, with autocast, and with weights that
    depend on what is differentiated or are of a class of their own.
    """

    def linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
        is_ours = _are_constants(x, weight, bias)
        return _Linear.apply(x, weight.detach(), None if bias is None else bias.detach()) if is_ours else _OWN_LINEAR(x, weight, bias)

    def addmm(bias: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, **factors: Any) -> torch.Tensor:
        """What Conv1D of transformers calls."""
        is_ours = not factors and x.dim() == weight.dim() == 2 and bias.dim() == 1 and _are_constants(x, weight, bias)
        return _Linear.apply(x, weight.detach().T, bias.detach()) if is_ours else _OWN_ADDMM(bias, x, weight, **factors)

    replaced = Replaced({"linear": linear})
    replaced._of[_OWN_ADDMM] = addmm
    return replaced


def _are_constants(x: torch.Tensor, *weights: torch.Tensor | None) -> bool:
    """Whether only tokens are differentiated, once."""
    functorch = torch._C._functorch
    is_plain = lambda part: part is None or (type(part) in (torch.Tensor, torch.nn.Parameter) and part.dtype == x.dtype
                                             and not functorch.is_functorch_wrapped_tensor(part))  # fmt: skip
    is_once = len(functorch.get_interpreter_stack() or ()) == 1 and not functorch.is_batchedtensor(x)
    is_cast = torch.is_autocast_enabled(x.device.type)
    return is_once and functorch.is_functorch_wrapped_tensor(x) and not is_cast and all(map(is_plain, weights))
