"""Whether the map is wide where the data are wide: local radii over the same neighbours, or over each side's own."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import KDTree

from ..checks.arguments import checked_count
from ..data.scaling import ScaledData, scale_data
from ..data.sparse import Matrix
from ..errors import InvalidParameterError
from ..neighbors import find_neighbors, make_search
from ..run import Run
from ..values import DoubleArray, IntArray
from .checks import check_jobs, checked_pair, documented
from .distances import correlation

RADII_OVER = ("data", "own")


@documented
def density_correlation(
    X: ArrayLike, Y: ArrayLike, *, n_neighbors: int = 15, neighbors: str = "data", n_jobs: int | None = -1
) -> float:
    """
    Measure whether the map is dense where the data are dense.

    It is Pearson's correlation between the logarithms of local radii in the data and on the map, in the manner of
    densMAP [1]_: 1 if one radius is proportional to a positive power of the other, about 0 if the map does not show
    density. In data of many dimensions radii differ little and say little, and a radius has no direction, so the
    correlation cannot tell in which directions rows spread.

    With ``neighbors="data"`` both radii are over the neighbours in the data. With ``neighbors="own"`` the radius on
    the map is over the nearest rows on the map. This tells what a reader sees: how closely the points of the map lie
    together. It is the higher of the two where the map tears neighbours apart, and the lower for a map that was made
    to keep the radii over the neighbours in the data. A map that mixes distant parts of the data can still score
    well, so read it beside `trustworthiness`.

    Parameters
    ----------
    {X, Y}
    n_neighbors : int, default=15
        The number of nearest other rows that a radius is measured over.
    neighbors : {"data", "own"}, default="data"
        Whose nearest rows the radius on the map is over: those in the data, or its own.
    {n_jobs}

    Returns
    -------
    float
        The correlation, from -1 to 1; 1 is best. It is 0 if no row has a radius on both sides.

    Notes
    -----
    Over the neighbours in the data the square of a radius is Σ w d²/Σ w, with the same weights
    w = exp(−(d − d_first)/(mean d − d_first)) for the distances d in the data and on the map. Over each side's own
    neighbours it is their mean distance, since no weights are shared. Rows whose neighbours are all copies of them,
    in the data or on the map, have no log radius and are left out.

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
    >>> round(metrics.density_correlation(X, Y, neighbors="own"), 2)
    0.91
    """
    check_jobs("density_correlation", n_jobs)
    table, embedding = checked_pair("density_correlation", X, Y)
    k = checked_count("density_correlation", "n_neighbors", n_neighbors, 1, len(embedding) - 1)
    if not isinstance(neighbors, str) or neighbors not in RADII_OVER:
        raise InvalidParameterError(
            f"density_correlation(neighbors={neighbors!r}): neighbors must be 'data' or 'own'"
        )
    with Run(n_jobs) as run:
        indices, distances = nearest_in_data(scale_data(table), table, k, run)
        if neighbors == "own":
            return correlation_over_own(distances, embedding, run)
    return correlation_over_same(indices, distances, embedding)


def nearest_in_data(data: ScaledData, table: Matrix, k: int, run: Run) -> tuple[IntArray, DoubleArray]:
    """The nearest other rows in the data and the distances to them, in the units of the data."""
    near = find_neighbors(make_search(data, table, "euclidean"), data.matrix, k, run)
    return near.indices, data.in_units(near.distances)


def correlation_over_same(indices: IntArray, distances: DoubleArray, embedding: DoubleArray) -> float:
    """The correlation of radii R_i = Σ_j w_ij d_ij²/Σ_j w_ij over the nearest in the data, with the same weights."""
    beyond = distances - distances[:, :1]
    mean = beyond.mean(axis=1, keepdims=True)
    w = np.exp(-np.divide(beyond, mean, out=np.zeros_like(distances), where=mean > 0))
    w /= w.sum(axis=1, keepdims=True)
    squared = sum((y[indices] - y[:, None]) ** 2 for y in embedding.T)
    return _correlation_of_logs((w * distances**2).sum(axis=1), (w * squared).sum(axis=1))


def correlation_over_own(distances: DoubleArray, embedding: DoubleArray, run: Run) -> float:
    """The correlation of mean distances to the k nearest others, which may be other points on the map."""
    tree, n_others = KDTree(embedding), distances.shape[1]

    def body(start: int, stop: int) -> tuple[DoubleArray]:
        # The first distance is that to the point itself, or to a copy of it, which is 0 as well.
        return (tree.query(embedding[start:stop], n_others + 1)[0][:, 1:].mean(axis=1),)

    (on_map,) = run.by_blocks(len(embedding), body)
    return _correlation_of_logs(distances.mean(axis=1), on_map)


def _correlation_of_logs(in_data: DoubleArray, on_map: DoubleArray) -> float:
    """Pearson's correlation of the log radii, over the points that have one on both sides."""
    has_logs = (in_data > 0) & (on_map > 0)
    logs = [np.log(radii[has_logs])[:, None] for radii in (in_data, on_map)]
    return float(correlation(*logs)[0])
