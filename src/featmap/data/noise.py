"""A warning for data whose distances are mostly noise, where principal components would be better."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import warn

FEWEST_FEATURES, FEWEST_TESTED, MOST_SAMPLED = 100, 200, 600  # of fewer features or rows none are tested
N_COMPONENTS = 50
COLUMNS_AT_ONCE = 4096
# How far the nearest row is, in units of the median distance. Noise of many features brings all distances near to
# each other: logarithms of genes and scaled genes of three sets of cells have 0.81 to 0.90, images at most 0.70
# (KMNIST), normal noise of 1,000 features 0.95. In 50 components genes have 0.29 to 0.47, but noise has 0.76: there
# components do not help either.
FROM_NOISE = 0.75
MOST_IN_COMPONENTS = 0.6


def warn_of_noise(X: Any) -> None:
    """Warn if distances in X are mostly noise, and those in its principal components are not."""
    if X.shape[1] < FEWEST_FEATURES or X.shape[0] < FEWEST_TESTED:
        return
    in_features, in_components = nearness(X[rows_for_noise(X.shape[0])])
    if in_features > FROM_NOISE and in_components < MOST_IN_COMPONENTS:
        warn(
            f"distances between rows of X are mostly noise: a row's nearest is at {in_features:.2f} of the median "
            f"distance, but at {in_components:.2f} in {N_COMPONENTS} principal components; give pca={N_COMPONENTS}, "
            "and neighbours and the map are made of components, with all answers still about the features"
        )


def rows_for_noise(n_rows: int) -> slice:
    """The sample of rows that `warn_of_noise` looks at. Of a table that is such a sample it takes all rows."""
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
    sizes, vectors = sizes[-N_COMPONENTS:], vectors[:, -N_COMPONENTS:]
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
