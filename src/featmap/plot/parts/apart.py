"""How far the surroundings of rows are apart from the whole map, feature by feature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ...errors import InvalidParameterError
from ...explanation.apart import Comparison, checked_scale
from ...explanation.regression import default_neighbors
from ...run import Run
from .model import Model

ROWS_AT_ONCE = 200

Scores: TypeAlias = Callable[[np.ndarray], np.ndarray]


def checked_scores(caller: str, model: Model, scores: Any, scale: str) -> Scores:
    """Return a function that gives the scores of all features for some rows, from such a function or an array."""
    if scores is None:
        return apart_scores(model, checked_scale(caller, scale))
    if callable(scores):
        return scores
    table = np.asarray(scores, dtype=float)
    if table.shape != (len(model.embedding_), model.n_features_in_):
        raise InvalidParameterError(
            f"{caller}(scores=…): scores must be a function of row numbers, or one number for each row and feature, "
            f"shape ({len(model.embedding_)}, {model.n_features_in_}); got shape {table.shape}"
        )
    return lambda rows: table[rows]


def apart_scores(model: Model, scale: str) -> Scores:
    """Return the function that tells how far the rows around a row are apart, times the factor of backing."""
    points = model._points
    k = default_neighbors(len(points.mapped.embedding))
    with Run(model.n_jobs) as run:
        comparison = Comparison.of(points.mapped, run, scale)
    return lambda rows: comparison.apart(points, np.asarray(rows, np.int32), k).score
