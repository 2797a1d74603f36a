"""Is the map wide where the data are wide? Local radii in the data and on the map, over the same neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

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
    """R_i = Σ_j w_ij d_ij²/Σ_j w_ij over the nearest in the data, and the weights to measure a map with."""

    neighbors: IntArray
    weights: DoubleArray
    in_data: DoubleArray

    @classmethod
    def of(cls, data: ScaledData, X: Matrix, k: int, run: Run) -> LocalRadii:
        search = make_search(data, X, "euclidean")
        near = find_neighbors(search, data.matrix, k, run)
        d = data.in_units(near.distances.astype(np.float64))
        beyond = d - d[:, :1]
        mean = beyond.mean(axis=1, keepdims=True)
        w = np.exp(-np.divide(beyond, mean, out=np.zeros_like(d), where=mean > 0))
        w /= w.sum(axis=1, keepdims=True)
        return cls(near.indices, w, (w * d**2).sum(axis=1))

    def on_map(self, Y: DoubleArray) -> DoubleArray:
        squared = sum((y[self.neighbors] - y[:, None]) ** 2 for y in Y.T)
        return (self.weights * squared).sum(axis=1)

    def correlation(self, Y: DoubleArray) -> float:
        on_map = self.on_map(Y)
        has_logs = (self.in_data > 0) & (on_map > 0)
        logs = [np.log(radii[has_logs])[:, None] for radii in (self.in_data, on_map)]
        return float(correlation(*logs)[0]) if has_logs.any() else 0.0


def density_correlation(X: Any, Y: Any, *, n_neighbors: int = 15, n_jobs: int | None = -1) -> float:
    """Pearson's correlation of the log radii of all points in the data and on the map.

    A radius² is Σ w d²/Σ w over the ``n_neighbors`` nearest others in the data, on both sides with the same weights
    w = exp(−(d − d_first)/(mean d − d_first)). Points whose neighbours are all copies of them, on either side, have
    no log radius and are left out.
    """
    check_jobs("density_correlation", n_jobs)
    X, Y = checked_pair("density_correlation", X, Y)
    k = checked_count("density_correlation", "n_neighbors", n_neighbors, 1, len(Y) - 1)
    with Run(n_jobs) as run:
        return LocalRadii.of(scale_data(X), X, k, run).correlation(Y)
