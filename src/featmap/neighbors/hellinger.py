"""Search by Hellinger's distance between rows of counts or shares, as a Euclidean search among their square roots."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..data.sizing import rows_scaled_at_once, unit_rows, with_values
from ..data.sparse import Matrix, canonical, dense_rows
from ..errors import InvalidDataError
from ..run import SERIAL, Run
from ..values import SearchReport
from .search import Found, Search


@dataclass(frozen=True)
class HellingerSearch:
    """H(x, y) = √(1 − Σ√(x y)/√(Σx Σy)) is |u − v|/√2, with u and v the roots of the rows, divided by their lengths.

    ``euclidean`` searches among the rows of `root_rows`.
    """

    euclidean: Search

    @property
    def report(self) -> SearchReport | None:
        return self.euclidean.report

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        indices, distances = self.euclidean.nearest(root_rows(queries, run), k, run)
        return indices, distances / math.sqrt(2)


def hellinger_distances(queries: Matrix, rows: Matrix) -> np.ndarray:
    """H of all pairs."""
    from scipy.spatial.distance import cdist

    dense = (dense_rows(root_rows(part), slice(None)) for part in (queries, rows))
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
