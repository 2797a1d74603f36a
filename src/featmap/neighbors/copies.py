"""Equal rows: a search may leave out those that have enough copies before them, because ties go by index.

Otherwise thousands of equal rows would all be compared with each other.
"""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b

import numpy as np

from ..data.sparse import Matrix, dense_rows
from ..values import FloatArray

ROWS_AT_ONCE = 256


def n_earlier_copies(matrix: Matrix, rows: np.ndarray) -> np.ndarray:
    """How many of the ``rows`` before each are equal to it."""
    seen: Counter[bytes] = Counter()
    earlier = np.empty(len(rows), np.int64)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        for number, row in enumerate(dense_rows(matrix, rows[start : start + ROWS_AT_ONCE]), start):
            digest = blake2b(np.ascontiguousarray(row), digest_size=16).digest()
            earlier[number] = seen[digest]
            seen[digest] += 1
    return earlier


def possible_copies(coordinates: FloatArray, more_than: int) -> np.ndarray:
    """Rows that share their first coordinates with so many others that they may have too many copies."""
    first_two = np.ascontiguousarray(coordinates[:, :2]).view(np.uint64).ravel()  # two of float32 as one number
    _, groups, sizes = np.unique(first_two, return_inverse=True, return_counts=True)
    return np.flatnonzero(sizes[groups] > more_than)
