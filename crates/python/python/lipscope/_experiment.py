"""The experiment: all that describes one measurement."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from . import _lipscope
from ._arrays import ArrayLike, heads, matrix, plain, real, second_map, word
from ._json import text_of

if TYPE_CHECKING:
    from typing_extensions import TypedDict

    class Options(TypedDict, total=False):
        """All that an experiment of arrays has besides tokens, Q, K and V; see `Experiment.from_arrays`."""

        output: ArrayLike | None
        mask: str | Mapping[str, Any] | None
        attention: str
        score: Mapping[str, Any] | None
        weighting: Mapping[str, Any] | None
        q2: ArrayLike | None
        k2: ArrayLike | None
        lam: ArrayLike | None
        normalization: str
        normalization_scope: str | None
        eps: float | None


class Experiment:
    """Tokens, weights and the kind of attention: the description of one measurement.

    The same JSON object is the file of the page and of the command line, so that a number seen in one place can be
    measured again in any other. Two experiments are equal if their files are.

    Examples
    --------
    >>> experiment = Experiment.from_dict({
    ...     "tokens": {"source": "adversarial", "n": 100, "radius": 1},
    ...     "weights": {"source": "identity", "sign": -1},
    ... })
    >>> experiment.n
    100
    >>> Experiment.from_json(experiment.to_json()) == experiment
    True
    """

    __slots__ = ("_engine",)

    def __init__(self, engine: _lipscope.Experiment) -> None:
        self._engine = engine

    @classmethod
    def from_json(cls, text: str) -> Experiment:
        """Reads an experiment file.

        Parameters
        ----------
        text : str
            One JSON object, as the page exports it.

        Raises
        ------
        ValueError
            With the key (and row and column) at fault, and the fix.

        Examples
        --------
        >>> Experiment.from_json('{"tokens": {"source": "random", "n": 0}}')
        Traceback (most recent call last):
        ...
        ValueError: `tokens.n` is 0, but it must be a whole number of at least 1.
        """
        return cls(_lipscope.Experiment.from_json(word("text", text)))

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Experiment:
        """Makes an experiment of the JSON object of its file; arrays may stand where the file has lists of rows.

        Minus infinity in ``score.bias`` forbids a pair, as in `from_arrays`. No other number may be infinite or NaN.

        Raises
        ------
        ValueError
            With the key (and row and column) at fault, and the fix.

        Examples
        --------
        >>> tokens = {"source": "explicit", "rows": np.ones((3, 2))}
        >>> Experiment.from_dict({"tokens": tokens, "weights": {"source": "identity"}}).n
        3
        """
        if not isinstance(value, Mapping):
            raise TypeError(f"`value` is a {type(value).__name__}, but it must be a dict.")
        return cls(_lipscope.Experiment.from_json(*text_of(value)))

    @classmethod
    def from_arrays(
        cls,
        tokens: ArrayLike,
        q: ArrayLike,
        k: ArrayLike,
        v: ArrayLike,
        *,
        output: ArrayLike | None = None,
        mask: str | Mapping[str, Any] | None = "none",
        attention: str = "dot",
        score: Mapping[str, Any] | None = None,
        weighting: Mapping[str, Any] | None = None,
        q2: ArrayLike | None = None,
        k2: ArrayLike | None = None,
        lam: ArrayLike | None = None,
        normalization: str = "none",
        normalization_scope: str | None = None,
        eps: float | None = None,
    ) -> Experiment:
        """An experiment at listed tokens with listed weights.

        Parameters
        ----------
        tokens : array (n, d)
            A row a token.
        q, k : array (heads, k, d) or (k, d)
            The matrices of queries and keys: q_i = Q x_i. With fewer heads of k and v than of q, groups of consecutive
            heads share them (grouped queries).
        v : array (heads, d_v, d) or (d_v, d)
            The matrix of values.
        output : array (d_out, heads d_v), optional
            Applied to the concatenated heads; without it they are the output.
        mask : {"none", "causal"} or dict
            Whether a token attends to all tokens, or to itself and those before it; or another mask as in a file, such as
            ``{"kind": "window", "width": 128}``. A table (n, n) that is true where token i may attend to token j is
            ``{"kind": "allowed", "rows": table}``. None is "none".
        attention : {"dot", "l2", "cosine", "linear"}
            Scores (Q x_i).(K x_j)/sqrt(k), -|Q x_i - K x_j|^2/sqrt(k), 10 cos(Q x_i, K x_j), or
            ln(phi(Q x_i).phi(K x_j)) with phi = elu + 1.
        score : dict, optional
            The steps between projections and weights, as in a file: ``scale``, ``softcap``, ``qk_norm``, ``rope``,
            ``cosine_eps``, ``alibi``, ``bias``, ``value_norm``. Minus infinity in ``bias`` (n, n) forbids a pair: it becomes part
            of the mask. All other numbers must be finite.
        weighting : dict, optional
            How scores become weights, as in a file, such as ``{"kind": "softmax", "sink": 0.0}`` or
            ``{"kind": "sigmoid"}``.
        q2, k2 : array, optional
            The second map of differential attention, in the shapes of q and k.
        lam : float or array (heads,), optional
            The weight of the second map, which is subtracted.
        normalization : {"none", "layer", "rms"}
            Applied to each token before attention.
        normalization_scope : {"inputs", "composed"}
            Whether the Jacobian is that of attention alone at the normalised tokens, or of normaliser and attention together;
            without it "inputs". Refused where there is no normaliser.
        eps : float
            The normaliser's epsilon; without it 1e-5. Refused where there is no normaliser.

        Examples
        --------
        >>> capped = Experiment.from_arrays([[0.0], [1.0]], [[1.0]], [[-1.0]], [[1.0]], score={"softcap": 5.0})
        >>> capped.to_dict()["score"]
        {'softcap': 5.0}
        >>> Experiment.from_arrays([[0.0], [1.0]], [[1.0]], [[-1.0]], [[1.0]])
        Experiment(n=2, d=1, tokens='explicit', weights='explicit', attention='dot', mask='none', normalization='none')
        """
        given = plain("tokens", tokens)
        if given.ndim == 2:
            _lipscope.check_token_sizes(*given.shape)
        options = {
            "attention": word("attention", attention),
            "mask": mask,
            "normalization": word("normalization", normalization),
        }
        if normalization_scope is not None:
            options["normalization_scope"] = word("normalization_scope", normalization_scope)
        if eps is not None:
            options["eps"] = real("eps", eps)
        for name, steps in (("score", score), ("weighting", weighting)):
            if steps is not None:
                if not isinstance(steps, Mapping):
                    raise TypeError(f"`{name}` is a {type(steps).__name__}, but it must be a dict.")
                options[name] = steps
        text, forbidden = text_of(options)
        _refuse_unused(options)
        if output is not None:
            output = plain("output", output)
            _lipscope.check_weight_sizes(output.size)
            output = matrix("output", output, "(d_out, heads d_v)")
        tokens = matrix("tokens", given, "(n, d)")
        queries, keys, values = heads(q, k, v)
        second = None
        if q2 is not None or k2 is not None or lam is not None:
            second = second_map(q2, k2, lam, (len(queries), len(keys)))
        engine = _lipscope.Experiment.from_arrays(
            tokens, queries, (keys, values), second, output, (text, forbidden)
        )
        return cls(engine)

    def to_json(self) -> str:
        """The experiment file on one line, with every key written out."""
        return self._engine.to_json()

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of the experiment file."""
        return json.loads(self.to_json())

    @property
    def n(self) -> int | float:
        """The number of tokens. For clusters it is a float from 2**53 on, and infinite past the range of floats."""
        n = self._engine.n
        return int(n) if n < 2**53 and n == int(n) else n

    @property
    def d(self) -> int:
        """The dimension of a token."""
        return self._engine.d

    def arrays(self) -> dict[str, Any]:
        """Tokens and weights as arrays, drawn where the experiment draws them.

        Returns
        -------
        dict
            ``tokens`` (n, d), which for clusters are the positions; ``q``, ``k`` (heads, k, d) and ``v`` (heads, d_v, d),
            or lists of matrices where the heads differ in size; ``output`` (d_out, heads d_v) or None.

        Examples
        --------
        >>> experiment = Experiment.from_dict({"tokens": {"source": "random", "n": 5, "d": 2},
        ...                                    "weights": {"source": "random", "heads": 3, "head_dim": 4}})
        >>> {name: array.shape for name, array in experiment.arrays().items() if array is not None}
        {'tokens': (5, 2), 'q': (3, 4, 2), 'k': (3, 4, 2), 'v': (3, 4, 2)}
        """
        tokens, of_heads, output = self._engine.arrays()
        q, k, v = (_stack([head[at] for head in of_heads]) for at in range(3))
        return {"tokens": tokens, "q": q, "k": k, "v": v, "output": output}

    def __eq__(self, other: object) -> bool:
        return self._engine == other._engine if isinstance(other, Experiment) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Any, ...]:
        return Experiment.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        names = "tokens", "weights", "attention", "mask", "normalization"
        kinds = ", ".join(f"{name}={kind!r}" for name, kind in zip(names, self._engine.kinds()))
        return f"Experiment(n={self.n}, d={self.d}, {kinds})"


def _refuse_unused(options: Mapping[str, Any]) -> None:
    """Refuses arguments of a normaliser where there is none: they would change nothing."""
    for name in ("eps", "normalization_scope"):
        if name in options and options["normalization"] == "none":
            raise ValueError(
                f'`{name}` is {options[name]!r}, but `normalization` is "none", so that nothing takes it. Leave `{name}` out, or '
                'give `normalization`: "layer" or "rms".'
            )


def experiment_of(tokens: Any, q: Any = None, k: Any = None, v: Any = None, **options: Any) -> Experiment:
    """The experiment that the arguments of a function describe: an Experiment, the dict or the text of its file, or
    arrays with the options of `Experiment.from_arrays`."""
    is_whole = isinstance(tokens, (Experiment, Mapping, str))
    if not is_whole:
        return Experiment.from_arrays(tokens, q, k, v, **options)
    given = [name for name, array in (("q", q), ("k", k), ("v", v)) if array is not None] + list(options)
    if given:
        raise TypeError(
            f"An experiment is whole by itself. Leave out {', '.join(given)}, or give arrays instead of it."
        )
    if isinstance(tokens, Experiment):
        return tokens
    return Experiment.from_json(tokens) if isinstance(tokens, str) else Experiment.from_dict(tokens)


def _stack(matrices: Sequence[np.ndarray]) -> Any:
    """The matrices as one array if all have the same shape, otherwise as a list."""
    return np.stack(matrices) if len({matrix.shape for matrix in matrices}) == 1 else list(matrices)
