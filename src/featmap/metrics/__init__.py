"""Measure how good a map Y of data X is. The map may come from any method.

The definitions are those of Espadoto et al., "Toward a quantitative survey of dimension reduction techniques" (2021),
and Wang et al., "Understanding how dimension reduction tools work" (2021). `Benchmark` scores many maps of the same
data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .accuracy import knn_accuracies, knn_accuracy
from .benchmark import Benchmark
from .density import density_correlation, own_density_correlation
from .pairs import normalized_stress, scale_normalized_stress, shepard_goodness
from .ranks import continuity, trustworthiness
from .triplets import centroid_triplet_accuracy, random_triplet_accuracy

if TYPE_CHECKING:
    from ..explanation.fidelity import arrow_fidelity

__all__ = [
    "Benchmark",
    "arrow_fidelity",
    "centroid_triplet_accuracy",
    "continuity",
    "density_correlation",
    "knn_accuracies",
    "knn_accuracy",
    "normalized_stress",
    "own_density_correlation",
    "random_triplet_accuracy",
    "scale_normalized_stress",
    "shepard_goodness",
    "trustworthiness",
]


def __getattr__(name: str) -> Any:
    """Load `arrow_fidelity` when it is asked for: arrows belong to explanations, which are built on the metrics."""
    if name == "arrow_fidelity":
        from ..explanation.fidelity import arrow_fidelity

        return arrow_fidelity
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
