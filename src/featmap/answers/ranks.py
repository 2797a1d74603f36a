"""Ranks between 0 and 1: they are compared where units and far values should not count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..values import DoubleArray, FloatArray


def in_order(values: DoubleArray) -> tuple[DoubleArray, ...]:
    """The known values of each column in their order."""
    return tuple(np.sort(column[np.isfinite(column)]) for column in values.T)


def middle_ranks(values: DoubleArray, ordered: Sequence[DoubleArray]) -> FloatArray:
    """(rank − ½)/n of each value in its column, equal ones in the middle; NaN for gaps: (m, p)."""
    ranks = np.full(values.shape, np.nan, np.float32)
    for column, known in enumerate(ordered):
        is_known = np.isfinite(values[:, column])
        ranks[is_known, column] = rank_among(known, values[is_known, column])
    return ranks


def rank_among(ordered: DoubleArray, values: DoubleArray) -> DoubleArray:
    """The middle rank that each value has, or would have, among ordered ones."""
    below, at_most = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return (below + at_most) / (2 * max(len(ordered), 1))
