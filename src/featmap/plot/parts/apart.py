"""How far rows and their surroundings are apart from the whole map, feature by feature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ...errors import InvalidParameterError
from ...explanation.apart import Comparison, checked_scale
from ...explanation.regression import default_neighbors
from ...run import Run
from .model import Model

ROWS_AT_ONCE = 200

Scores: TypeAlias = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class RowScores:
    """Functions that give the scores of all features for some rows: of what is around each, and of the row itself.

    The second is None if the user has given the scores: nothing else is known then.
    """

    around: Scores
    own: Scores | None = None


def checked_scores(caller: str, model: Model, scores: Any, scale: str) -> RowScores:
    """Return the scores of rows, those given as a function or an array or, for None, those of `top_features`."""
    if scores is None:
        return apart_scores(model, checked_scale(caller, scale))
    if callable(scores):
        return RowScores(scores)
    table = np.asarray(scores, dtype=float)
    if table.shape != (len(model.embedding_), model.n_features_in_):
        raise InvalidParameterError(
            f"{caller}(scores=…): scores must be a function of row numbers, or one number for each row and feature, "
            f"shape ({len(model.embedding_)}, {model.n_features_in_}); got shape {table.shape}"
        )
    return RowScores(lambda rows: table[rows])


def apart_scores(model: Model, scale: str) -> RowScores:
    """Return how far rows and those around them are apart, times the factor of backing."""
    points = model._points
    k = default_neighbors(len(points.mapped.embedding))
    with Run(model.n_jobs) as run:
        comparison = Comparison.of(points.mapped, run, scale)
    return RowScores(
        lambda rows: comparison.apart(points, np.asarray(rows, np.int32), k).score,
        lambda rows: comparison.own_scores(points, np.asarray(rows, np.int32)),
    )
