"""What is typical of each group, and of all rows that are not in it: the value that stands beside a row's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..values import BoolArray, DoubleArray, WholeArray
from .evidence import REST
from .labels import Labels

# A median that more than half of the values are equal to says less than the mean.
MOSTLY_ONE = 0.5
LARGE = 0.05  # all rows without a smaller group have much the same typical values as all rows


@dataclass(frozen=True, eq=False)
class Typical:
    """A typical value of each feature for each group, and for all rows outside of it, with their ranks."""

    inside: Annotated[DoubleArray, "(groups, p)"]
    outside: Annotated[DoubleArray, "(groups, p)"]
    rank_inside: Annotated[DoubleArray, "(groups, p)"]
    rank_outside: Annotated[DoubleArray, "(groups, p)"]

    @classmethod
    def of(cls, values: DoubleArray, is_category: BoolArray, are_counts: bool, labels: Labels) -> Typical:
        columns = [
            _of_column(values[:, column], bool(is_category[column]), are_counts, labels)
            for column in range(values.shape[1])
        ]
        return cls(*(np.stack(part, axis=1) for part in zip(*columns, strict=True)))

    def of_other(self, own: WholeArray, other: WholeArray) -> tuple[DoubleArray, DoubleArray]:
        """Typical values and their ranks of the groups ``other``, or of all rows outside of ``own``: (rows, p)."""
        is_rest = (other == REST)[:, None]
        values = np.where(is_rest, self.outside[own], self.inside[other])
        return values, np.where(is_rest, self.rank_outside[own], self.rank_inside[other])


def _of_column(
    values: DoubleArray, is_category: bool, are_counts: bool, labels: Labels
) -> tuple[DoubleArray, DoubleArray, DoubleArray, DoubleArray]:
    known = np.isfinite(values)
    order = np.argsort(values[known], kind="stable")
    found, group = values[known][order], labels.codes[known][order]
    everywhere = typical_value(found, is_category, are_counts)
    n_groups, n_labelled = len(labels.names), max(int(labels.sizes.sum()), 1)
    inside, outside = np.full(n_groups, np.nan), np.full(n_groups, everywhere)
    for number, size in labels.counted:
        is_inside = group == number
        inside[number] = typical_value(found[is_inside], is_category, are_counts)
        if size > LARGE * n_labelled:
            outside[number] = typical_value(found[~is_inside & (group >= 0)], is_category, are_counts)
    return inside, outside, rank_among(found, inside), rank_among(found, outside)


def typical_value(found: DoubleArray, is_category: bool, are_counts: bool) -> float:
    """The commonest level; of counts the mean; of other numbers the median, unless most of them are equal."""
    if len(found) == 0:
        return np.nan
    if is_category:
        return float(np.bincount(found.astype(np.int64)).argmax())
    if are_counts:
        return float(found.mean())
    median = float(np.median(found))
    return float(found.mean()) if (found == median).mean() > MOSTLY_ONE else median


def rank_among(ordered: DoubleArray, values: DoubleArray) -> DoubleArray:
    """The middle rank, between 0 and 1, that each value would have among ordered ones."""
    below, at_most = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return (below + at_most) / (2 * max(len(ordered), 1))
