"""Principal components: directions of a sample of rows, coordinates along them, and features from components.

`principal_directions` and `project` are in float32, and fast: they only have to be the same each time. `Components`
are those of ``pca=q``, in float64: B is found or given, Z = XB, and neighbourhoods are made of Z.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd

from ..errors import InvalidDataError
from ..kernels.search import multiply_rows, project_rows
from ..run import Run
from ..values import DoubleArray, FloatArray
from .scaling import scale_data
from .sizing import rows_in_cache
from .sparse import Matrix, dense_rows, up_to_translation

# In brackets: how much of the variance that the best 10 or 50 directions hold is in those found, on MNIST and
# Fashion-MNIST, 60,000 rows each. Directions of the sample are judged by all rows, their computation by the sample.
SAMPLE_ROWS = 10_000  # (at least 0.998; of 2,000 rows 0.992)
OVERSAMPLING = 10  # directions beyond those asked for, as in scikit-learn (at least 0.9998; without them 0.996)
ITERATIONS = 6  # of the subspace (with 4 at least 0.9994, with 2 0.993)
SAMPLE_BYTES = 2**28  # limits the sample if rows have very many features
PROJECTED_AT_ONCE = 512  # few, since sparse rows are made dense; MNIST takes equally long with 64 to 8,192 rows


def principal_directions(matrix: Matrix, n_directions: int) -> FloatArray:
    """The leading right singular vectors of a fixed sample of rows, as columns (n, n_directions)."""
    n_rows, n_features = matrix.shape
    n_sampled = sample_size(n_rows, n_features)
    sample = dense_rows(matrix, fixed_sample(n_rows, n_sampled))
    n_directions = min(n_directions, n_features, n_sampled)
    _, _, directions = randomized_svd(sample, n_directions, n_iter=4, random_state=0)
    return np.ascontiguousarray(directions.T, dtype=np.float32)


def sample_size(n_rows: int, n_features: int) -> int:
    """The number of rows that principal directions are computed from."""
    return min(n_rows, SAMPLE_ROWS, max(SAMPLE_BYTES // (4 * n_features), 100))


def fixed_sample(n_rows: int, most: int) -> Any:
    """The same rows each time, in order; a slice of all of them if there are not more."""
    if n_rows <= most:
        return slice(None)
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False))


def with_fixed_signs(vectors: np.ndarray) -> np.ndarray:
    """The columns with their largest entry positive, since the signs of singular vectors are arbitrary."""
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0)
    return vectors * np.where(largest < 0, -1.0, 1.0)


def project(matrix: Matrix, directions: FloatArray, run: Run) -> FloatArray:
    """Coordinates of all rows along the directions."""
    directions = np.ascontiguousarray(directions)  # the kernel is compiled for one order

    def body(start: int, stop: int) -> tuple[FloatArray]:
        coordinates = np.empty((stop - start, directions.shape[1]), np.float32)
        project_rows(dense_rows(matrix, slice(start, stop)), directions, 0, stop - start, coordinates)
        return (coordinates,)

    return run.by_blocks(matrix.shape[0], body, PROJECTED_AT_ONCE)[0]


@dataclass(frozen=True)
class Components:
    """The principal directions that the neighbourhoods of a model are made of."""

    directions: Annotated[DoubleArray, "(n, q)"]  # B, orthonormal columns

    @property
    def n_features(self) -> int:
        return len(self.directions)

    @property
    def n_components(self) -> int:
        return self.directions.shape[1]

    @cached_property
    def has_loadings(self) -> np.ndarray:
        """Which features have a part in the directions: those whose row of B is not 0, (n,)."""
        return np.asarray(self.directions.any(axis=1))

    @classmethod
    def find(cls, X: Matrix, pca: int | DoubleArray) -> Components:
        """The leading principal directions of a fixed sample of rows, so many of them, or those that are given."""
        if isinstance(pca, np.ndarray):
            return cls(pca)
        return cls.of_sample(X[rows_for_components(X.shape, sp.issparse(X))], pca)

    @classmethod
    def of_sample(cls, rows: Matrix, n_components: int) -> Components:
        """The leading principal directions of these rows. Features that are constant there have none.

        Sparse rows stay sparse: their mean is subtracted from products only.
        """
        sample = _Centered.of(rows)
        n_sampled, n_features = rows.shape
        width = min(n_components + OVERSAMPLING, n_sampled, n_features)
        basis = np.random.default_rng(0).standard_normal((n_features, width))
        for _ in range(ITERATIONS):
            basis = _orthonormal(sample.transposed_times(_orthonormal(sample.times(basis))))
        scores = sample.times(basis).astype(np.float64)
        _, vectors = np.linalg.eigh(scores.T @ scores)
        directions = with_fixed_signs(basis @ vectors[:, ::-1][:, :n_components])
        directions[~sample.varies] = 0
        return cls(np.ascontiguousarray(directions))

    def of(self, X: Matrix, run: Run) -> DoubleArray:
        """Z = XB, every row alone, so that it does not depend on the other rows."""

        def body(start: int, stop: int) -> tuple[DoubleArray]:
            rows = X[start:stop].toarray() if sp.issparse(X) else X[start:stop]
            components = _product(rows, self.directions)
            if not np.isfinite(components).all():
                raise InvalidDataError(
                    "FeatMAP(pca=…): principal components of X are beyond float64; divide X by a power of ten"
                )
            return (components,)

        return run.by_blocks(X.shape[0], body, self.rows_per_block())[0]

    def rows_per_block(self, rows_each: int = 1) -> int:
        """The number of points in a block that stays in cache if each point needs ``rows_each`` rows of features."""
        return rows_in_cache(8 * self.n_features * rows_each)

    @cached_property
    def _transposed(self) -> DoubleArray:
        return np.ascontiguousarray(self.directions.T)

    def in_features(self, along: np.ndarray) -> FloatArray:
        """Vectors of components, (…, q), as vectors of features: B times each of them, (…, n)."""
        flat = _product(along.reshape(-1, along.shape[-1]), self._transposed)
        return flat.reshape(*along.shape[:-1], self.n_features).astype(np.float32)


def rows_for_components(shape: tuple[int, int], is_sparse: bool) -> Any:
    """The rows that directions are found from: at most 10,000, fewer if they are dense and very wide."""
    return fixed_sample(shape[0], SAMPLE_ROWS if is_sparse else sample_size(*shape))


def _product(rows: np.ndarray, matrix: DoubleArray) -> DoubleArray:
    product = np.empty((len(rows), matrix.shape[1]))
    multiply_rows(np.ascontiguousarray(rows, np.float64), matrix, product)
    return product


@dataclass(frozen=True)
class _Centered:
    """Rows minus their mean, for products. The mean is subtracted from products, so that sparse rows stay sparse."""

    rows: Matrix
    mean: FloatArray

    @classmethod
    def of(cls, X: Matrix) -> _Centered:
        rows = up_to_translation(scale_data(X).matrix)
        return cls(rows, np.asarray(rows.mean(axis=0, dtype=np.float64)).ravel().astype(np.float32))

    @property
    def varies(self) -> np.ndarray:
        """Which features are not constant. Constant ones are exactly 0, since scaling subtracts a value they have."""
        largest = abs(self.rows).max(axis=0)
        return (largest.toarray().ravel() if sp.issparse(largest) else largest) > 0

    def times(self, basis: np.ndarray) -> FloatArray:
        basis = basis.astype(np.float32)
        return self.rows @ basis - self.mean @ basis

    def transposed_times(self, basis: np.ndarray) -> FloatArray:
        basis = basis.astype(np.float32)
        return self.rows.T @ basis - np.outer(self.mean, basis.sum(axis=0))


def _orthonormal(matrix: np.ndarray) -> DoubleArray:
    return np.linalg.qr(matrix.astype(np.float64))[0]
