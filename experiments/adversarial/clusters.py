"""Whether attacked digits lie in the clusters they came from."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.utils import Bunch

from featmap import metrics

from ..report import Claim

N_CLUSTERS = 10
LOST_ACCURACY = 0.05
KEPT_AGREEMENT = 0.8  # of what two maps of the same clean digits have


def study_clusters(digits: Bunch, maps: dict[str, np.ndarray]) -> tuple[Claim, dict[str, Any]]:
    """``maps`` are those of the digits "before", "again" (from another seed) and "after" the attack."""
    found = {name: KMeans(N_CLUSTERS, n_init=10, random_state=0).fit_predict(Y) for name, Y in maps.items()}
    accuracy = {name: metrics.knn_accuracy(Y, digits.target, n_neighbors=10) for name, Y in maps.items()}
    pairs = {
        "before and after": (found["before"], found["after"]),
        "before and before again": (found["before"], found["again"]),
        "before and original labels": (found["before"], digits.target),
        "after and original labels": (found["after"], digits.target),
        "after and labels read": (found["after"], digits.predicted),
    }
    shared = {name: float(normalized_mutual_info_score(*pair)) for name, pair in pairs.items()}
    rand = {name: float(adjusted_rand_score(*pair)) for name, pair in pairs.items()}
    kept = shared["before and after"] / shared["before and before again"]
    claim = Claim(
        "The clusters of attacked digits are quite similar to those before",
        f"10-NN accuracy of original labels {accuracy['before']:.3f} before, {accuracy['after']:.3f} after; mutual "
        f"information of clusters before and after {shared['before and after']:.2f}, of two maps before "
        f"{shared['before and before again']:.2f}",
        accuracy["before"] - accuracy["after"] <= LOST_ACCURACY and kept >= KEPT_AGREEMENT,
    )
    figures = {"10-NN accuracy": accuracy, "normalised mutual information": shared, "adjusted Rand index": rand}
    return claim, {kind: {name: round(v, 4) for name, v in part.items()} for kind, part in figures.items()}
