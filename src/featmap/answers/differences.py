"""Which features are named of a row: those that tell on which side it belongs, or in which it is unlike those around.

Everything is for a block of rows at once. A feature is named only if what is said of it is true as it is read: its
value must be nearer to the typical value of the group that it is said to be like.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.stats import t as student

from ..values import BoolArray, DoubleArray, FloatArray, WholeArray
from .evidence import REST
from .features import Features
from .place import Places
from .typical import Typical

MOST = 4  # features of a row
MOST_WITHOUT_LABEL = 2
BAR = 3.0  # the likelihood ratio from which on a feature is named
# The part of the rows in which any feature would be named by chance if values were normal. Counts have long tails.
RATE, RATE_OF_COUNTS = 0.1, 0.05
LEAST_AWAY = 0.5  # of the spread of all rows: smaller distances from the rows around do not matter to a reader
FLOOR = 0.05  # of the spread over all rows: the spread of the rows around counts as at least that
NEARLY_EQUAL = 0.05  # typical values that differ by a smaller part of the spread do not tell two groups
FEWEST_SEEN = 5  # rows in which a count was seen at all
FEWEST_KNOWN = 5  # rows around that have a value
SINGLE = 1.001  # a count is more than a single read if it is above the least of its row
OWN, AROUND, UNLIKE = 0, 1, 2
NONE = -1


@dataclass(frozen=True, eq=False)
class Told:
    """The features that are named of some rows, in the order in which they are said."""

    feature: Annotated[WholeArray, "(rows, 4)"]  # NONE where no further feature is named
    side: Annotated[WholeArray, "(rows, 4)"]  # OWN, AROUND, or UNLIKE the rows around it
    evidence: Annotated[FloatArray, "(rows, 4)"]

    @classmethod
    def nothing(cls, n_rows: int) -> Told:
        shape = (n_rows, MOST)
        return cls(np.full(shape, NONE, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.float32))

    def put(self, rows: WholeArray | BoolArray, told: Told) -> None:
        """Write what is told of some rows."""
        for mine, theirs in ((self.feature, told.feature), (self.side, told.side), (self.evidence, told.evidence)):
            mine[rows] = theirs


@dataclass(frozen=True, eq=False)
class Sources:
    """Some rows with their values, and of counts how often they were seen."""

    values: DoubleArray  # (rows, p)
    ranks: FloatArray  # (rows, p)
    least: DoubleArray | None = None  # (rows,) the smallest count of each row above 0
    seen: DoubleArray | None = None  # (groups, p) in how many rows of each group a count was seen

    @classmethod
    def of(
        cls, features: Features, rows: WholeArray, least: DoubleArray | None, seen: DoubleArray | None = None
    ) -> Sources:
        return cls(features.values[rows], features.ranks[rows], None if least is None else least[rows], seen)

    def is_believed(self, own: WholeArray, other: WholeArray) -> BoolArray:
        """Whether a count is none or more than a single read, and was seen in five rows of either group."""
        if self.seen is None:
            return np.ones(self.values.shape, bool)
        theirs = np.where((other == REST)[:, None], self.seen.sum(axis=0) - self.seen[own], self.seen[other])
        return self.is_more_than_one_read & (np.maximum(self.seen[own], theirs) >= FEWEST_SEEN)

    @property
    def is_more_than_one_read(self) -> BoolArray:
        if self.least is None:
            return np.ones(self.values.shape, bool)
        return (self.values == 0) | (self.values > SINGLE * self.least[:, None])


def bar(features: Features) -> float:
    """log 3; if noise cannot be told from other features, log 3 and the number of features."""
    return float(np.log(BAR if features.is_judged else BAR * max(int(features.may_differ.sum()), 1)))


def of_labelled_rows(
    features: Features,
    typical: Typical,
    sources: Sources,
    found: DoubleArray,
    own: WholeArray,
    other: WholeArray,
    is_odd: BoolArray,
) -> Told:
    """From the evidence ``found`` of some rows of the groups ``own`` against ``other``.

    Of an odd row the strongest feature for the rows around comes first, then the strongest for its own group, and so
    on. Of others all features speak for their own group, the strongest first.
    """
    for_own, for_around = true_sides(features, typical, sources, own, other)
    may = features.may_differ & np.isfinite(sources.values) & sources.is_believed(own, other)
    strength = {OWN: np.where(may & for_own, found, 0), AROUND: np.where(may & for_around, -found, 0)}
    told = Told.nothing(len(own))
    blocked = {side: np.zeros(found.shape, bool) for side in strength}
    for turn in range(MOST):
        for side, rows in ((AROUND, is_odd & (turn % 2 == 0)), (OWN, ~is_odd | (turn % 2 == 1))):
            here = np.where(rows[:, None], strength[side], 0)
            _name_strongest(told, turn, side, here, blocked[side], bar(features), features)
    return _without_holes(told)


def _name_strongest(
    told: Told, turn: int, side: int, strength: DoubleArray, blocked: BoolArray, least: float, features: Features
) -> None:
    """Name the strongest feature of each row that is not too much like one named before, if it is strong enough."""
    free = np.where(blocked, 0, strength)
    first = free.argmax(axis=1)
    size = np.take_along_axis(free, first[:, None], axis=1)[:, 0]
    named = size > least
    told.feature[named, turn], told.side[named, turn] = first[named], side
    told.evidence[named, turn] = size[named]
    blocked[named] |= features.is_alike[first[named]]


def _without_holes(told: Told) -> Told:
    """The named features first, in their order."""
    order = np.argsort(told.feature == NONE, axis=1, kind="stable")
    feature, side = (np.take_along_axis(part, order, axis=1) for part in (told.feature, told.side))
    return Told(feature, side, np.take_along_axis(told.evidence, order, axis=1))


def true_sides(
    features: Features, typical: Typical, sources: Sources, own: WholeArray, other: WholeArray
) -> tuple[BoolArray, BoolArray]:
    """Whether each value is nearer to what is typical of its own group, and of the other one: (rows, p) each.

    A number must be nearer both in its units and by its rank; a level must be that of one group and not of the other.
    """
    mine, my_rank = typical.inside[own], typical.rank_inside[own]
    theirs, their_rank = typical.of_other(own, other)
    tells = np.abs(mine - theirs) >= NEARLY_EQUAL * features.spread
    values, ranks = sources.values, sources.ranks
    nearer = np.sign(np.abs(values - theirs) - np.abs(values - mine))
    by_rank = np.sign(np.abs(ranks - their_rank) - np.abs(ranks - my_rank))
    is_level, differ = features.is_category, mine != theirs
    for_own = np.where(is_level, differ & (values == mine), tells & (nearer > 0) & (by_rank > 0))
    for_around = np.where(is_level, differ & (values == theirs), tells & (nearer < 0) & (by_rank < 0))
    return for_own, for_around


def of_rows_without_label(features: Features, places: Places, sources: Sources, rows: WholeArray) -> Told:
    """The features in which some rows are unlike those nearest on the map, beyond chance for so many features."""
    away, degrees = distances_from_around(features, places, sources.values, rows)
    may = features.may_differ & ~features.is_category & sources.is_more_than_one_read
    if features.are_counts:
        may &= (features.values[places.near[rows]] > 0).sum(axis=1) >= FEWEST_SEEN
    rate = RATE_OF_COUNTS if features.are_counts else RATE
    least = student.ppf(1 - rate / 2 / max(int(features.may_differ.sum()), 1), np.arange(1, places.n))
    strength = np.where(may & (away > least[np.maximum(degrees - 1, 0)]), away, 0)
    told = Told.nothing(len(rows))
    blocked = np.zeros(strength.shape, bool)
    for turn in range(MOST_WITHOUT_LABEL):
        _name_strongest(told, turn, UNLIKE, strength, blocked, 0.0, features)
    return told


def distances_from_around(
    features: Features, places: Places, values: DoubleArray, rows: WholeArray
) -> tuple[DoubleArray, WholeArray]:
    """|x − mean| of the n nearest on the map in their standard deviations, 0 if small; and the degrees of freedom."""
    around = features.values[places.on_map[rows]]
    known = np.isfinite(around)
    n = known.sum(axis=1)
    mean = np.where(known, around, 0).sum(axis=1) / np.maximum(n, 1)
    squares = np.where(known, (around - mean[:, None]) ** 2, 0).sum(axis=1)
    spread = np.maximum(np.sqrt(squares / np.maximum(n - 1, 1)), FLOOR * features.spread)
    away = np.divide(np.abs(values - mean), spread, out=np.zeros_like(mean), where=spread > 0)
    is_small = np.abs(values - mean) < LEAST_AWAY * features.spread
    away[~np.isfinite(away) | (n < FEWEST_KNOWN) | is_small] = 0
    return away, np.maximum(n - 1, 1)
