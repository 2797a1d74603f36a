"""All metrics of many maps of the same data. What depends on the data alone is computed once."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..data.scaling import scale_data
from ..run import Run
from .accuracy import checked_votes, knn_accuracy
from .checks import N_SAMPLE, check_jobs, checked_data, checked_embedding, checked_labels, rank_neighbors, sample_rows
from .density import distances_in_data, own_distances
from .distances import DataDistances, Pairs, map_distances
from .ranks import nearest, ranks_kept
from .triplets import (
    TRIPLETS_PER_POINT,
    agreement,
    nearer_centroids,
    nearer_in_data,
    nearer_of_pairs,
    random_pairs,
)


class Benchmark:
    """
    Score many maps of the same data by all metrics, with the same sample and seed.

    Scores equal those of the functions of `featmap.metrics`, but what concerns the data alone is measured once. No
    single score decides which map is best: see each function for what it measures and when not to trust it.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    labels : array-like of shape (n_samples,) or None, default=None
        The class of each row: numbers or strings, none missing. Without labels `score` leaves out the metrics that
        need them; with fewer than 3 classes it leaves out ``"centroid_triplet_accuracy"``.
    n_neighbors : int, default=15
        The number of nearest other rows for trustworthiness, continuity and the density correlation.
    n_sample : int or None, default=2000
        The number of random rows that are ranked, among all rows, and whose pairs are compared; None for all rows.
    random_state : int, default=0
        The seed of the random rows, the triplets and the folds.
    n_jobs : int or None, default=-1
        The number of threads; -1 for all cores, None for one. Scores never depend on it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import metrics
    >>> X, labels = load_iris(return_X_y=True)
    >>> Y = PCA(2).fit_transform(X)
    >>> benchmark = metrics.Benchmark(X, labels)
    >>> scores = benchmark.score(Y)
    >>> round(scores["trustworthiness"], 2)
    0.99
    """

    def __init__(
        self,
        X: ArrayLike,
        labels: ArrayLike | None = None,
        *,
        n_neighbors: int = 15,
        n_sample: int | None = N_SAMPLE,
        random_state: int = 0,
        n_jobs: int | None = -1,
    ) -> None:
        check_jobs("Benchmark", n_jobs)
        table = checked_data("Benchmark", X)
        self._n_rows = table.shape[0]
        k = rank_neighbors("Benchmark", n_neighbors, self._n_rows)
        self._rows = sample_rows("Benchmark", n_sample, self._n_rows, random_state)
        self._groups = None if labels is None else checked_labels("Benchmark", labels, self._n_rows)
        if self._groups is not None:
            checked_votes("Benchmark: knn_accuracy", self._groups)
        self._seed = random_state
        self._n_jobs = n_jobs
        data = scale_data(table)
        self._distances = DataDistances.within(data)
        self._pairs = Pairs.of("Benchmark", data, self._rows)
        self._triplets = random_pairs(self._n_rows, TRIPLETS_PER_POINT, random_state)
        self._centroids = None
        if self._groups is not None and self._groups.max() >= 2:
            self._centroids = nearer_centroids(data.matrix, self._groups)
        with Run(n_jobs) as run:
            self._near = nearest(self._distances, self._rows, k, self._n_rows, run)
            self._own_distances = distances_in_data(data, table, k, run)
            self._nearer = nearer_in_data(data, self._triplets, run)

    def score(self, Y: ArrayLike) -> dict[str, float]:
        """
        Score a map by all metrics.

        A score has the name of its function, where that has one. Others are ``"scale_normalized_stress"``
        (`normalized_stress` with ``scale="best"``), ``"random_triplet_accuracy"`` and
        ``"centroid_triplet_accuracy"`` (`triplet_accuracy` without and with labels). Stress is best at 0, all other
        scores are best at 1.

        Parameters
        ----------
        Y : array-like of shape (n_samples, n_components)
            The map: the embedding of each row of the data.

        Returns
        -------
        dict of str to float
            The scores by name: 7 without labels, 9 with labels of at least 3 classes.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.decomposition import PCA
        >>> from featmap import metrics
        >>> X = load_iris().data
        >>> for name in sorted(metrics.Benchmark(X).score(PCA(2).fit_transform(X))):
        ...     print(name)
        continuity
        density_correlation
        normalized_stress
        random_triplet_accuracy
        scale_normalized_stress
        shepard_goodness
        trustworthiness
        """
        embedding = checked_embedding("Benchmark.score", Y, self._n_rows)
        on_map, pairs_on_map = map_distances(embedding), self._pairs.on_map(embedding)
        k = self._near.shape[1]
        with Run(self._n_jobs) as run:
            near_on_map = nearest(on_map, self._rows, k, self._n_rows, run)
            scores = {
                "trustworthiness": ranks_kept(self._distances, self._rows, near_on_map, self._n_rows, run),
                "continuity": ranks_kept(on_map, self._rows, self._near, self._n_rows, run),
                "density_correlation": own_distances(self._own_distances, embedding, k, run).correlation,
            }
        nearer_on_map = nearer_of_pairs(embedding, embedding[self._triplets])
        scores |= {
            "shepard_goodness": self._pairs.rank_correlation(pairs_on_map),
            "normalized_stress": self._pairs.stress(pairs_on_map),
            "scale_normalized_stress": self._pairs.least_stress(pairs_on_map),
            "random_triplet_accuracy": agreement(self._nearer, nearer_on_map),
        }
        if self._groups is not None:
            scores["knn_accuracy"] = knn_accuracy(embedding, self._groups, random_state=self._seed)
            if self._centroids is not None:
                nearer_on_map = nearer_centroids(embedding, self._groups)
                scores["centroid_triplet_accuracy"] = agreement(self._centroids, nearer_on_map)
        return scores
