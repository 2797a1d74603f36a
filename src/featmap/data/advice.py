"""Warnings of data that should be prepared: a few columns have nearly all variance, or distances are mostly noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import mean_variance_axis

from ..errors import warn

# Tables of several units have nearly all variance in one or two columns: breast cancer has 99.1 % in 2 of 30, wine
# 99.8 % in 1 of 13, penguins 99.96 % in 1 of 4. Iris has 68 % in 1 of 4, a mammoth 53 % in 1 of 3, and counts of
# genes have at most 57 % in 3 of 7,192.
DOMINATED = 0.98  # share of the variance
MOST_DOMINATING = 3  # columns, and at most a fifth of all
MOST_ROWS_FOR_SCALES, FEWEST_ROWS_FOR_SCALES = 1000, 50  # rows of the sample
MOST_VALUES = 2**21  # so that the sample of a wide table stays small

# Tables with fewer features or rows are not tested for noise; of larger ones at most 600 rows are.
FEWEST_NOISY, FEWEST_TESTED, MOST_SAMPLED = 100, 200, 600
ADVISED_PCA = 50  # components that users of scanpy have by default
COLUMNS_AT_ONCE = 4096
# How far the nearest row is, in units of the median distance. Noise of many features brings all distances near to
# each other: logarithms of genes and scaled genes of three sets of cells have 0.81 to 0.90, images at most 0.70
# (KMNIST), normal noise of 1,000 features 0.95. In 50 components genes have 0.29 to 0.47, but noise has 0.76: there
# components do not help either.
FROM_NOISE = 0.75
MOST_IN_COMPONENTS = 0.6


def warn_of_scales(X: Any, names: Sequence[str] | None) -> None:
    """Warn if nearly all of the variance of X is in very few of its features."""
    share = _shares(X[rows_for_scales(X.shape)])
    order = np.argsort(-share, kind="stable")
    n_needed = int(np.searchsorted(np.cumsum(share[order]), DOMINATED)) + 1
    n_varying = int(np.count_nonzero(share))  # scaling does not help constant features
    if n_varying < 2 or n_needed > max(1, min(MOST_DOMINATING, n_varying // 5)):
        return
    columns = order[:n_needed]
    dominating = ", ".join(f"column {column}" if names is None else repr(str(names[column])) for column in columns)
    warn(
        f"{share[columns].sum():.1%} of the variance of X is in {dominating}: importance and Euclidean distances "
        f"hardly see the other {n_varying - n_needed} features; if the columns have different units, scale them "
        "first (sklearn.preprocessing.StandardScaler)"
    )


def rows_for_scales(shape: tuple[int, int]) -> slice:
    """The sample of rows that `warn_of_scales` looks at. The sample of a sample is all of it."""
    n_rows = int(np.clip(MOST_VALUES // shape[1], FEWEST_ROWS_FOR_SCALES, MOST_ROWS_FOR_SCALES))
    return slice(None, None, -(-shape[0] // n_rows))


def _shares(sample: Any) -> np.ndarray:
    """The share of every column in the variance; 0 if no column varies."""
    if sp.issparse(sample):
        values = sample.astype(np.float64)
        variance = mean_variance_axis(values / (float(abs(values).max()) or 1.0), axis=0)[1]
    else:
        variance = _dense_variance(sample)
    total = variance.sum()
    return variance / total if total > 0 else np.zeros_like(variance)


def _dense_variance(sample: np.ndarray) -> np.ndarray:
    """The variance of every column, in units of the largest deviation, so that it stays within float64."""
    values = sample.astype(np.float64)
    values /= 4
    values -= values[len(values) // 2].copy()
    values /= np.abs(values).max() or 1.0
    return values.var(axis=0)


def warn_of_noise(X: Any) -> None:
    """Warn if distances in X are mostly noise, and those in its principal components are not."""
    if X.shape[1] < FEWEST_NOISY or X.shape[0] < FEWEST_TESTED:
        return
    in_features, in_components = nearness(X[rows_for_noise(X.shape[0])])
    if in_features > FROM_NOISE and in_components < MOST_IN_COMPONENTS:
        warn(
            f"distances between rows of X are mostly noise: a row's nearest is at {in_features:.2f} of the median "
            f"distance, but at {in_components:.2f} in {ADVISED_PCA} principal components; give pca={ADVISED_PCA}, "
            "and neighbours and the map are made of components, with all answers still about the features"
        )


def rows_for_noise(n_rows: int) -> slice:
    """The sample of rows that `warn_of_noise` looks at. The sample of a sample is all of it."""
    return slice(None, None, -(-n_rows // MOST_SAMPLED))


def nearness(sample: Any) -> tuple[float, float]:
    """The distance to the nearest row over the median distance: of the features, and of components.

    Components are those of every second row. Distances are those between the other rows, which had no part in them.
    """
    products = _products(sample)
    means = products.mean(axis=0)
    products = products - means - means[:, None] + means.mean()
    fitted, scored = slice(0, None, 2), slice(1, None, 2)
    sizes, vectors = np.linalg.eigh(products[fitted, fitted])
    sizes, vectors = sizes[-ADVISED_PCA:], vectors[:, -ADVISED_PCA:]
    scale = np.divide(1.0, np.sqrt(np.abs(sizes)), out=np.zeros_like(sizes), where=sizes > 1e-9 * sizes[-1])
    scores = products[scored, fitted] @ vectors * scale
    return _nearest_over_median(products[scored, scored]), _nearest_over_median(scores @ scores.T)


def _products(sample: Any) -> np.ndarray:
    """Inner products of the rows minus the first row, in unit size, a few columns at a time."""
    largest = float(abs(sample).max())
    products = np.zeros((sample.shape[0], sample.shape[0]))
    for start in range(0, sample.shape[1], COLUMNS_AT_ONCE):
        part = sample[:, start : start + COLUMNS_AT_ONCE]
        values = (part.toarray() if sp.issparse(part) else part) / (largest or 1.0)
        values = (values - values[0]).astype(np.float32)
        products += values @ values.T
    return products


def _nearest_over_median(products: np.ndarray) -> float:
    """The median distance to the nearest other row over the median distance; 0 if most rows are equal."""
    norms = np.diag(products)
    squares = np.maximum(norms + norms[:, None] - 2 * products, 0.0)
    others = squares[~np.eye(len(squares), dtype=bool)].reshape(len(squares), -1)
    median = np.median(others)
    return float(np.sqrt(np.median(others.min(axis=1)) / median)) if median > 0 else 0.0
