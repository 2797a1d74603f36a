"""A warning for tables whose columns have different units: features of small units would not count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import warn

# Tables of several units have nearly all variance in one or two columns: breast cancer has 99.1 % in 2 of 30, wine
# 99.8 % in 1 of 13, penguins 99.96 % in 1 of 4. Iris has 68 % in 1 of 4, a mammoth 53 % in 1 of 3, and counts of
# genes have at most 57 % in 3 of 7,192.
DOMINATED = 0.98  # share of the variance
MOST_DOMINATING = 3  # columns, and at most a fifth of all
MOST_ROWS, FEWEST_ROWS = 1000, 50
MOST_VALUES = 2**21  # so that the sample of a wide table stays small


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
    """The rows that the variance is taken of. All of these rows are taken again of a table of them alone."""
    n_rows = int(np.clip(MOST_VALUES // shape[1], FEWEST_ROWS, MOST_ROWS))
    return slice(None, None, -(-shape[0] // n_rows))


def _shares(sample: Any) -> np.ndarray:
    """The share of every column in the variance; 0 if no column varies."""
    variance = _sparse_variance(sample) if sp.issparse(sample) else _dense_variance(sample)
    total = variance.sum()
    return variance / total if total > 0 else np.zeros_like(variance)


def _dense_variance(sample: np.ndarray) -> np.ndarray:
    """The variance of every column, in units of the largest deviation, so that it stays within float64."""
    values = sample.astype(np.float64)
    values /= 4
    values -= values[len(values) // 2].copy()
    values /= np.abs(values).max() or 1.0
    return values.var(axis=0)


def _sparse_variance(sample: Any) -> np.ndarray:
    """The same, in units of the largest value."""
    values = sample.astype(np.float64)
    values = values / (float(abs(values).max()) or 1.0)
    mean = np.asarray(values.mean(axis=0)).ravel()
    return np.maximum(np.asarray(values.multiply(values).mean(axis=0)).ravel() - mean**2, 0)
