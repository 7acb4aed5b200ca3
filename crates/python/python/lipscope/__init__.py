"""How smooth is attention? The local Lipschitz constant of self-attention, and the bounds on it.

The local Lipschitz constant of a map at given tokens is the norm of its Jacobian there. `measure` finds it for
self-attention; `bounds`, `growth`, `sweep`, `search`, `certify` and `spectrum` bound it or explore it further. All of them
take arrays, or an `Experiment`, which is the file of the page and of the command line, and give the same digits there.

`lipscope.torch` measures modules of PyTorch; `explore` shows the page in a notebook.

Examples
--------
>>> import lipscope
>>> lipscope.measure({"tokens": {"source": "adversarial", "n": 100, "radius": 1},
...                   "weights": {"source": "identity", "sign": -1}}).bound("unified")
unified ≤ 4.72701
"""

from ._bounds import Bound, BoundTable, Growth
from ._experiment import Experiment
from ._explore import explore
from ._functions import bounds, certify, growth, measure, search, spectrum, sweep
from ._linear import jacobian, spectral_norm
from ._lipscope import __version__
from ._measurement import Measurement
from ._results import CertifiedRow, Certificate, Norm, Search, Spectrum, Sweep
from ._tables import read_tokens

__all__ = [
    "Bound",
    "BoundTable",
    "CertifiedRow",
    "Certificate",
    "Experiment",
    "Growth",
    "Measurement",
    "Norm",
    "Search",
    "Spectrum",
    "Sweep",
    "__version__",
    "bounds",
    "certify",
    "explore",
    "growth",
    "jacobian",
    "measure",
    "read_tokens",
    "search",
    "spectral_norm",
    "spectrum",
    "sweep",
]
