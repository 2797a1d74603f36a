"""Checks of what the metrics are given. Errors have the form of the call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks.arguments import checked_count, is_integer
from ..checks.inputs import check_table
from ..checks.parameters import RULES, check_each
from ..checks.rows import grouped
from ..data.sparse import Matrix
from ..docstrings import shared_parameters
from ..errors import InvalidDataError, InvalidParameterError
from ..values import DoubleArray, IntArray

N_SAMPLE = 2000  # rows that are ranked, and of which all pairs are compared

documented = shared_parameters(
    """
X : array-like or sparse matrix of shape (n_samples, n_features)
    The data.
Y : array-like of shape (n_samples, n_components)
    The map: the embedding of each row of `X`.
random_state : int, default=0
    The seed of the random rows.
n_jobs : int or None, default=-1
    The number of threads; -1 for all cores, None for one. The result never depends on it.
"""
)


def checked_data(caller: str, X: Any) -> Matrix:
    """The data, dense or CSR, with finite numbers only."""
    return check_table(X, caller, "X", accept_sparse="csr")


def checked_embedding(caller: str, Y: Any, n_rows: int | None = None) -> DoubleArray:
    """The embedding in float64, with one row for every row of the data."""
    embedding = check_table(Y, caller, "Y").astype(np.float64, copy=False)
    if n_rows is not None and len(embedding) != n_rows:
        raise InvalidDataError(
            f"{caller}(Y): Y must have one row for each of the {n_rows} rows of X; got {len(embedding)}"
        )
    return embedding


def checked_pair(caller: str, X: Any, Y: Any) -> tuple[Matrix, DoubleArray]:
    """The data and an embedding of them."""
    data = checked_data(caller, X)
    return data, checked_embedding(caller, Y, data.shape[0])


def checked_labels(caller: str, labels: Any, n_rows: int) -> IntArray:
    """The group of each row. Groups are numbered in the order of their labels."""
    return grouped(caller, labels, n_rows).codes


def check_jobs(caller: str, n_jobs: Any) -> None:
    """Check the number of threads by the rule of `FeatMAP`."""
    check_each(caller, {"n_jobs": n_jobs}, RULES)


def rank_neighbors(caller: str, n_neighbors: Any, n_rows: int) -> int:
    """The k of trustworthiness and continuity, which may be negative unless k is below half the number of rows."""
    return checked_count(caller, "n_neighbors", n_neighbors, 1, (n_rows - 1) // 2)


def sample_rows(caller: str, n_sample: Any, n_rows: int, seed: int) -> IntArray:
    """``n_sample`` random rows, sorted; all rows if it is None or not below their number."""
    if n_sample is None:
        return np.arange(n_rows, dtype=np.int32)
    if not is_integer(n_sample, 2):
        raise InvalidParameterError(
            f"{caller}(n_sample={n_sample!r}): n_sample must be an integer of at least 2, or None for all rows"
        )
    size = min(int(n_sample), n_rows)
    return np.sort(np.random.default_rng(seed).choice(n_rows, size, replace=False)).astype(np.int32)
