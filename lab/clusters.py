"""What a clusterer makes of a map."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import HDBSCAN

MIN_CLUSTER_SIZE = 15


def outlier_share(embedding: np.ndarray) -> float:
    """The share of points that HDBSCAN with clusters of at least 15 points leaves out of every cluster."""
    return float((HDBSCAN(min_cluster_size=MIN_CLUSTER_SIZE, copy=False).fit(embedding).labels_ == -1).mean())
