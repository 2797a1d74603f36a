"""X → Neighbors: exact for small data, by coarse lists and exact ranking for large, or as the user gives them.

Matrix products and lists only propose candidates. Which of them are nearest is decided by distances that our own
kernel sums in float64, ties by index. So the answer does not depend on the threads of a library, and the neighbours
of a row do not depend on the batch that it is asked with.
"""

from __future__ import annotations

from typing import Any

from ..data.scaling import ScaledData
from ..data.sparse import Matrix
from ..run import Run
from ..values import Neighbors
from .exact import ExactSearch
from .lists import ListSearch
from .other import CosineSearch, MetricSearch
from .search import Search, without_self

EXACT_BELOW = 10_000  # rows; above, all pairs cost more than building lists


def find_neighbors(search: Search, rows: Matrix, k: int, run: Run) -> Neighbors:
    """The k nearest others of every training row."""
    indices, distances = search.nearest(rows, k + 1, run)
    return without_self(indices, distances, k)


def make_search(data: ScaledData, raw: Matrix, metric: Any) -> Search:
    """Choose a search by metric and size. ``raw`` are the data as given, for metrics that need their units."""
    if metric not in ("euclidean", "cosine"):
        return MetricSearch(raw.copy(), metric)
    small = data.shape[0] <= EXACT_BELOW
    euclidean: Search = ExactSearch(data.matrix) if small else ListSearch(data.matrix)
    return euclidean if metric == "euclidean" else CosineSearch(euclidean)


def search_rows(X: Matrix, data: ScaledData, metric: Any) -> Matrix:
    """The rows as the search wants them: scaled, or as given where a metric needs the data's own units."""
    return data.matrix if metric in ("euclidean", "cosine") else X
