"""Search in other metrics than the Euclidean, and what is known of these metrics."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..checks.arguments import shown
from ..checks.distances import LONGEST_DISTANCE
from ..data.scaling import ScaledData
from ..data.sizing import rows_scaled_at_once, unit_rows, with_values
from ..data.sparse import Matrix, canonical, dense_rows
from ..errors import InvalidDataError, InvalidDataTypeError, warn
from ..run import SERIAL, Run
from ..values import IntArray, Neighbors, SearchReport
from .exact import ExactSearch
from .large import LargeSearch
from .search import EXACT, QUERIES_PER_BLOCK, Found, smallest

# Metrics that have a largest distance, and rows at that distance have nothing in common. scipy's definitions.
LARGEST_DISTANCES = {
    "braycurtis": 1.0,
    "correlation": 2.0,
    "cosine": 2.0,
    "dice": 1.0,
    "hamming": 1.0,
    "hellinger": 1.0,
    "jaccard": 1.0,
    "matching": 1.0,
    "rogerstanimoto": 1.0,
    "russellrao": 1.0,
    "sokalmichener": 1.0,
    "sokalsneath": 1.0,
    "yule": 2.0,
}
CHECKED_ROWS = 32  # of those whose neighbours a user gave
SAME_DISTANCE = 1e-2  # relative difference between distances of one metric, computed in float32 or by other formulas
TRIED_ROWS = 8  # whose distances tell whether the parameters of a metric fit the data
MOST_AGREE = 0.5  # share of distances that agree if the metric is the same
ROUNDING_OF_DISTANCES = 1e-6  # by which a distance in float32 may miss the largest


def unconnected_from(metric: Any) -> float:
    """Rows at this distance or more from each other get no edge."""
    largest = LARGEST_DISTANCES.get(metric, math.inf) if isinstance(metric, str) else math.inf
    return largest * (1 - ROUNDING_OF_DISTANCES)


def check_metric(X: Matrix, metric: Any, kwds: Mapping[str, Any] | None = None) -> None:
    """Ask for one distance before any work: a metric may need parameters, other data, or fewer features."""
    if metric in ("euclidean", "cosine"):
        return
    if metric == "hellinger":
        check_not_negative(X)
        return
    try:
        float(_quietly(X[:1], X[1:2], metric, kwds)[0, 0])
    except Exception as error:  # a user's own function may raise anything
        given = f", metric_kwds={shown(dict(kwds))}" if kwds else ""
        reason = str(error).split("\n")[0].removesuffix(" The following argument types are supported:")
        raise InvalidDataError(
            f"FeatMAP(metric={metric!r}{given}): the metric gives no distance between the first two rows of X "
            f"({reason}); choose a metric that fits the data{', or give X.toarray()' if sp.issparse(X) else ''}, "
            "give the parameters that scipy.spatial.distance has for it by metric_kwds, or give neighbours by "
            "precomputed_knn"
        ) from error
    if kwds:
        _check_kwds(X, metric, kwds)


def _check_kwds(X: Matrix, metric: Any, kwds: Mapping[str, Any]) -> None:
    """Refuse parameters by which some rows have no distance: a matrix may not be that of a metric."""
    rows = X[np.linspace(0, X.shape[0] - 1, min(TRIED_ROWS, X.shape[0])).astype(int)]
    distances = _quietly(rows, rows, metric, kwds)
    if not (np.isfinite(distances).all() and distances.min() >= 0):
        raise InvalidDataError(
            f"FeatMAP(metric={metric!r}, metric_kwds=…): with these {', '.join(kwds)} some distances between rows "
            "of X are negative or not finite; VI must be the inverse of a matrix of covariances, and V must not be 0"
        )


def _quietly(queries: Matrix, rows: Matrix, metric: Any, kwds: Mapping[str, Any] | None) -> np.ndarray:
    """Distances of all pairs. The search gives the same warnings."""
    from sklearn.metrics import pairwise_distances

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if metric == "hellinger":
            return hellinger_distances(queries, rows)
        return np.asarray(pairwise_distances(queries, rows, metric=metric, **(kwds or {})), np.float64)


def warn_of_other_distances(
    X: Matrix,
    data: ScaledData,
    metric: Any,
    given: Neighbors,
    searched: str,
    kwds: Mapping[str, Any] | None = None,
) -> None:
    """Warn if the distances that a user gave are not those of the metric, by which new rows will be searched.

    ``searched`` names the rows X for the warning.
    """
    rows = np.linspace(0, X.shape[0] - 1, min(CHECKED_ROWS, X.shape[0])).astype(int)
    known = np.isfinite(given.distances[rows])
    try:
        true = np.array([_distances_from(row, given.indices[row], X, data, metric, kwds) for row in rows])[known]
    except Exception:  # the metric does not fit the data; neighbours may be given for that reason
        return
    agree = np.isclose(
        given.distances[rows][known], true, rtol=SAME_DISTANCE, atol=SAME_DISTANCE**2 * true.max(initial=0)
    )
    if agree.sum() < MOST_AGREE * agree.size:
        warn(
            f"precomputed_knn: the given distances are not those of metric={metric!r} between {searched}; the map is "
            "made of what is given, but new rows (transform, explain, outlier_score) are searched there, by the "
            "metric; pass metric=… of your neighbours, and as X the rows they were found in"
        )


def _distances_from(
    row: int, others: IntArray, X: Matrix, data: ScaledData, metric: Any, kwds: Mapping[str, Any] | None
) -> np.ndarray:
    """As the search measures them, in units of the data."""
    if metric in ("euclidean", "cosine"):
        lengths = np.linalg.norm(data.rows(others).astype(np.float64) - data.rows([row]), axis=1)
        return lengths**2 / 2 if metric == "cosine" else data.in_units(lengths)
    return _quietly(X[row : row + 1], X[others], metric, kwds)[0]


@dataclass(frozen=True)
class OverEuclidean:
    """Base of searches by distances that follow from Euclidean ones and have the same order."""

    euclidean: ExactSearch | LargeSearch

    @property
    def report(self) -> SearchReport | None:
        return self.euclidean.report


@dataclass(frozen=True)
class CosineSearch(OverEuclidean):
    """Between unit rows |x − y|²/2 is the cosine distance."""

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        indices, distances = self.euclidean.nearest(queries, k, run)
        return indices, distances**2 / 2


@dataclass(frozen=True)
class HellingerSearch(OverEuclidean):
    """H(x, y) = √(1 − Σ√(x y)/√(Σx Σy)) is |u − v|/√2, with u and v the roots of the rows, divided by their lengths.

    ``euclidean`` searches among the rows of `root_rows`.
    """

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        indices, distances = self.euclidean.nearest(root_rows(queries, run), k, run)
        return indices, distances / math.sqrt(2)


def hellinger_distances(queries: Matrix, rows: Matrix) -> np.ndarray:
    """H of all pairs."""
    from scipy.spatial.distance import cdist

    dense = (dense_rows(root_rows(part)) for part in (queries, rows))
    return cdist(*dense) / math.sqrt(2)


def root_rows(X: Matrix, run: Run = SERIAL) -> Matrix:
    """Roots of rows, divided by their lengths, with a column more: 1 in rows of zeros.

    So a row of zeros is at the largest distance from all others, and at distance 0 from rows of zeros.
    """
    check_not_negative(X)
    if sp.issparse(X):
        entries = canonical(X)
        roots = with_values(entries, np.sqrt(entries.data.astype(np.float64)))
        is_empty = np.asarray(roots.sum(axis=1)).ravel() == 0
        column = sp.csr_matrix(is_empty[:, None].astype(np.float64))
        return unit_rows(sp.hstack([roots, column], format="csr"), run)[0]
    rows = np.empty((len(X), X.shape[1] + 1), np.float32)

    def task(start: int, stop: int) -> None:
        roots = np.sqrt(X[start:stop].astype(np.float64))
        rows[start:stop] = unit_rows(np.column_stack([roots, ~roots.any(axis=1)]))[0]

    run.over_rows(len(X), task, rows_scaled_at_once(rows.shape[1]))
    return rows


def check_not_negative(X: Matrix) -> None:
    if (X.data if sp.issparse(X) else X).min(initial=0) < 0:
        raise InvalidDataError(
            "metric='hellinger': X has negative values; it compares rows of counts or shares, so give these as they "
            "are, neither centred nor scaled, or choose another metric"
        )


@dataclass(frozen=True)
class MetricSearch:
    """Any metric of scikit-learn, or a function of two rows, by all pairs."""

    matrix: np.ndarray | sp.csr_matrix
    metric: str | Callable[..., Any]
    kwds: Mapping[str, Any] = field(default_factory=dict)  # parameters of the metric

    @property
    def report(self) -> SearchReport:
        return EXACT

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        def body(start: int, stop: int) -> Found:
            return smallest(self._distances(queries[start:stop]), k)

        indices, distances = run.by_blocks(queries.shape[0], body, QUERIES_PER_BLOCK, with_progress=True)
        self._check(distances)
        return indices, distances

    def _distances(self, queries: Matrix) -> np.ndarray:
        from sklearn.metrics import pairwise_distances

        try:
            return np.asarray(pairwise_distances(queries, self.matrix, metric=self.metric, **self.kwds), np.float64)
        except TypeError as error:
            raise InvalidDataTypeError(
                f"metric={self.metric!r} gives no distances from these rows to those of the fit ({error}); give "
                "them in the form of the data of the fit: sparse rows become an array by toarray()"
            ) from error

    def _check(self, distances: np.ndarray) -> None:
        if not np.isfinite(distances).all() or distances.min(initial=0) < 0:
            raise InvalidDataError(
                f"metric={self.metric!r} gave distances that are negative or not finite on these data; "
                "choose a metric that fits them"
            )
        largest = distances.max(initial=0)
        if largest > LONGEST_DISTANCE or 0 < largest < 1 / LONGEST_DISTANCE:
            raise InvalidDataError(
                f"metric={self.metric!r} gave distances of {largest:.0e}, which float32 cannot tell apart; multiply "
                "the data by a number that brings them nearer to 1"
            )
