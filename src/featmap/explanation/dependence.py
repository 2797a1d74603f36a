"""Which rows depend on each other, so that they must not be on both sides of a score.

What is fitted to one half of some rows is scored on the other half. A row and its copy in different halves would let
the score see what was fitted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..values import IntArray, Neighbors

# Rows nearer to each other than this part of the median distance to neighbours, there, count as copies.
NEARLY_EQUAL = 0.1


def copies_of_rows(neighbors: Neighbors) -> IntArray:
    """A number for each row, (m,). Rows that are nearly equal have the same number."""
    distances, n_rows = neighbors.distances, len(neighbors.indices)
    medians = np.median(distances, axis=1)
    medians[~np.isfinite(medians)] = 0
    usual = np.maximum(medians[:, None], medians[neighbors.indices])
    equal = distances <= NEARLY_EQUAL * usual
    sources = np.repeat(np.arange(n_rows), equal.sum(axis=1))
    return _components(n_rows, sources, neighbors.indices[equal])


def joined_with_groups(copies: IntArray, groups: IntArray) -> IntArray:
    """A number for each row, equal for rows of one group, for copies, and for all that is linked by these."""
    n_rows = len(copies)
    links = []
    for labels in (copies, groups):
        first_of_label, label_of_row = np.unique(labels, return_index=True, return_inverse=True)[1:]
        links.append(first_of_label[label_of_row])
    return _components(n_rows, np.tile(np.arange(n_rows), 2), np.concatenate(links))


def _components(n_rows: int, sources: np.ndarray, targets: np.ndarray) -> IntArray:
    edges: Any = sp.coo_matrix((np.ones(len(sources), bool), (sources, targets)), (n_rows, n_rows))
    return connected_components(edges, directed=False)[1].astype(np.int32)
