"""Which classes are clusters of a map."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans

SMALLEST_CLUSTER = 0.01  # of all points


def found_clusters(Y: np.ndarray) -> np.ndarray:
    """HDBSCAN's clusters, whose number is not given to it; -1 marks points in no cluster."""
    return HDBSCAN(min_cluster_size=round(SMALLEST_CLUSTER * len(Y)), copy=True).fit_predict(Y)


def as_many_clusters(Y: np.ndarray, n_clusters: int) -> np.ndarray:
    return KMeans(n_clusters, n_init=10, random_state=0).fit_predict(Y)


def classes_with_a_cluster(target: np.ndarray, clusters: np.ndarray) -> dict[str, bool]:
    """Whether most of a class lies in one cluster that consists mostly of that class; at most one cluster can."""
    return {str(label): has_a_cluster(target == label, clusters) for label in np.unique(target)}


def has_a_cluster(members: np.ndarray, clusters: np.ndarray) -> bool:
    names, counts = np.unique(clusters[members & (clusters >= 0)], return_counts=True)
    if not len(names):
        return False
    largest = counts.argmax()
    most_of_class = counts[largest] > members.sum() / 2
    most_of_cluster = counts[largest] > np.count_nonzero(clusters == names[largest]) / 2
    return bool(most_of_class and most_of_cluster)
