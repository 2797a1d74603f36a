"""How far new rows are from the data, relative to what is usual where they are."""

from __future__ import annotations

import numpy as np

from ..data.sparse import Matrix
from ..neighbors.other import unconnected_from
from ..pipeline import Manifold
from ..run import Run
from ..run.threads import BLOCK
from ..values import DoubleArray, Neighbors
from .placement import nearest_rows

SOFTENING = 1e-3  # of the mean distance between neighbours, so that duplicates have a finite ratio


def outlier_scores(X: Matrix, manifold: Manifold, run: Run) -> DoubleArray:
    """The mean distance to the nearest rows, relative to theirs; infinite for rows without edges: (rows,)."""
    scores = np.empty(X.shape[0])
    for start in range(0, X.shape[0], BLOCK):
        rows = X[start : start + BLOCK]
        near, _ = nearest_rows(manifold.into_space(rows, run), manifold, run)
        found = relative_distances(near, manifold.usual_distances)
        found[near.distances[:, 0] >= unconnected_from(manifold.metric)] = np.inf
        scores[start : start + BLOCK] = found
    return scores


def relative_distances(near: Neighbors, usual: DoubleArray) -> DoubleArray:
    """(d̄ + ε)/(median of the neighbours' own d̄ + ε), d̄ the mean distance of a row to its nearest, 0/0 = 1."""
    softening = SOFTENING * usual.mean()
    distances = near.distances.astype(np.float64).mean(axis=1) + softening
    expected = np.median(usual[near.indices], axis=1) + softening
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(distances == expected, 1.0, distances / expected)
