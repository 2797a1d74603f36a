"""Groups of the data, found without looking at any map, and the sparse one among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

N_NEIGHBORS = 15
N_GROUPS = 8
SMALLEST = 0.02  # part of all rows that a group must have to count


def groups_of(X: np.ndarray) -> np.ndarray:
    """Ward's clusters along the graph of nearest neighbours, numbered from 1 by their size."""
    near = kneighbors_graph(X, N_NEIGHBORS, include_self=False)
    found = AgglomerativeClustering(N_GROUPS, connectivity=near.maximum(near.T)).fit_predict(X)
    by_size = np.argsort(-np.bincount(found), kind="stable")
    return np.argsort(by_size)[found] + 1


@dataclass(frozen=True)
class Subgroups:
    """The groups that are large enough, their mean log radius in the data, and how different their rows are."""

    labels: np.ndarray
    mean_log_radius: dict[int, float]
    mean_distance: dict[int, float]

    @classmethod
    def among(cls, X: np.ndarray, log_radii: np.ndarray) -> Subgroups:
        labels = groups_of(X)
        large = [int(group) for group in np.unique(labels) if (labels == group).mean() >= SMALLEST]
        return cls(
            labels,
            {group: float(log_radii[labels == group].mean()) for group in large},
            {group: mean_distance(X[labels == group]) for group in large},
        )

    @property
    def sparsest(self) -> int:
        return max(self.mean_log_radius, key=self.mean_log_radius.__getitem__)

    @property
    def densest(self) -> int:
        return min(self.mean_log_radius, key=self.mean_log_radius.__getitem__)


def mean_distance(rows: np.ndarray) -> float:
    """The mean distance between two different rows."""
    return float(pairwise_distances(rows).sum() / (len(rows) * (len(rows) - 1)))
