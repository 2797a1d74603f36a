"""X → Neighbors: exact for small data, by coarse lists and exact ranking for large, or as the user gives them.

Matrix products and lists only propose candidates. Which of them are nearest is decided by distances that our own
kernel sums in float64, ties by index. So the answer does not depend on the threads of a library, and the neighbours
of a row do not depend on the batch that it is asked with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..data.scaling import ScaledData, scale_data
from ..data.sparse import Matrix
from ..run import Run
from ..values import Neighbors
from .exact import ExactSearch
from .large import LargeSearch
from .other import CosineSearch, HellingerSearch, MetricSearch, OverEuclidean, check_metric, root_rows
from .search import Search, without_self

EXACT_BELOW = 10_000  # rows; above, all pairs cost more than building lists
USUAL_K = 15  # neighbours that a search is wide enough for, where nobody says how many


def find_neighbors(search: Search, rows: Matrix, k: int, run: Run) -> Neighbors:
    """The k nearest others of every training row."""
    indices, distances = search.nearest(rows, k + 1, run)
    return without_self(indices, distances, k)


def neighbors_of_rows(X: Matrix, k: int, metric: Any, run: Run) -> Neighbors:
    """The k nearest others of every row of X, at distances in units of the data."""
    check_metric(X, metric)
    data = scale_data(X, run, unit_rows=metric == "cosine")
    found = find_neighbors(make_search(data, X, metric, k + 1), search_rows(X, data, metric), k, run)
    if metric != "euclidean":
        return found
    return Neighbors(found.indices, data.in_units(found.distances).astype(np.float32))


def make_search(
    data: ScaledData, raw: Matrix, metric: Any, k: int = USUAL_K, kwds: Mapping[str, Any] | None = None
) -> Search:
    """Choose a search of k nearest rows by metric and size. ``kwds`` are parameters of the metric.

    ``raw`` are the data as given, for metrics that need their units.
    """
    if metric == "euclidean":
        return _euclidean_search(data.matrix, k)
    if metric == "cosine":
        return CosineSearch(_euclidean_search(data.matrix, k))
    if metric == "hellinger":
        return HellingerSearch(_euclidean_search(root_rows(raw), k))
    return MetricSearch(raw.copy(), metric, dict(kwds or {}))


def _euclidean_search(matrix: Matrix, k: int) -> ExactSearch | LargeSearch:
    return ExactSearch(matrix) if matrix.shape[0] <= EXACT_BELOW else LargeSearch(matrix, k)


def search_rows(X: Matrix, data: ScaledData, metric: Any) -> Matrix:
    """The rows as the search wants them: scaled, or as given where a metric needs the data's own units."""
    return data.matrix if metric in ("euclidean", "cosine") else X


def large_search(search: Search) -> LargeSearch | None:
    """Return the `LargeSearch` inside a search, or None if it has none."""
    inner = search.euclidean if isinstance(search, OverEuclidean) else search
    return inner if isinstance(inner, LargeSearch) else None
