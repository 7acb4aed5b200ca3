"""The results of the package's other functions. They say which of their numbers are exact and which are bounds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from typing import Any, Iterator

import numpy as np

from ._bounds import SIGNS, Bound
from ._experiment import Experiment
from ._measurement import CONVERGED, kind_of

#: How many times the rounding of single products a norm may be off.
ROUNDINGS = 16


@dataclass(frozen=True)
class Sweep:
    """A norm over lengths n and draws.

    Attributes
    ----------
    norm : str
    n, draw, value, radius, residual : arrays
        One entry for each point. `value` is NaN where J is too large for the norm.
    kind : list of str
        What each value is.
    method : list of str
    fit : dict or None
        c n^alpha fitted to the points: `exponent`, `half_width_95`, `factor`, `factor_95`, `points`.
    left_out : list of int
        Lengths that are impossible: below 2, or above the number of listed tokens.
    """

    norm: str
    n: np.ndarray
    draw: np.ndarray
    value: np.ndarray
    radius: np.ndarray
    residual: np.ndarray
    kind: list[str]
    method: list[str]
    fit: dict[str, Any] | None
    left_out: list[int]
    _file: dict[str, Any] = field(repr=False)

    def mean(self) -> tuple[np.ndarray, np.ndarray]:
        """The lengths, and the mean of the draws at each."""
        lengths = np.unique(self.n)
        return lengths, np.array([self.value[self.n == n].mean() for n in lengths])

    def to_dict(self) -> dict[str, Any]:
        """The points and the fit in the documented form, as `lipscope sweep --json` writes them."""
        return json.loads(json.dumps(self._file))

    def __repr__(self) -> str:
        slope = ""
        if self.fit:
            slope = f"; {self.norm} ~ n^({self.fit['exponent']:.4f} ± {self.fit['half_width_95']:.4f})"
        return f"Sweep of {len(self.n)} points, n = {self.n.min()} to {self.n.max()}{slope}"

    def _repr_html_(self) -> str:
        lengths, means = self.mean()
        rows = "".join(f"<tr><th scope='row'>{n}</th><td>{mean:.6g}</td></tr>" for n, mean in zip(lengths, means))
        return (
            f"<p>{escape(repr(self))}</p><table><thead><tr><th>n</th><th>mean {self.norm} norm</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )

    @classmethod
    def _of(cls, text: str, norm: str) -> Sweep:
        file = json.loads(text)
        left_out, points = file.pop("left_out"), file["rows"]
        column = lambda key: np.array([np.nan if point[key] is None else point[key] for point in points])
        kinds = [kind_of(norm, point["iterations"], point["relative_residual"]) for point in points]
        methods = [point["method"] for point in points]
        return cls(
            norm, column("n"), column("draw"), column(norm), column("radius"), column("relative_residual"),
            kinds, methods, file["fit"], left_out, file,
        )  # fmt: skip


@dataclass(frozen=True)
class Search:
    """What a worst-case search found: a lower bound on the Lipschitz constant on the ball.

    Attributes
    ----------
    value : float
        The largest norm found.
    kind : str
        "lower bound".
    experiment : Experiment
        The experiment at the tokens that reach the value.
    n, d, radius, region
        The domain of the search.
    bounds : list of Bound
        The bounds on the ball.
    steps : list of dict
        Every iteration.
    """

    value: float
    experiment: Experiment
    n: int
    d: int
    radius: float
    region: str
    bounds: list[Bound]
    steps: list[dict[str, Any]] = field(repr=False)
    _file: dict[str, Any] = field(repr=False)
    kind: str = "lower bound"

    @property
    def tokens(self) -> np.ndarray:
        """The tokens that reach the value, (n, d)."""
        return self.experiment.arrays()["tokens"]

    def to_dict(self) -> dict[str, Any]:
        """As `lipscope search --json` writes it."""
        return json.loads(json.dumps(self._file))

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        upper = [bound for bound in self.bounds if bound.side == "upper" and bound.norm == "spectral"]
        above = f"; {min(upper, key=float)!r}" if upper else ""
        return f"≥ {self.value:.12g} on the {self.region} R = {self.radius:.6g}, n = {self.n}, d = {self.d}{above}"

    @classmethod
    def _of(cls, text: str, experiment: Experiment) -> Search:
        file = json.loads(text)
        bounds = [Bound._of(bound) for bound in file["bounds"]]
        where = file["n"], file["d"], file["radius"], file["on"]
        return cls(file["lower_bound_found"], experiment, *where, bounds, file["rows"], file)


@dataclass(frozen=True)
class CertifiedRow:
    """Bounds on the norm at all tokens within `epsilon` of the tokens of an experiment.

    Attributes
    ----------
    relative : float
        epsilon/R.
    epsilon : float
    certified : float
        Upper bound on the norm at all tokens within epsilon.
    local : float
        Upper bound at the tokens themselves.
    ball : float
        The best upper bound on the ball of radius R + epsilon.
    found : float
        Lower bound: the largest norm that a search within epsilon finds.
    """

    relative: float
    epsilon: float
    certified: float
    local: float
    ball: float
    found: float


@dataclass(frozen=True)
class Certificate:
    """A row for each epsilon."""

    rows: list[CertifiedRow]

    def __getitem__(self, column: str) -> np.ndarray:
        return np.array([getattr(row, column) for row in self.rows])

    def __iter__(self) -> Iterator[CertifiedRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """The columns of `lipscope certify`."""
        return {column: self[column] for column in CertifiedRow.__dataclass_fields__}

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{row.relative:.3g}</td><td>{row.epsilon:.4g}</td><td>≥ {row.found:.6g}</td><td>≤ {row.certified:.6g}</td>"
            f"<td>≤ {row.local:.6g}</td><td>≤ {row.ball:.6g}</td></tr>"
            for row in self.rows
        )
        return (
            "<table><caption>All tokens within ε of these</caption><thead><tr><th>ε/R</th><th>ε</th><th>found</th>"
            f"<th>certified</th><th>at the tokens</th><th>on the ball</th></tr></thead><tbody>{rows}</tbody></table>"
        )


@dataclass(frozen=True)
class Spectrum:
    """Singular values of the Jacobian, largest first.

    Attributes
    ----------
    values : array
    multiplicities : array
        The multiplicity of each value; above 1 only for clusters.
    kind : list of str
        "exact" for a value that converged, otherwise "lower bound".
    residuals : array
        |J^T u - s v| / s; infinite for a value that has not converged.
    coverage : {"all", "leading"}
        Whether all values that are not zero to rounding are listed.
    size : float
        How many singular values there are.
    rank : float
        How many listed ones are above rounding.
    gap : float or None
        The ratio of the first to the second; None if the second is zero to rounding.
    method : str
    iterations : int
    """

    values: np.ndarray
    multiplicities: np.ndarray
    kind: list[str]
    residuals: np.ndarray
    coverage: str
    size: float
    rank: float
    gap: float | None
    method: str
    iterations: int
    _file: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """As `lipscope spectrum --json` writes it, under the key `spectrum`."""
        return json.loads(json.dumps(self._file))

    def __repr__(self) -> str:
        listed = "all" if self.coverage == "all" else f"the leading {len(self.values)} of"
        return f"Spectrum: {listed} {self.size:.16g} singular values ({self.method}), largest {self.values.max(initial=0.0):.12g}"

    @classmethod
    def _of(cls, text: str) -> Spectrum:
        found = json.loads(text)
        file, levels = found["spectrum"], found["spectrum"]["levels"]
        residuals = [np.inf if level["relative_residual"] is None else level["relative_residual"] for level in levels]
        return cls(
            values=np.array([level["value"] for level in levels]),
            multiplicities=np.array([level["multiplicity"] for level in levels]),
            kind=["exact" if converged else "lower bound" for converged in found["converged"]],
            residuals=np.array(residuals),
            coverage=file["coverage"].lower(),
            size=file["size"],
            rank=found["rank"],
            gap=found["gap"],
            method=_METHODS[file["method"]],
            iterations=file["iterations"],
            _file=file,
        )


@dataclass(frozen=True)
class Norm:
    """The spectral norm of a linear map, found by products with it.

    Attributes
    ----------
    value : float
        |J v| for the unit vector `right`: above the norm by the rounding of the products at most.
    kind : {"exact", "lower bound"}
        A norm that converged to 1e-9 counts as exact, if its products are rounded by no more. A lower bound is one up to
        `rounding`.
    residual : float
        |J^T u - s v| / s.
    iterations : int
    right, left : arrays
        v and u: the change that the map stretches most, and the direction of its image.
    upper : float or None
        An upper bound on the norm that fails with the probability `failure`, over the seeds; None if it was not asked for,
        or would depend on rounding.
    failure : float or None
    rounding : float
        How far the rounding of the products may move `value`, relative: an estimate, sixteen times the rounding of their type or
        how far <u, J v> and <J^T u, v> differ at random vectors, whichever is more. ``value * (1 - rounding)`` is below the norm
        where the rounding of single products is not far from usual; it is no proof.
    warnings : tuple of str
        Doubts about the result: a value that rounding may have moved above the norm.
    """

    value: float
    kind: str
    residual: float
    iterations: int
    right: np.ndarray = field(repr=False)
    left: np.ndarray = field(repr=False)
    upper: float | None = None
    failure: float | None = None
    rounding: float = ROUNDINGS * float(np.finfo(np.float64).eps)

    @property
    def warnings(self) -> tuple[str, ...]:
        if self.rounding <= CONVERGED:
            return ()
        return (
            f"The products are rounded: the value may be above the norm by about {self.rounding:.0e} of it. For a strict lower bound "
            "measure in float64, or take that off.",
        )

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        how = f"lanczos, {self.iterations} steps, residual {self.residual:.1e}"
        if self.rounding > CONVERGED:
            how += f", rounding {self.rounding:.0e}"
        above = "" if self.upper is None else f"; ≤ {self.upper:.12g}, except with probability {self.failure:g}"
        return f"spectral norm {SIGNS[self.kind]} {self.value:.12g} ({self.kind}; {how}){above}"


_METHODS = {"DenseSvd": "dense_svd", "Lanczos": "lanczos", "Clusters": "clusters", "CausalRuns": "causal_runs"}
