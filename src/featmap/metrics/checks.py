"""What the metrics may be given; a wrong argument is answered in the form of the call."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..checks.inputs import check_table
from ..checks.parameters import RULES, check_each
from ..data.sparse import Matrix
from ..errors import InvalidDataError, InvalidDataTypeError, InvalidParameterError
from ..values import DoubleArray, IntArray


def checked_data(caller: str, X: Any) -> Matrix:
    """The data as they are, dense or CSR, once their numbers are known to be finite."""
    return check_table(X, caller, "X", accept_sparse="csr")


def checked_map(caller: str, Y: Any, n_rows: int | None = None) -> DoubleArray:
    """The map in float64, with a place for every row of the data."""
    embedding = check_table(Y, caller, "Y").astype(np.float64, copy=False)
    if n_rows is not None and len(embedding) != n_rows:
        raise InvalidDataError(
            f"{caller}: Y must have one row for each of the {n_rows} rows of X; got {len(embedding)}"
        )
    return embedding


def checked_pair(caller: str, X: Any, Y: Any) -> tuple[Matrix, DoubleArray]:
    """Data and a map of them."""
    data = checked_data(caller, X)
    return data, checked_map(caller, Y, data.shape[0])


def checked_labels(caller: str, labels: Any, n_rows: int) -> IntArray:
    """The groups numbered in the order of their labels."""
    with _told_apart(caller):
        names = np.asarray(labels)
        has_gaps = np.ma.is_masked(labels) or any(name is None or name != name for name in names.ravel().tolist())
    if names.shape != (n_rows,):
        raise InvalidDataError(f"{caller}: labels must have one label per row, {n_rows}; got shape {names.shape}")
    if has_gaps:
        raise InvalidDataError(f"{caller}: labels contains missing values; leave those rows out, or name them")
    with _told_apart(caller):
        return np.unique(names, return_inverse=True)[1].astype(np.int32)


@contextmanager
def _told_apart(caller: str) -> Iterator[None]:
    """Say what to do of labels that numpy cannot compare."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise InvalidDataTypeError(
            f"{caller}: labels cannot be told apart ({error}); give every row one label, all numbers or all texts"
        ) from error


def check_jobs(caller: str, n_jobs: Any) -> None:
    """The number of threads, by the rule of `FeatMAP`."""
    check_each(caller, {"n_jobs": n_jobs}, RULES)


def checked_count(caller: str, name: str, value: Any, least: int, most: int) -> int:
    """An integer within bounds that the number of rows sets."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or not least <= int(value) <= most:
        raise InvalidParameterError(f"{caller}({name}={value!r}): must be an integer from {least} to {most}")
    return int(value)


def rank_neighbors(caller: str, n_neighbors: Any, n_rows: int) -> int:
    """k for trustworthiness and continuity, which are only bounded by 0 while k is below half the rows."""
    return checked_count(caller, "n_neighbors", n_neighbors, 1, (n_rows - 1) // 2)


def sample_rows(caller: str, n_sample: Any, n_rows: int, seed: int) -> IntArray:
    """``n_sample`` rows drawn from the seed, in their order; all of them for None, or where there are no more."""
    if n_sample is None:
        return np.arange(n_rows, dtype=np.int32)
    if not isinstance(n_sample, numbers.Integral) or isinstance(n_sample, bool) or n_sample < 2:
        raise InvalidParameterError(
            f"{caller}(n_sample={n_sample!r}): must be an integer of at least 2, or None for all"
        )
    size = min(int(n_sample), n_rows)
    return np.sort(np.random.default_rng(seed).choice(n_rows, size, replace=False)).astype(np.int32)
