"""A random sample of rows, for pictures that would take long for all rows and look the same."""

from __future__ import annotations

import numpy as np

MOST_ROWS = 5_000


def some_of(rows: np.ndarray, most: int = MOST_ROWS) -> np.ndarray:
    """Return the rows, or a random sample of ``most`` of them in the same order."""
    if len(rows) <= most:
        return rows
    return rows[np.sort(np.random.default_rng(0).choice(len(rows), most, replace=False))]
