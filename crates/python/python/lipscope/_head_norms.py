"""The norms of the matrices of attention heads, from the weights of a module, on its device."""

from __future__ import annotations

from typing import Any, Callable

import torch

from ._families import Family, family_of, name_of
from ._layers import check_parts, matrix_of, scale_of, split_heads

#: The columns of a row that are norms of weights.
COLUMNS = ("a_norm", "vo_norm")

#: A reader of the two factors of the heads' matrices, each (heads or groups, m, k).
_Factors = Callable[[], tuple[torch.Tensor, torch.Tensor]]


def head_norms(layer: torch.nn.Module, name: str, module: torch.nn.Module) -> dict[str, list[float] | None]:
    """The norms by column and head, for an attention that a layer has by that name.

    `a_norm` is ||A|| for the scores x_i^T A x_j with their factor, before positions, cap and bias; None where queries and keys are
    normalised, so that scores are no such form. `vo_norm` is that of the values through the output matrix. Both are None for a
    module of no known class, and for one with parts that its class does not have.
    """
    # A module that only has the parts of a family may do something else between them.
    family = None if name_of(module) is None else family_of(module)
    if isinstance(module, torch.nn.MultiheadAttention):
        scores, values = (lambda: _multihead_scores(module)), (lambda: _multihead_values(module))
    elif family is not None:
        scores, values = (lambda: _scores(module, family)), (lambda: _values(layer, name, module, family))
    else:
        return dict.fromkeys(COLUMNS)
    return dict(zip(COLUMNS, (_norms_if_known(scores), _norms_if_known(values))))


def _norms_if_known(factors: _Factors) -> list[float] | None:
    try:
        a, b = factors()
    except (AttributeError, ValueError):
        return None
    heads = max(len(a), len(b))
    # Head by head: the factors of a large layer in float64 would be as large as the layer.
    return [norm_of_product(a[at * len(a) // heads], b[at * len(b) // heads]) for at in range(heads)]


def norm_of_product(a: torch.Tensor, b: torch.Tensor) -> float:
    """The spectral norm of a b^T for matrices (m, k) and (p, k), without a matrix m x p: with a = Q R it is that of the product of
    the two triangles. NaN where an entry is not finite.
    """
    of_a, of_b = (torch.linalg.qr(part.double(), mode="r").R for part in (a, b))
    product = of_a @ of_b.mT
    # A decomposition of NaN is an error.
    return float(torch.linalg.matrix_norm(product, 2)) if bool(product.isfinite().all()) else float("nan")


def _multihead_scores(module: torch.nn.MultiheadAttention) -> tuple[torch.Tensor, torch.Tensor]:
    whole = module.in_proj_weight
    parts = (module.q_proj_weight, module.k_proj_weight) if whole is None else whole.chunk(3)[:2]
    q, k = (part.detach().unflatten(0, (module.num_heads, -1)).mT for part in parts)
    return q.double() * q.shape[-1] ** -0.5, k


def _multihead_values(module: torch.nn.MultiheadAttention) -> tuple[torch.Tensor, torch.Tensor]:
    v = module.v_proj_weight if module.in_proj_weight is None else module.in_proj_weight.chunk(3)[2]
    return _output(module.out_proj, module.num_heads), v.detach().unflatten(0, (module.num_heads, -1)).mT


def _scores(module: Any, family: Family) -> tuple[torch.Tensor, torch.Tensor]:
    if family.norms or family.wide:
        raise ValueError("normalises queries and keys")
    q, k, _ = _projections(module, family)
    return q.mT.double() * scale_of(module, family, q.shape[1]), k.mT


def _values(layer: torch.nn.Module, name: str, module: Any, family: Family) -> tuple[torch.Tensor, torch.Tensor]:
    q, _, v = _projections(module, family)
    path = family.dense or ".".join(filter(None, (name, family.output)))
    return _output(layer.get_submodule(path), len(q)), v.mT


def _projections(module: Any, family: Family) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    check_parts(module, family)
    matrices = [_plain(getattr(module, part)) for part in family.projections]
    return split_heads(module, family, torch.cat(matrices), len(matrices[0]))


def _output(part: Any, heads: int) -> torch.Tensor:
    """The columns of an output matrix for each head: (heads, d_out, k)."""
    return _plain(part).unflatten(1, (heads, -1)).transpose(0, 1)


def _plain(part: Any) -> torch.Tensor:
    """The matrix of a module that does nothing but multiply with it and add a bias.

    Raises
    ------
    ValueError
        For a module with another forward, or with further parameters, such as those of an adapter.
    """
    is_plain = type(part).__name__ == "Conv1D" or getattr(type(part), "forward", None) is torch.nn.Linear.forward
    known = ("weight", "bias", "parametrizations")
    if not is_plain or any(path.partition(".")[0] not in known for path, _ in part.named_parameters()):
        raise ValueError(f"has a {type(part).__name__} that is no plain linear map")
    return matrix_of(part)
