"""One measurement: a norm, and the bounds on it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from ._bounds import SIGNS, Bound, counted, shown
from ._experiment import Experiment

#: An iteration whose residual is at most this is called exact: ten times the residual at which it usually stops.
CONVERGED = 1e-9


@dataclass(frozen=True)
class Measurement:
    """A norm of the Jacobian at the tokens of an experiment, and the bounds on it.

    Attributes
    ----------
    value : float
        The norm that was asked for.
    norm : str
        Which norm that is.
    kind : {"exact", "lower bound", "upper bound"}
        What the value is. An iteration that converged to 1e-9 counts as exact.
    method : str
        "dense_svd", "lanczos", "clusters" or "causal_runs".
    iterations : int
        Steps of the iteration; 0 where nothing was iterated.
    residual : float
        |J^T u - s v| / s of the leading singular vectors themselves.
    n, d, radius
        Number of tokens, their dimension, and the R of the bounds.
    bounds : list of Bound
        Those that apply, upper ones first.
    absent : dict
        Why each of the other bounds has no value.
    warnings : list of str
        Doubts about the result.
    experiment : Experiment
        What was measured.
    """

    value: float
    norm: str
    kind: str
    method: str
    iterations: int
    residual: float
    n: int | float
    d: int
    radius: float
    bounds: list[Bound]
    absent: dict[str, str]
    warnings: list[str]
    experiment: Experiment = field(repr=False)
    _file: dict[str, Any] = field(repr=False)

    @property
    def spectral(self) -> float:
        """The spectral norm: the local Lipschitz constant."""
        return self._file["spectral"]

    @property
    def upper(self) -> float | None:
        """The smallest upper bound on the spectral norm at these tokens, which fails with the probability `failure`."""
        return self._file["upper"]

    @property
    def failure(self) -> float | None:
        """The probability, over the seeds of an iteration, that `upper` is too small: 0 where it is proved or exact."""
        return self._file["failure"]

    @property
    def frobenius(self) -> float | None:
        """Root of the sum of squares; None where J is too large to be formed."""
        return self._file["frobenius"]

    @property
    def linf(self) -> float | None:
        """Largest absolute row sum; None where J is too large to be formed."""
        return self._file["linf"]

    @property
    def l1(self) -> float | None:
        """Largest absolute column sum; None where J is too large to be formed."""
        return self._file["l1"]

    @property
    def singular_values(self) -> np.ndarray | None:
        """All singular values, largest first; None where J was not decomposed."""
        values = self._file["singular_values"]
        return None if values is None else np.array(values)

    def bound(self, id: str) -> Bound:
        """The bound of that name.

        Raises
        ------
        KeyError
            With the reason, if it does not apply.
        """
        for bound in self.bounds:
            if bound.id == id:
                return bound
        raise KeyError(f"{id}: {self.absent.get(id, 'no bound of this name')}")

    def to_dict(self) -> dict[str, Any]:
        """The result in the documented form, as `lipscope measure` writes it."""
        return json.loads(json.dumps(self._file))

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        how = (
            self.method
            if self.iterations == 0
            else f"{self.method}, {self.iterations} steps, residual {self.residual:.1e}"
        )
        head = f"{self.norm} norm {SIGNS[self.kind]} {self.value:.12g} ({self.kind}; {how})"
        sizes = f"  n = {counted(self.n)}, d = {self.d}, R = {self.radius:.6g}"
        return "\n".join(
            [head, sizes, *(f"  {bound!r}" for bound in self.bounds), *(f"  {line}" for line in self.warnings)]
        )

    def _repr_html_(self) -> str:
        rows = [(self.norm, self.value, None, self.kind, "at these tokens", "")]
        rows += [(b.id, b.value, b.log10, b.kind, _DOMAINS[b.domain], b.formula) for b in self.bounds]
        cells = "".join(
            f"<tr><th scope='row'>{escape(name)}</th><td style='text-align:right'>{SIGNS[kind]} {shown(value, log10)}</td>"
            f"<td>{kind}</td><td>{where}</td><td style='text-align:left'>{escape(formula)}</td></tr>"
            for name, value, log10, kind, where, formula in rows
        )
        how = (
            f"{self.method}, {self.iterations} steps, residual {self.residual:.1e}" if self.iterations else self.method
        )
        absent = "; ".join(f"{id}: {reason}" for id, reason in self.absent.items())
        return (
            f"<table><caption>Norm of the Jacobian, n = {counted(self.n)}, d = {self.d}, R = {self.radius:.6g} ({how})</caption>"
            "<thead><tr><th>norm or bound</th><th>value</th><th>it is</th><th>it holds</th><th>formula for one head</th></tr></thead>"
            f"<tbody>{cells}</tbody></table>"
            + (f"<p>Without a value: {escape(absent)}.</p>" if absent else "")
            + "".join(f"<p>{escape(line)}</p>" for line in self.warnings)
        )

    @classmethod
    def _of(cls, text: str, norm: str, experiment: Experiment) -> Measurement:
        found = json.loads(text)
        file = found["measurement"]
        value = found["max_token"] if norm == "max_token" else file[norm]
        if value is None:
            raise ValueError(_too_large(norm, file))
        return cls(
            value=value,
            norm=norm,
            kind=kind_of(norm, file["iterations"], file["relative_residual"]),
            method=file["method"],
            iterations=file["iterations"],
            residual=file["relative_residual"],
            n=file["n"],
            d=file["d"],
            radius=file["radius"],
            bounds=[Bound._of(bound) for bound in file["bounds"]],
            absent=found["absent"],
            warnings=file["warnings"],
            experiment=experiment,
            _file=file,
        )


def kind_of(norm: str, iterations: int, residual: float) -> str:
    """Whether a norm is exact or a bound, given the steps of the iteration that found it (0 for none) and the residual."""
    if norm == "max_token":
        return "upper bound"
    is_exact = norm != "spectral" or iterations == 0 or residual <= CONVERGED
    return "exact" if is_exact else "lower bound"


_DOMAINS = {"tokens": "at these tokens", "ball": "on the ball", "other weights": "for other weights"}


def _too_large(norm: str, file: dict[str, Any]) -> str:
    if norm == "max_token":
        return "The max_token norm needs the norm of every block of the Jacobian, at most 20000 of them. Use fewer tokens, or another norm."
    return f"The {norm} norm needs every entry of the Jacobian, which is too large at n = {counted(file['n'])}. Use fewer tokens, or the spectral norm."
