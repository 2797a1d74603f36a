"""Feature importance of many rows, and the order of features by it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .model import Model

VARIATION = "local variation (importance)"  # what pictures call it: noise varies locally too
ROWS_AT_ONCE = 500  # rows whose importance of all features is in memory at one time


def by_importance(importance: np.ndarray) -> np.ndarray:
    """Return column numbers, the most important feature first; equal features keep their order."""
    return np.argsort(-importance, axis=-1, kind="stable")


def mean_importance(model: Model, rows: np.ndarray) -> np.ndarray:
    """Return the mean over some rows for each feature: shape (n_features,)."""
    total = np.zeros(model.n_features_in_)
    for block in _blocks(model, rows):
        total += block.sum(axis=0, dtype=np.float64)
    return total / len(rows)


def importance_of_feature(model: Model, rows: np.ndarray, column: int) -> np.ndarray:
    """Return the importance of one feature for some rows: shape (n_rows,)."""
    return np.concatenate([block[:, column] for block in _blocks(model, rows)])


def _blocks(model: Model, rows: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        yield model.feature_importance(rows[start : start + ROWS_AT_ONCE])
