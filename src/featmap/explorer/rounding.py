"""What rounded data cost: how far answers from them are from those of the data themselves, measured on some rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data.scaling import ScaledData
from ..explanation.answers import Answers
from ..explanation.geometry import DeferredGeometry
from ..explanation.points import MappedData, points_of_data
from .hashing import sampled

COMPARED_ROWS = 200
SEED = 0
MARGIN = 2.0  # other rows may be farther off than those that were measured


@dataclass(frozen=True)
class Errors:
    """Twice the largest differences of importances and R², and of arrows relative to the longest of their row."""

    importance: float
    arrows: float
    explained: float
    n_rows: int

    def __str__(self) -> str:
        return (
            f"importances differ from the library's by at most {self.importance:.1g}, arrows by "
            f"{self.arrows:.1g} of the longest, R² by {self.explained:.1g} (twice what {self.n_rows} rows showed)"
        )

    def as_json(self) -> dict[str, Any]:
        """What the head of a record says."""
        return {
            "importance": self.importance,
            "arrows": self.arrows,
            "explained": self.explained,
            "nRows": self.n_rows,
        }


def rounding_errors(answers: Answers, data: ScaledData) -> Errors:
    """The errors that rounding the data makes in the answers."""
    rows = sampled(np.arange(len(answers.points), dtype=np.int32), COMPARED_ROWS, SEED)
    rounded = _with_data(answers, data)
    exact_arrows, arrows = (one.arrows(rows, "blend", None) for one in (answers, rounded))
    longest = np.linalg.norm(exact_arrows, axis=2).max(axis=1)
    apart = np.linalg.norm(arrows - exact_arrows, axis=2).max(axis=1)
    return Errors(
        _largest(rounded.feature_importance(rows) - answers.feature_importance(rows)),
        _largest(np.divide(apart, longest, out=np.zeros_like(apart), where=longest > 0)),
        _largest(rounded.explained_variance(rows, None, None) - answers.explained_variance(rows, None, None)),
        len(rows),
    )


def _largest(differences: np.ndarray) -> float:
    return MARGIN * float(np.abs(differences).max(initial=0.0))


def _with_data(answers: Answers, data: ScaledData) -> Answers:
    """The same map and neighbourhoods with other values."""
    mapped = answers.points.mapped
    manifold, geometry = replace(mapped.manifold, data=data), mapped.geometry
    if manifold.components is None:
        manifold = replace(manifold, space=data)
        geometry = replace(geometry, tangents=replace(geometry.tangents, centers=data.matrix))
    points = points_of_data(MappedData(manifold, mapped.embedding, DeferredGeometry(made=geometry)))
    return Answers(points, answers.feature_names, answers.row_names, answers.n_jobs)
