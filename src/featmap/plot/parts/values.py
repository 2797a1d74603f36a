"""Values of features of the rows that are drawn, as the user gave them."""

from __future__ import annotations

import numpy as np

from ...data.sparse import dense_rows
from .model import Model

ROWS_AT_ONCE = 2_000


def values_of_feature(model: Model, rows: np.ndarray, column: int) -> np.ndarray:
    """Return the values of one feature for some rows. With cosine distances they are those of rows of length 1."""
    points = model._points
    data = points.mapped.data.columns(np.array([column]))
    blocks = [rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE)]
    scaled = np.concatenate([dense_rows(points.values, block)[:, column] for block in blocks])
    return data.restore(scaled[:, None])[:, 0]
