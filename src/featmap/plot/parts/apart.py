"""How far the surroundings of rows are apart from the whole map, feature by feature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ...data.sparse import dense_rows
from ...errors import InvalidParameterError
from .model import Model

ROWS_AT_ONCE = 200
NEAR = 30  # rows on the map whose mean is compared with that of all rows

Scores: TypeAlias = Callable[[np.ndarray], np.ndarray]


def checked_scores(caller: str, model: Model, scores: Any) -> Scores:
    """Return a function that gives the scores of all features for some rows, from such a function or an array."""
    if scores is None:
        return apart_scores(model)
    if callable(scores):
        return scores
    table = np.asarray(scores, dtype=float)
    if table.shape != (len(model.embedding_), model.n_features_in_):
        raise InvalidParameterError(
            f"{caller}(scores=…): scores must be a function of row numbers, or one number for each row and feature, "
            f"shape ({len(model.embedding_)}, {model.n_features_in_}); got shape {table.shape}"
        )
    return lambda rows: table[rows]


def apart_scores(model: Model) -> Scores:
    """Return the function that tells how many standard deviations the mean around a row is from that of all rows."""
    data, search = model._points.mapped.data.matrix, model._points.mapped.search
    n_rows = data.shape[0]
    total, squares = np.zeros(data.shape[1]), np.zeros(data.shape[1])
    for start in range(0, n_rows, ROWS_AT_ONCE):
        block = dense_rows(data, slice(start, start + ROWS_AT_ONCE)).astype(float)
        total += block.sum(axis=0)
        squares += np.square(block).sum(axis=0)
    mean = total / n_rows
    spread = np.sqrt(np.maximum(squares / n_rows - mean**2, 0))

    def scores(rows: np.ndarray) -> np.ndarray:
        near = search.tree.query(model.embedding_[rows], min(NEAR, n_rows))[1].reshape(len(rows), -1)
        means = np.array([dense_rows(data, neighbours).mean(axis=0) for neighbours in near])
        return np.divide(means - mean, spread, out=np.zeros_like(means, float), where=spread > 0)

    return scores
