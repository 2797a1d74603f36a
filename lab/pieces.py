"""Into how many pieces a map breaks each class.

A piece is a set of points of one class that are linked by steps of less than 5 % of the map's extent (single
linkage) and holds at least 5 % of the class. The extent is the larger side of the box between the 0.5 % and 99.5 %
quantiles of both coordinates, so that a few points far away do not lengthen the steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import AgglomerativeClustering

LONGEST_STEP = 0.05  # of the map's extent
SMALLEST_SHARE = 0.05  # of the class
OUTSIDE = 0.005  # of the points, at each end of an axis


def pieces_per_class(embedding: np.ndarray, labels: np.ndarray) -> dict[Any, int]:
    """The number of pieces of each class, by its label."""
    step = LONGEST_STEP * extent(embedding)
    classes = np.unique(labels)
    return {label: n_pieces(embedding[labels == label], step) for label in classes.tolist()}


def mean_pieces(embedding: np.ndarray, labels: np.ndarray) -> float:
    """The mean over the classes."""
    return float(np.mean(list(pieces_per_class(embedding, labels).values())))


def extent(embedding: np.ndarray) -> float:
    low, high = np.quantile(embedding, (OUTSIDE, 1 - OUTSIDE), axis=0)
    return float((high - low).max())


def n_pieces(points: np.ndarray, step: float) -> int:
    """The number of groups that are large enough. A class can have none, if it is scattered."""
    if len(points) == 1 or step == 0:
        return 1
    sizes = np.bincount(linked(points, step))
    return int((sizes >= SMALLEST_SHARE * len(points)).sum())


def linked(points: np.ndarray, step: float) -> np.ndarray:
    """The group of each point. Exact, by a minimum spanning tree: memory grows with points, not with pairs."""
    clustering = AgglomerativeClustering(n_clusters=None, distance_threshold=step, linkage="single")
    return clustering.fit(points.astype(np.float64)).labels_
