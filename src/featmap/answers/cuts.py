"""The conditions that a rule may have: thresholds as they are printed, and levels of categories."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from ..values import BoolArray, DoubleArray, WholeArray
from .features import Features
from .numbers import as_printed

MOST_CUTS = 25
ABOVE, AT_MOST, IS = ">", "≤", "is"


class Cut(NamedTuple):
    """One condition: the place of its feature among those of a rule, what is asked, and which threshold or level."""

    feature: int
    asks: str
    number: int


@dataclass(frozen=True, eq=False)
class Cuts:
    """Some features in steps between thresholds. A value has code k if k thresholds are below it; gaps have −1."""

    features: WholeArray  # (f,) the numbers of the features
    thresholds: tuple[DoubleArray, ...]  # of each feature; none of categories
    is_category: BoolArray  # (f,)
    codes: Annotated[WholeArray, "(m, f)"]
    is_alike: BoolArray  # (f, f) pairs that one rule may not have both

    @classmethod
    def of(cls, features: Features, chosen: WholeArray) -> Cuts:
        thresholds = tuple(_thresholds(features, int(feature)) for feature in chosen)
        is_category = features.is_category[chosen]
        codes = coded(features.values[:, chosen], thresholds, is_category)
        is_alike = features.is_alike[np.ix_(chosen, chosen)]
        return cls(chosen, thresholds, is_category, codes, is_alike)

    @cached_property
    def n_codes(self) -> WholeArray:
        """How many codes each feature has: (f,)."""
        counts = [
            int(self.codes[:, place].max(initial=0)) + 1 if is_category else len(self.thresholds[place]) + 1
            for place, is_category in enumerate(self.is_category)
        ]
        return np.array(counts, np.int32)

    @cached_property
    def width(self) -> int:
        """The room of a feature in a table of all: its codes, and one place for gaps."""
        return int(self.n_codes.max(initial=1)) + 1

    @cached_property
    def cells(self) -> WholeArray:
        """The place of each value in a table of all features, gaps first: (m, f)."""
        return (self.codes + 1 + np.arange(len(self.features)) * self.width).astype(np.int32)

    def meets(self, cuts: tuple[Cut, ...], rows: WholeArray | slice = slice(None)) -> BoolArray:
        """Which rows meet all of some conditions."""
        codes = self.codes[rows]
        found = np.ones(len(codes), bool)
        for cut in cuts:
            found &= _meets(codes[:, cut.feature], cut)
        return found


def _meets(codes: WholeArray, cut: Cut) -> BoolArray:
    if cut.asks == ABOVE:
        return codes > cut.number
    return (codes == cut.number) if cut.asks == IS else (codes <= cut.number) & (codes >= 0)


def _thresholds(features: Features, feature: int) -> DoubleArray:
    """Between neighbouring values if there are few, else at quantiles; rounded as they are printed."""
    if features.is_category[feature]:
        return np.empty(0)
    ordered = features.ordered[feature]
    distinct = np.unique(ordered)
    if len(distinct) < 2:
        return np.empty(0)
    if len(distinct) <= MOST_CUTS + 1:
        between = (distinct[:-1] + distinct[1:]) / 2
    else:
        between = np.quantile(ordered, np.linspace(0, 1, MOST_CUTS + 2)[1:-1])
    return np.unique(as_printed(between, float(features.spread[feature])))


def coded(values: DoubleArray, thresholds: tuple[DoubleArray, ...], is_category: BoolArray) -> WholeArray:
    """How many thresholds are below each value, or the number of its level; −1 for gaps: (rows, f)."""
    codes = np.full(values.shape, -1, np.int32)
    for place, of_feature in enumerate(thresholds):
        known = np.isfinite(values[:, place])
        found = values[known, place]
        codes[known, place] = found if is_category[place] else np.searchsorted(of_feature, found, "left")
    return codes
