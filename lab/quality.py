"""How good a map is: by `featmap.metrics`, with one figure that its `Benchmark` does not give by itself.

`Benchmark.score` takes the mean accuracy over 2, 4, …, 64 neighbours. The tables of this repository also give the
accuracy of a 10-NN classifier, which most of the literature reports.
"""

from __future__ import annotations

import numpy as np

from featmap import metrics

DENSITY = "density_correlation"
TEN_NEIGHBORS = "accuracy_of_10"


class Quality:
    """Scores maps of one data set, whose own side is measured once."""

    def __init__(self, X: np.ndarray, labels: np.ndarray) -> None:
        self.benchmark = metrics.Benchmark(X, labels)
        self.labels = labels

    def of(self, embedding: np.ndarray) -> dict[str, float]:
        """Every metric of a map by its name, and the accuracy of ten neighbours."""
        accuracy = metrics.knn_accuracy(embedding, self.labels, n_neighbors=10)
        return self.benchmark.score(embedding) | {TEN_NEIGHBORS: accuracy}
