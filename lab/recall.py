"""How many of the true neighbours a method found: of a sample of rows, whose true neighbours brute force finds.

Nothing of featMAP is used here, so that the figures can stand beside what it reports of itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

N_SAMPLE = 300
SEED = 7  # of the rows that are drawn, which are others than those that featMAP measures its recall on
BLOCK = 20_000  # rows whose distances to the sample are held at a time
TOLERANCE = 1e-6  # of a squared distance: methods keep the data in float32

Rows = Callable[[Any], Any]  # numbers of rows, or a slice of them, to these rows in float64


def recall(X: Any, found: np.ndarray, metric: str = "euclidean", n_sample: int = N_SAMPLE) -> float:
    """The share of the k found neighbours that are true ones, over random rows.

    ``found`` (m, k) are rows of X, -1 where one is missing. A true neighbour is another row that is as near as the
    k-th nearest: where several are, any of them counts. The metric is euclidean or cosine.
    """
    n_rows = len(found)
    sample = np.sort(np.random.default_rng(SEED).choice(n_rows, min(n_sample, n_rows), replace=False))
    rows = unit_rows(X) if metric == "cosine" else centered_rows(X, sample)
    of_found, of_nearest = distances_to_found_and_nearest(rows, n_rows, sample, found[sample])
    return float((of_found <= of_nearest.max(axis=1, keepdims=True) * (1 + TOLERANCE)).mean())


def distances_to_found_and_nearest(
    rows: Rows, n_rows: int, sample: np.ndarray, found: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Squared, both (sample, k); those of missing ones are infinite, and so is the distance of a row to itself."""
    queries, k = rows(sample), found.shape[1]
    of_found, of_nearest = np.full(found.shape, np.inf), np.full(found.shape, np.inf)
    for start in range(0, n_rows, BLOCK):
        distances = squared_distances(queries, rows(slice(start, start + BLOCK)))
        itself = is_in_block(sample, start)
        distances[itself, sample[itself] - start] = np.inf
        of_nearest = np.partition(np.hstack([of_nearest, distances]), k - 1, axis=1)[:, :k]
        here = is_in_block(found, start)
        of_found[here] = distances[np.nonzero(here)[0], found[here] - start]
    return of_found, of_nearest


def is_in_block(rows: np.ndarray, start: int) -> np.ndarray:
    return (rows >= start) & (rows < start + BLOCK)


def centered_rows(X: Any, sample: np.ndarray) -> Rows:
    """Dense rows less the mean of the sample, so that squared distances from products keep their digits."""
    if sp.issparse(X):
        return lambda rows: X[rows].astype(np.float64)
    center = X[sample].mean(axis=0, dtype=np.float64)
    return lambda rows: X[rows] - center


def unit_rows(X: Any) -> Rows:
    """Rows of length 1: the nearest of these in the plain sense are the nearest by cosine."""

    def scaled(rows: Any) -> Any:
        some = X[rows].astype(np.float64)
        factors = 1 / np.sqrt(squared_norms(some))
        return sp.diags_array(factors) @ some if sp.issparse(some) else factors[:, None] * some

    return scaled


def squared_distances(A: Any, B: Any) -> np.ndarray:
    products = A @ B.T
    products = products.toarray() if sp.issparse(products) else products
    return squared_norms(A)[:, None] + squared_norms(B) - 2 * products


def squared_norms(A: Any) -> np.ndarray:
    return np.asarray(A.multiply(A).sum(axis=1)).ravel() if sp.issparse(A) else np.einsum("mn,mn->m", A, A)
