"""What the features around a point tell of each other, along the leading directions of the rows there.

The directions are those of some rows. On other rows one half of the features tells where a row lies along them, and
so what the other half should be. All of it follows from products of rows, which leave sparse rows sparse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..data.sizing import with_values
from ..data.sparse import Matrix, up_to_translation
from ..kernels.products import add_products_of_rows
from ..values import DoubleArray, IntArray

FEWEST_FEATURES = 8  # that can be halved; with fewer, variances are compared instead
RIDGE = 0.01
ABSENT = 1e-12  # directions with a smaller part of the largest variance are not there
ROUNDING_OF_PRODUCTS = 1e-14  # relative to what is subtracted from them


@dataclass(frozen=True)
class CenteredRows:
    """Rows minus their weighted mean, times the roots of their weights, √w (x − μ), for products with them.

    The mean of sparse rows is subtracted from the products.
    """

    rows: Matrix  # (r, n) √w x of CSR rows, √w (x − μ) of dense ones
    roots: DoubleArray  # (r,) √w
    mean: DoubleArray  # (n,) what is still to be subtracted: μ, or 0

    @classmethod
    def of(cls, rows: Matrix, weights: DoubleArray) -> CenteredRows:
        """Scaled rows with their weights, which sum to 1."""
        roots, values = np.sqrt(weights), up_to_translation(rows)
        if not sp.issparse(values):
            values = values.astype(np.float64)
            values -= weights @ values
            return cls(values * roots[:, None], roots, np.zeros(values.shape[1]))
        weighted = with_values(values, values.data * np.repeat(roots, np.diff(values.indptr)))
        return cls(weighted, roots, weighted.T @ roots)

    def __len__(self) -> int:
        return len(self.roots)

    def products(self) -> DoubleArray:
        """Inner products of all pairs of rows: (r, r)."""
        if not sp.issparse(self.rows):
            return self.rows @ self.rows.T
        columns, found = self.rows.tocsc(), np.zeros((len(self), len(self)))
        add_products_of_rows(columns.indptr, columns.indices, columns.data, found)
        with_mean = np.outer(self.roots, self.rows @ self.mean - self.mean @ self.mean / 2 * self.roots)
        return found + np.tril(found, -1).T - with_mean - with_mean.T

    @property
    def rounding(self) -> float:
        """What products of rows that are all equal may differ from 0."""
        return ROUNDING_OF_PRODUCTS * float(self.mean @ self.mean)

    def times(self, directions: DoubleArray) -> DoubleArray:
        """Rows along directions (n, q): (r, q)."""
        return self.rows @ directions - np.outer(self.roots, self.mean @ directions)

    def combined(self, coefficients: DoubleArray) -> DoubleArray:
        """Sums of rows with these coefficients (r, q): (n, q)."""
        return self.rows.T @ coefficients - np.outer(self.mean, self.roots @ coefficients)


def told_by_features(
    fitted: CenteredRows, scored: CenteredRows, spreads: DoubleArray, is_first: np.ndarray, numbers: list[int]
) -> DoubleArray:
    """R²_q for several numbers of directions q, as far as there are rows and features for them: (numbers,).

    ``spreads`` are Σ w Δx² of the scored rows, and ``is_first`` is a half of the features: (n,) each.
    """
    n_features = len(spreads)
    if min(len(fitted), len(scored)) < 2:
        return np.zeros(len(numbers))
    limit = (n_features - 1) // 2 if n_features >= FEWEST_FEATURES else n_features
    most = max(min(len(fitted) // 3, limit), 1)
    directions = leading_directions(fitted, min(most, max(numbers)))
    tried = np.minimum(numbers, directions.shape[1])
    if n_features < FEWEST_FEATURES:
        return _told_of_variance(scored, spreads, directions)[tried - 1]
    return told_of_others(scored, spreads, directions, is_first, tried)


def leading_directions(rows: CenteredRows, most: int) -> DoubleArray:
    """The right singular vectors of the largest singular values, from the products of rows: (n, at most ``most``)."""
    squares, vectors = np.linalg.eigh(rows.products())
    squares, vectors = squares[::-1][:most], vectors[:, ::-1][:, :most]
    present = squares > max(ABSENT * squares[0], rows.rounding)
    if not present.any():
        return np.zeros((len(rows.mean), 1))
    return rows.combined(vectors[:, present] / np.sqrt(squares[present]))


def _told_of_variance(rows: CenteredRows, spreads: DoubleArray, directions: DoubleArray) -> DoubleArray:
    """The share of variance along the first q directions, for each q: a few features cannot be halved."""
    total = spreads.sum()
    along = np.cumsum(np.square(rows.times(directions)).sum(axis=0))
    return along / total if total > 0 else np.zeros_like(along)


def told_of_others(
    rows: CenteredRows, spreads: DoubleArray, directions: DoubleArray, is_first: np.ndarray, numbers: IntArray
) -> DoubleArray:
    """R²_q for each number q: the squared cosine between what one half of the features tells of the other and that.

    The mean of both ways. With s the scores that the known half V_a gives along the directions, all sums over
    features follow from the products of rows and directions within each half, which are the same for every q.
    """
    in_halves = [directions * half[:, None] for half in (is_first, ~is_first)]
    along = np.split(rows.times(np.column_stack(in_halves)), 2, axis=1)
    grams = [part.T @ part for part in in_halves]
    sizes = [spreads[is_first].sum(), spreads[~is_first].sum()]
    both = [
        [_squared_cosine(along[a], grams[a], along[1 - a], grams[1 - a], sizes[1 - a], q) for q in numbers]
        for a in (0, 1)
    ]
    return np.mean(both, axis=0)


def _squared_cosine(
    known: DoubleArray, known_gram: DoubleArray, others: DoubleArray, others_gram: DoubleArray, size: float, q: int
) -> float:
    """cos²(V_b s, x_b) with s = (V_aᵀV_a + 0.01 tr/q)⁻¹ V_aᵀ x_a, for the first q directions."""
    gram = known_gram[:q, :q]
    ridge = RIDGE * np.trace(gram) / q
    if not ridge > 0 or not size > 0:
        return 0.0
    scores = np.linalg.solve(gram + ridge * np.eye(q), known[:, :q].T).T
    predicted = ((scores @ others_gram[:q, :q]) * scores).sum()
    return (scores * others[:, :q]).sum() ** 2 / (predicted * size) if predicted > 0 else 0.0
