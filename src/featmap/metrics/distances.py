"""Distances in the data and on the map, and how well those between all pairs of a sample of rows agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist, pdist
from scipy.stats import rankdata

from ..checks.arguments import is_number
from ..data.scaling import ScaledData, scale_data
from ..data.sparse import dense_rows
from ..errors import InvalidDataError, InvalidParameterError
from ..run.threads import one_library_thread
from ..values import DoubleArray, IntArray
from .checks import N_SAMPLE, checked_pair, documented, sample_rows

Distances = Callable[[IntArray], DoubleArray]  # squared, from some rows to all points: (rows, points)


@documented
def shepard_goodness(X: ArrayLike, Y: ArrayLike, *, n_sample: int | None = N_SAMPLE, random_state: int = 0) -> float:
    """
    Measure whether pairs of rows have the same order by distance on the map as in the data.

    It is Spearman's correlation between the distances of all pairs in the data and on the map [1]_: 1 if the order is
    the same, about 0 for a random map. Most pairs are far apart, so it judges the global arrangement and hardly the
    neighbourhoods, which `trustworthiness` and `continuity` measure.

    Parameters
    ----------
    {X, Y}
    n_sample : int or None, default=2000
        The number of random rows, of which all pairs are compared; None for all m rows, which takes 40·m² bytes.
    {random_state}

    Returns
    -------
    float
        The correlation, from -1 to 1; 1 is best. It is 0 if all rows have the same position on the map.

    References
    ----------
    .. [1] M. Espadoto, R. M. Martins, A. Kerren, N. S. T. Hirata and A. C. Telea, "Toward a quantitative survey of
       dimension reduction techniques", IEEE Transactions on Visualization and Computer Graphics 27, 2153-2173
       (2021).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import metrics
    >>> X = load_iris().data
    >>> Y = PCA(2).fit_transform(X)
    >>> round(metrics.shepard_goodness(X, Y), 2)
    1.0
    """
    pairs, on_map = _paired("shepard_goodness", X, Y, n_sample, random_state)
    return pairs.rank_correlation(on_map)


@documented
def normalized_stress(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    scale: float | str = 1.0,
    n_sample: int | None = N_SAMPLE,
    random_state: int = 0,
) -> float:
    """
    Measure how far distances on the map are from those in the data.

    It is Σ (Δ − Δ')²/Σ Δ² for distances Δ in the data and Δ' on the map [1]_. By default the map is taken in its own
    units, as in the code of that survey, so the stress changes with the size of the map: compare maps of different
    methods with ``scale="best"`` instead. Large distances dominate it, and maps that keep neighbourhoods rather than
    distances, as those of t-SNE and UMAP do, have a high stress without being wrong.

    Parameters
    ----------
    {X, Y}
    scale : float or "best", default=1.0
        What distances on the map are multiplied by. ``"best"`` is the number for which the stress is least, which is
        then 1 − (Σ Δ Δ')²/(Σ Δ² Σ Δ'²) [2]_.
    n_sample : int or None, default=2000
        The number of random rows, of which all pairs are compared; None for all m rows, which takes 40·m² bytes.
    {random_state}

    Returns
    -------
    float
        The stress, at least 0 and without upper bound, or at most 1 with ``scale="best"``; 0 is best. It is 1 if all
        rows have the same position on the map.

    References
    ----------
    .. [1] M. Espadoto, R. M. Martins, A. Kerren, N. S. T. Hirata and A. C. Telea, "Toward a quantitative survey of
       dimension reduction techniques", IEEE Transactions on Visualization and Computer Graphics 27, 2153-2173
       (2021).
    .. [2] K. Smelser, J. Miller and S. Kobourov, "'Normalized stress' is not normalized: how to interpret stress
       correctly", IEEE Workshop on Evaluation and Beyond: Methodological Approaches for Visualization (2024).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import metrics
    >>> X = load_iris().data
    >>> Y = PCA(2).fit_transform(X)
    >>> round(metrics.normalized_stress(X, Y), 3)
    0.002
    >>> round(metrics.normalized_stress(X, 10 * Y), 0)
    79.0
    >>> round(metrics.normalized_stress(X, 10 * Y, scale="best"), 3)
    0.002
    """
    is_best = isinstance(scale, str) and scale == "best"
    if not is_best and not (is_number(scale, 0) and scale != 0):
        raise InvalidParameterError(
            f"normalized_stress(scale={scale!r}): scale must be 'best' or a finite number above 0"
        )
    pairs, on_map = _paired("normalized_stress", X, Y, n_sample, random_state)
    return pairs.least_stress(on_map) if isinstance(scale, str) else pairs.stress(on_map * scale)


def _paired(caller: str, X: ArrayLike, Y: ArrayLike, n_sample: Any, seed: int) -> tuple[Pairs, DoubleArray]:
    """The pairs of a random sample, and their distances on the map."""
    table, embedding = checked_pair(caller, X, Y)
    pairs = Pairs.of(caller, scale_data(table), sample_rows(caller, n_sample, len(embedding), seed))
    return pairs, pairs.on_map(embedding)


@dataclass(frozen=True, repr=False)
class Pairs:
    """The distances between all pairs of some rows of the data, in the units of the data."""

    rows: IntArray
    distances: DoubleArray

    @classmethod
    def of(cls, caller: str, data: ScaledData, rows: IntArray) -> Pairs:
        sample = replace(data, matrix=data.matrix[rows])
        with one_library_thread():
            squared = DataDistances.within(sample)(np.arange(len(rows), dtype=np.int32))
        distances = data.in_units(np.sqrt(squared[np.triu_indices(len(rows), 1)]))
        if not distances.any():
            raise InvalidDataError(
                f"{caller}(X): all sampled rows of X are equal, so there are no distances to compare"
            )
        return cls(rows, distances)

    def on_map(self, embedding: DoubleArray) -> DoubleArray:
        """The distances between the same pairs on the map."""
        return pdist(embedding[self.rows])

    @cached_property
    def ranks(self) -> DoubleArray:
        return rankdata(self.distances)

    def rank_correlation(self, on_map: DoubleArray) -> float:
        """Spearman's correlation."""
        return float(correlation(self.ranks[:, None], rankdata(on_map)[:, None])[0])

    def stress(self, on_map: DoubleArray) -> float:
        """Σ (Δ − Δ')²/Σ Δ²."""
        return float(((self.distances - on_map) ** 2).sum() / (self.distances**2).sum())

    def least_stress(self, on_map: DoubleArray) -> float:
        """The stress of α Δ' with α = Σ Δ Δ'/Σ Δ'², which makes it least."""
        size = on_map @ on_map
        return self.stress(on_map * (self.distances @ on_map / size if size > 0 else 0.0))


@dataclass(frozen=True, repr=False)
class DataDistances:
    """Distances in the scaled data: |x|² + |x'|² − 2x·x' in float64. Centring the data makes rounding harmless."""

    data: ScaledData
    sizes: DoubleArray

    @classmethod
    def within(cls, data: ScaledData) -> DataDistances:
        return cls(data, np.concatenate([np.einsum("ij,ij->i", x, x) for _, x in _blocks(data)]))

    def __call__(self, rows: IntArray) -> DoubleArray:
        doubled = -2 * self.data.rows(rows).astype(np.float64)
        squared = np.empty((len(rows), len(self.sizes)))
        for columns, block in _blocks(self.data):
            np.matmul(doubled, block.T, out=squared[:, columns])
        squared += self.sizes
        squared += self.sizes[rows][:, None]
        return np.maximum(squared, 0, out=squared)


def map_distances(embedding: DoubleArray) -> Distances:
    """Distances on the map, from differences, because an embedding has few columns."""
    return lambda rows: cdist(embedding[rows], embedding, "sqeuclidean")


def _blocks(data: ScaledData) -> Iterator[tuple[slice, DoubleArray]]:
    """Dense float64 copies of a few rows at a time."""
    n_rows, step = data.shape[0], data.rows_per_block()
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        yield rows, dense_rows(data.matrix, rows).astype(np.float64)


def correlation(first: DoubleArray, second: DoubleArray) -> DoubleArray:
    """Pearson's correlation of each pair of columns. It is 0 if one of them is constant or there are no points."""
    if not len(first):
        return np.zeros(first.shape[1])
    first, second = first - first.mean(axis=0), second - second.mean(axis=0)
    sizes = np.sqrt((first * first).sum(axis=0) * (second * second).sum(axis=0))
    return np.divide((first * second).sum(axis=0), sizes, out=np.zeros(first.shape[1]), where=sizes > 0)
