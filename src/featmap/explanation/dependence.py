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

# Rows nearer to each other than this part of the median distance to their neighbours count as copies.
NEARLY_EQUAL = 0.1
# Of so many neighbours, whatever the settings are: a median over more of them would call ordinary neighbours copies.
N_NEIGHBORS = 14
SQUARED = ("cosine", "correlation", "sqeuclidean")  # distances that grow with the square of a small difference


def copies_of_rows(neighbors: Neighbors, metric: Any) -> IntArray:
    """A number for each row, (m,). Rows that are nearly equal have the same number.

    Rows that are equal have the number of the first of them. A row that is nearly equal to such a first row joins it,
    but nothing joins it in turn: a chain of near rows is a curve, not one row.
    """
    distances, n_rows = neighbors.distances[:, :N_NEIGHBORS], len(neighbors.indices)
    if metric in SQUARED:
        distances = np.sqrt(np.maximum(distances, 0))
    indices = neighbors.indices[:, : distances.shape[1]]
    medians = np.median(distances, axis=1)
    medians[~np.isfinite(medians)] = 0
    near = distances <= NEARLY_EQUAL * np.maximum(medians[:, None], medians[indices])
    equal = _components(n_rows, *_pairs(indices, distances == 0))
    first_of_equal, number = np.unique(equal, return_index=True, return_inverse=True)[1:]
    return _joined(first_of_equal[number], *_pairs(indices, near))


def _pairs(indices: IntArray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.repeat(np.arange(len(indices)), chosen.sum(axis=1)), indices[chosen]


def _joined(first: np.ndarray, sources: np.ndarray, targets: np.ndarray) -> IntArray:
    """The number of the row that each row joins, by the order of rows; ``first`` is the first of its equals."""
    a, b = first[sources], first[targets]
    links: dict[int, list[int]] = {}
    for one, other in sorted({(min(pair), max(pair)) for pair in zip(a.tolist(), b.tolist(), strict=True)}):
        if one != other:
            links.setdefault(one, []).append(other)
    joins = np.arange(len(first))
    for row in sorted(links):
        if joins[row] == row:  # it joined no other
            free = [other for other in links[row] if joins[other] == other]
            joins[free] = row
    return np.unique(joins[first], return_inverse=True)[1].astype(np.int32)


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
