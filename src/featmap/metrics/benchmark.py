"""All the metrics of many maps of the same data, whose own side is measured once."""

from __future__ import annotations

from typing import Any

from ..data.scaling import scale_data
from ..run import Run
from .accuracy import checked_votes, knn_accuracy
from .checks import check_jobs, checked_data, checked_embedding, checked_labels, rank_neighbors, sample_rows
from .density import LocalRadii
from .distances import DataDistances, MapDistances
from .pairs import Pairs
from .ranks import N_QUERIES, nearest, ranks_kept
from .triplets import TRIPLETS_PER_POINT, CentroidTriplets, RandomTriplets


class Benchmark:
    """Scores maps of one data set, each by the functions of this module with the same sample and seed.

    Parameters
    ----------
    X : (m, n), the data, dense or CSR.
    labels : (m,) or None, default=None
        Classes of the rows. Without them `score` leaves out what needs them, as it does triplets of two classes.
    n_neighbors : int, default=15
        Of trustworthiness, continuity and the density correlation.
    n_sample : int or None, default=2000
        Random points for ranks, which are among all points, and for pairs of points; None for all.
    random_state : int, default=0
        Draws the sample, the triplets and the folds.
    n_jobs : int or None, default=-1
        Threads; scores never depend on it.
    """

    def __init__(
        self,
        X: Any,
        labels: Any = None,
        *,
        n_neighbors: int = 15,
        n_sample: int | None = N_QUERIES,
        random_state: int = 0,
        n_jobs: int | None = -1,
    ) -> None:
        check_jobs("Benchmark", n_jobs)
        X = checked_data("Benchmark", X)
        self._n_rows = X.shape[0]
        k = rank_neighbors("Benchmark", n_neighbors, self._n_rows)
        self._rows = sample_rows("Benchmark", n_sample, self._n_rows, random_state)
        self._groups = None if labels is None else checked_labels("Benchmark", labels, self._n_rows)
        if self._groups is not None:
            checked_votes("Benchmark: knn_accuracy", self._groups)
        self._seed = random_state
        self._n_jobs = n_jobs
        data = scale_data(X)
        self._distances = DataDistances.within(data)
        self._pairs = Pairs.of("Benchmark", data, self._rows)
        self._centroids = None
        if self._groups is not None and self._groups.max() >= 2:
            self._centroids = CentroidTriplets.of("Benchmark", data, self._groups)
        with Run(n_jobs) as run:
            self._near = nearest(self._distances, self._rows, k, self._n_rows, run)
            self._radii = LocalRadii.of(data, X, k, run)
            self._triplets = RandomTriplets.of(data, TRIPLETS_PER_POINT, random_state, run)

    def score(self, Y: Any) -> dict[str, float]:
        """Every metric of a map, by the name of its function."""
        Y = checked_embedding("score", Y, self._n_rows)
        rows, k = self._rows, self._near.shape[1]
        on_map = MapDistances(Y)
        paired = self._pairs.on_map(Y)
        with Run(self._n_jobs) as run:
            near_on_map = nearest(on_map, rows, k, len(Y), run)
            scores = {
                "trustworthiness": ranks_kept(self._distances, rows, near_on_map, len(Y), run),
                "continuity": ranks_kept(on_map, rows, self._near, len(Y), run),
            }
        scores |= {
            "shepard_goodness": self._pairs.rank_correlation(paired),
            "normalized_stress": self._pairs.stress(paired),
            "scale_normalized_stress": self._pairs.least_stress(paired),
            "random_triplet_accuracy": self._triplets.agreement(Y),
            "density_correlation": self._radii.correlation(Y),
        }
        if self._centroids is not None:
            scores["centroid_triplet_accuracy"] = self._centroids.agreement(Y)
        if self._groups is not None:
            scores["knn_accuracy"] = knn_accuracy(Y, self._groups, random_state=self._seed)
        return scores
