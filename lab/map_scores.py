"""The figures by which a density weight is chosen: quality, density by two measures, clusters and pieces of a map."""

from __future__ import annotations

import numpy as np

from .clusters import outlier_share
from .pieces import mean_pieces
from .quality import DENSITY, TEN_NEIGHBORS, Quality

TRUST = "trustworthiness"
OWN_DENSITY = "own_density_correlation"
OUTLIERS = "outliers"  # the share that HDBSCAN leaves out
PIECES = "pieces"  # per class, the mean over classes
OF_QUALITY = (TRUST, TEN_NEIGHBORS, DENSITY, OWN_DENSITY)

Scores = dict[str, float]


class MapScores:
    """Scores maps of one data set, whose own side is measured once."""

    def __init__(self, X: np.ndarray, labels: np.ndarray) -> None:
        self.quality = Quality(X, labels)
        self.labels = labels

    def of(self, embedding: np.ndarray) -> Scores:
        scores = self.quality.of(embedding)
        return {name: scores[name] for name in OF_QUALITY} | {
            OUTLIERS: outlier_share(embedding),
            PIECES: mean_pieces(embedding, self.labels),
        }
