"""A mark of the features of a map, by which they are known again."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..store.digests import digest_of
from .inputs import compared_rows


def mark_of_features(X: Any, distances: sp.csr_matrix) -> str:
    """A digest of the values of some cells. It is the same for any kind of matrix and any order of cells and genes.

    Distances to neighbours choose the cells, because they go with the cells into another order.
    """
    order = np.argsort(np.asarray(distances.astype(np.float64).sum(axis=1)).ravel(), kind="stable")
    values = X[np.sort(order[compared_rows(len(order))])]  # files are read in the order of their rows
    dense = np.asarray(values.toarray() if sp.issparse(values) else values, dtype=np.float64)
    return digest_of(np.unique(np.sort(dense, axis=1), axis=0))
