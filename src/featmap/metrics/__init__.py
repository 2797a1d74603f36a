"""Measure how good a map Y of data X is. The map may come from any method.

The definitions are those of Espadoto et al., "Toward a quantitative survey of dimension reduction techniques" (2021),
and Wang et al., "Understanding how dimension reduction tools work" (2021). `Benchmark` scores many maps of the same
data. `arrow_fidelity` and `perturbation` measure whether the explanations of a map are true.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .accuracy import knn_accuracy
from .benchmark import Benchmark
from .density import density_correlation, density_slope
from .distances import normalized_stress, shepard_goodness
from .ranks import continuity, trustworthiness
from .triplets import triplet_accuracy

if TYPE_CHECKING:
    from ..explanation.fidelity import arrow_fidelity
    from ..explanation.perturbation import perturbation

_HOMES = {"arrow_fidelity": "featmap.explanation.fidelity", "perturbation": "featmap.explanation.perturbation"}

__all__ = [
    "Benchmark",
    "arrow_fidelity",
    "continuity",
    "density_correlation",
    "density_slope",
    "knn_accuracy",
    "normalized_stress",
    "perturbation",
    "shepard_goodness",
    "triplet_accuracy",
    "trustworthiness",
]


def __getattr__(name: str) -> Any:
    """Load what measures explanations when it is asked for: explanations are built on the metrics."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
