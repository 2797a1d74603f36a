"""How far features go together: rank correlations of numbers, and Cramér's V with and between categories."""

from __future__ import annotations

import numpy as np

from ..data.pca import fixed_sample
from ..values import BoolArray, DoubleArray, FloatArray

MOST_ROWS, ROWS_OF_MANY, MANY = 5000, 2000, 100
FEWEST_PAIRS = 10  # rows in which both features have a value
BINS = 5  # of a number beside a category


def associations(values: DoubleArray, ranks: FloatArray, is_category: BoolArray) -> DoubleArray:
    """From −1 to 1 for pairs of numbers, from 0 to 1 for pairs with a category: (p, p). Only known values count."""
    most = MOST_ROWS if values.shape[1] <= MANY else ROWS_OF_MANY
    rows = fixed_sample(len(values), most)
    found = rank_correlations(ranks[rows])
    if is_category.any():
        of_categories = cramers_v(values[rows], is_category)
        has_category = is_category[:, None] | is_category
        found = np.where(has_category, of_categories, found)
    np.fill_diagonal(found, 1.0)
    return found


def rank_correlations(given: FloatArray) -> DoubleArray:
    """Correlations of ranks, each pair over the rows in which both have a value: (p, p)."""
    is_known = np.isfinite(given)
    ranks = np.where(is_known, given.astype(np.float64) - 0.5, 0)
    known = is_known.astype(np.float64)
    n = known.T @ known
    sums, squares = ranks.T @ known, (ranks**2).T @ known
    size = np.maximum(n, 1)
    spread = np.maximum(squares - sums**2 / size, 0)
    products = ranks.T @ ranks - sums * sums.T / size
    scale = np.sqrt(spread * spread.T)
    is_enough = (n >= FEWEST_PAIRS) & (scale > 1e-12 * size)
    return np.clip(np.divide(products, scale, out=np.zeros_like(scale), where=is_enough), -1, 1)


def cramers_v(rows: DoubleArray, is_category: BoolArray) -> DoubleArray:
    """Cramér's V without its bias (Bergsma 2013), each pair over the rows in which both have a value: (p, p)."""
    indicators = [_indicators(rows[:, column], is_category[column]) for column in range(rows.shape[1])]
    starts = np.cumsum([0] + [one.shape[1] for one in indicators])
    joined = np.column_stack(indicators)
    counts = joined.T @ joined
    p = rows.shape[1]
    found = np.zeros((p, p))
    for a in range(p):
        for b in range(a):
            if is_category[a] or is_category[b]:
                block = counts[starts[a] : starts[a + 1], starts[b] : starts[b + 1]]
                found[a, b] = found[b, a] = _v_of(block.astype(np.float64))
    return found


def _indicators(values: DoubleArray, is_category: bool) -> np.ndarray:
    """A column of zeros and ones for each level, or for each fifth of a number."""
    known = values[np.isfinite(values)]
    if is_category:
        levels = np.unique(known)
        return (values[:, None] == levels).astype(np.float32)
    bounds = np.unique(np.quantile(known, np.linspace(0, 1, BINS + 1)[1:-1])) if len(known) else np.empty(0)
    codes = np.where(np.isfinite(values), np.searchsorted(bounds, values, "left"), -1)
    return (codes[:, None] == np.arange(len(bounds) + 1)).astype(np.float32)


def _v_of(counts: DoubleArray) -> float:
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    n = counts.sum()
    if n < FEWEST_PAIRS or min(counts.shape) < 2:
        return 0.0
    expected = counts.sum(axis=1)[:, None] * counts.sum(axis=0) / n
    phi = ((counts - expected) ** 2 / expected).sum() / n
    r, c = counts.shape
    phi = max(phi - (r - 1) * (c - 1) / (n - 1), 0.0)
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return float(np.sqrt(min(phi / least, 1.0))) if least > 0 else 0.0
