"""Bounds: one, and tables of them over n."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from typing import Any, Iterable

import numpy as np

from . import _lipscope

#: Side, norm, domain and formula of every bound by its id, upper bounds first.
CATALOGUE: dict[str, dict[str, str]] = {entry["id"]: entry for entry in json.loads(_lipscope.catalogue())}

#: The sign of each kind of number.
SIGNS = {"exact": "=", "lower bound": "≥", "upper bound": "≤"}


@dataclass(frozen=True)
class Bound:
    """A bound on a norm of the Jacobian.

    Attributes
    ----------
    id : str
        Its name in files and in docs/theory.md.
    side : {"upper", "lower"}
    norm : str
        The norm that it bounds.
    value : float
        Infinite past the range of floats, where `log10` still holds.
    log10 : float
        Its decimal logarithm; minus infinity for a bound of zero.
    """

    id: str
    side: str
    norm: str
    value: float
    log10: float

    @property
    def kind(self) -> str:
        """ "upper bound" or "lower bound"."""
        return f"{self.side} bound"

    @property
    def domain(self) -> str:
        """Where it holds: "tokens" (at these), "ball" (at all tokens of the ball), or "other weights"."""
        return CATALOGUE[self.id]["domain"]

    @property
    def formula(self) -> str:
        """Its formula for one head, with a = ||A|| R^2 and v = ||V||."""
        return CATALOGUE[self.id]["formula"]

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        # Numbers of different norms are not to be compared.
        other = "" if self.norm == "spectral" else f" in the {self.norm} norm"
        return f"{self.id} {SIGNS[self.kind]} {shown(self.value, self.log10)}{other}"

    @classmethod
    def _of(cls, entry: dict[str, Any]) -> Bound:
        value, log10 = entry["value"], entry.get("log10")
        if log10 is None:
            log10 = np.log10(value) if value else -np.inf
        return cls(entry["id"], entry["side"], entry["norm"], np.inf if value is None else value, float(log10))


@dataclass(frozen=True)
class BoundTable:
    """Bounds at a list of n.

    ``table["unified"]`` is the array of a bound's values: infinite past the range of floats, NaN where it does not apply.
    """

    n: np.ndarray
    radius: np.ndarray
    rows: list[list[Bound]] = field(repr=False)

    @property
    def ids(self) -> list[str]:
        """The ids of the bounds that apply at one n at least, upper bounds first."""
        found = {bound.id for row in self.rows for bound in row}
        return [id for id in CATALOGUE if id in found]

    def __getitem__(self, id: str) -> np.ndarray:
        return self._array(id, "value")

    def log10(self, id: str) -> np.ndarray:
        """Decimal logarithms of a bound, which hold past the range of floats; NaN where it does not apply."""
        return self._array(id, "log10")

    def _array(self, id: str, what: str) -> np.ndarray:
        if id not in CATALOGUE:
            raise KeyError(f"There is no bound {id!r}. Use one of: {', '.join(CATALOGUE)}.")
        named = ({bound.id: bound for bound in row} for row in self.rows)
        return np.array([getattr(row[id], what) if id in row else np.nan for row in named])

    def to_dict(self) -> dict[str, Any]:
        """``n``, ``radius`` and the values of each bound, as a data frame takes them."""
        return {"n": self.n, "radius": self.radius, **{id: self[id] for id in self.ids}}

    def __repr__(self) -> str:
        lines = [["n", "R", *self.ids]]
        for at, row in enumerate(self.rows):
            named = {bound.id: shown(bound.value, bound.log10) for bound in row}
            lines.append([counted(self.n[at]), f"{self.radius[at]:.6g}", *(named.get(id, "") for id in self.ids)])
        widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(
            f"<th title='{escape(CATALOGUE[id]['formula'], quote=True)}'>{_sign(id)} {id}</th>" for id in self.ids
        )
        body = ""
        for at, row in enumerate(self.rows):
            named = {bound.id: shown(bound.value, bound.log10) for bound in row}
            cells = "".join(f"<td>{named.get(id, '')}</td>" for id in self.ids)
            body += f"<tr><th scope='row'>{counted(self.n[at])}</th><td>{self.radius[at]:.6g}</td>{cells}</tr>"
        return (
            "<table><caption>Bounds over n (≤ upper, ≥ lower; empty where one does not apply)</caption>"
            f"<thead><tr><th>n</th><th>R</th>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    @staticmethod
    def _parts(rows: Iterable[tuple[float, float, list[tuple[str, float, float]]]]) -> dict[str, Any]:
        rows = list(rows)
        bounds = [
            [Bound(id, CATALOGUE[id]["side"], CATALOGUE[id]["norm"], value, log10) for id, value, log10 in row[2]]
            for row in rows
        ]
        return {"n": np.array([row[0] for row in rows]), "radius": np.array([row[1] for row in rows]), "rows": bounds}


@dataclass(frozen=True)
class Growth(BoundTable):
    """Bounds over n, with exact norms at the adversarial tokens.

    Attributes
    ----------
    adversarial : array
        The exact norm at the adversarial tokens of each n; NaN where there are none.
    crossover : float or None
        ln of the n at which the growth like sqrt(n) ends; None if it does not end.
    """

    adversarial: np.ndarray
    crossover: float | None


def shown(value: float, log10: float | None) -> str:
    """Six digits, from the logarithm where the value is past the range of floats."""
    if log10 is None or np.isfinite(value):
        return f"{value:.6g}"
    whole = np.floor(log10)
    return f"{10 ** (log10 - whole):.5f}e{int(whole)}"


def counted(n: float) -> str:
    """A number of tokens as text; it may be as large as 1e300."""
    return f"{n:.0f}" if n < 1e7 else f"{n:.6g}"


def _sign(id: str) -> str:
    return SIGNS[f"{CATALOGUE[id]['side']} bound"]
