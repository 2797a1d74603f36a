"""What is typical of each group, and of all rows that are not in it: the value that stands beside a row's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..values import DoubleArray, WholeArray
from .evidence import REST
from .features import Features
from .labels import Labels
from .ranks import rank_among

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
    def of(cls, features: Features, labels: Labels) -> Typical:
        if features.are_counts:
            inside, outside = means(features.values, labels)
        else:
            columns = [_of_column(features, column, labels) for column in range(len(features.names))]
            inside, outside = (np.stack(part, axis=1) for part in zip(*columns, strict=True))
        ranks = (_ranks(features, part) for part in (inside, outside))
        return cls(inside, outside, *ranks)

    def of_other(self, own: WholeArray, other: WholeArray) -> tuple[DoubleArray, DoubleArray]:
        """Typical values and their ranks of the groups ``other``, or of all rows outside of ``own``: (rows, p)."""
        is_rest = (other == REST)[:, None]
        values = np.where(is_rest, self.outside[own], self.inside[other])
        return values, np.where(is_rest, self.rank_outside[own], self.rank_inside[other])


def means(values: DoubleArray, labels: Labels) -> tuple[DoubleArray, DoubleArray]:
    """The means of each group, and of all rows outside of it that have a label. There are no gaps among counts."""
    is_member = labels.codes == np.arange(len(labels.names))[:, None]
    sums, sizes = is_member.astype(np.float64) @ values, labels.sizes[:, None]
    total, n = sums.sum(axis=0), int(sizes.sum())
    return sums / np.maximum(sizes, 1), (total - sums) / np.maximum(n - sizes, 1)


def _of_column(features: Features, column: int, labels: Labels) -> tuple[DoubleArray, DoubleArray]:
    values, is_category = features.values[:, column], bool(features.is_category[column])
    known = np.isfinite(values)
    found, group = values[known], labels.codes[known]
    n_groups, n_labelled = len(labels.names), max(int(labels.sizes.sum()), 1)
    inside, outside = np.full(n_groups, np.nan), np.full(n_groups, typical_value(found, is_category, False))
    for number, size in labels.counted:
        is_inside = group == number
        inside[number] = typical_value(found[is_inside], is_category, False)
        if size > LARGE * n_labelled:
            outside[number] = typical_value(found[~is_inside & (group >= 0)], is_category, False)
    return inside, outside


def _ranks(features: Features, typical: DoubleArray) -> DoubleArray:
    columns = [rank_among(ordered, typical[:, column]) for column, ordered in enumerate(features.ordered)]
    return np.stack(columns, axis=1)


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
