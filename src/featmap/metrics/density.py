"""Whether the map is wide where the data are wide: local radii on both sides, over the same neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks.counts import checked_count
from ..data.scaling import ScaledData, scale_data
from ..data.sparse import Matrix
from ..layout.radii import correlation
from ..neighbors import find_neighbors, make_search
from ..run import Run
from ..values import DoubleArray, IntArray
from .checks import check_jobs, checked_pair


@dataclass(frozen=True, repr=False)
class LocalRadii:
    """R_i = Σ_j w_ij d_ij²/Σ_j w_ij over the nearest points j in the data. The map has the same weights."""

    neighbors: IntArray
    weights: DoubleArray
    in_data: DoubleArray

    @classmethod
    def of(cls, data: ScaledData, table: Matrix, k: int, run: Run) -> LocalRadii:
        search = make_search(data, table, "euclidean")
        near = find_neighbors(search, data.matrix, k, run)
        d = data.in_units(near.distances.astype(np.float64))
        beyond = d - d[:, :1]
        mean = beyond.mean(axis=1, keepdims=True)
        w = np.exp(-np.divide(beyond, mean, out=np.zeros_like(d), where=mean > 0))
        w /= w.sum(axis=1, keepdims=True)
        return cls(near.indices, w, (w * d**2).sum(axis=1))

    def on_map(self, embedding: DoubleArray) -> DoubleArray:
        """The radius of each point on the map."""
        squared = sum((y[self.neighbors] - y[:, None]) ** 2 for y in embedding.T)
        return (self.weights * squared).sum(axis=1)

    def correlation(self, embedding: DoubleArray) -> float:
        """Pearson's correlation of the log radii, over the points that have one on both sides."""
        on_map = self.on_map(embedding)
        has_logs = (self.in_data > 0) & (on_map > 0)
        logs = [np.log(radii[has_logs])[:, None] for radii in (self.in_data, on_map)]
        return float(correlation(*logs)[0]) if has_logs.any() else 0.0


def density_correlation(X: ArrayLike, Y: ArrayLike, *, n_neighbors: int = 15, n_jobs: int | None = -1) -> float:
    """
    Measure whether the map is dense where the data are dense.

    It is Pearson's correlation between the logarithms of local radii in the data and on the map, in the manner of
    densMAP [1]_: 1 if one radius is proportional to a positive power of the other, about 0 if the map does not show
    density. In data of many dimensions radii differ little and say little, and a radius has no direction, so the
    correlation cannot tell in which directions rows spread.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    Y : array-like of shape (n_samples, n_components)
        The map: the embedding of each row of `X`.
    n_neighbors : int, default=15
        The number of nearest other rows in the data that a radius is measured over.
    n_jobs : int or None, default=-1
        The number of threads; -1 for all cores, None for one. The result never depends on it.

    Returns
    -------
    float
        The correlation, from -1 to 1; 1 is best. It is 0 if no row has a radius on both sides.

    Notes
    -----
    The square of a radius is Σ w d²/Σ w over the nearest rows in the data, with the same weights
    w = exp(−(d − d_first)/(mean d − d_first)) for the distances d in the data and on the map. Rows whose neighbours
    are all copies of them, in the data or on the map, have no log radius and are left out.

    References
    ----------
    .. [1] A. Narayan, B. Berger and H. Cho, "Assessing single-cell transcriptomic variability through
       density-preserving data visualization", Nature Biotechnology 39, 765-774 (2021).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import metrics
    >>> X = load_iris().data
    >>> Y = PCA(2).fit_transform(X)
    >>> round(metrics.density_correlation(X, Y), 2)
    0.97
    """
    check_jobs("density_correlation", n_jobs)
    table, embedding = checked_pair("density_correlation", X, Y)
    k = checked_count("density_correlation", "n_neighbors", n_neighbors, 1, len(embedding) - 1)
    with Run(n_jobs) as run:
        return LocalRadii.of(scale_data(table), table, k, run).correlation(embedding)
