"""Where rows lie: their nearest rows on the map and in the data, and how many of them share their label."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from ..explanation.outliers import relative_distances
from ..explanation.points import MappedData
from ..values import BoolArray, DoubleArray, WholeArray
from .labels import Labels

NEAR_ON_MAP = 30  # rows on the map among which neighbours in the data are looked for, or twice as many as those
FEWEST_OF_GROUP = 10
MOST_OF_OWN, TIMES_CHANCE, NEARLY_ALL = 0.6, 2.0, 0.9  # shares by which a group counts as kept together


@dataclass(frozen=True, eq=False)
class Places:
    """The neighbours of every row. Without labels this is all that is known of their places."""

    near: Annotated[
        WholeArray, "(m, k)"
    ]  # the nearest on the map, at least twice as many as ``data`` has if there are
    data: Annotated[WholeArray, "(m, n)"]  # the nearest in the data
    outlier: Annotated[DoubleArray, "(m,)"]  # how far a row is from its nearest, relative to how far these are

    @classmethod
    def of(cls, mapped: MappedData) -> Places:
        """The places of all rows of a map, which keeps them."""
        found: Places = mapped.kept("places", lambda: cls._of(mapped))
        return found

    @classmethod
    def _of(cls, mapped: MappedData) -> Places:
        manifold = mapped.manifold
        m = len(mapped.embedding)
        neighbors = manifold.neighbors.first(min(manifold.n_neighbors - 1, m - 1))
        k = min(max(NEAR_ON_MAP, 2 * neighbors.k), m - 1)
        near = mapped.search.nearest_others(mapped.embedding, np.arange(m, dtype=np.int32), k)
        return cls(near, neighbors.indices, relative_distances(neighbors, manifold.usual_distances))

    @property
    def n(self) -> int:
        """How many nearest rows are looked at."""
        return self.data.shape[1]

    @property
    def on_map(self) -> WholeArray:
        """The n nearest on the map: (m, n)."""
        return self.near[:, : self.n]

    @cached_property
    def kept(self) -> WholeArray:
        """How many of the nearest in the data are among the nearest on the map: (m,)."""
        kept = np.zeros(len(self.near), np.int32)
        for column in self.data.T:
            kept += (self.near == column[:, None]).any(axis=1)
        return kept

    @cached_property
    def rank(self) -> WholeArray:
        """The place of each row by how unusual it is, 1 for the most unusual: (m,)."""
        order = np.argsort(-self.outlier, kind="stable")
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(1, len(order) + 1)
        return rank


@dataclass(frozen=True, eq=False)
class LabelledPlaces:
    """How many of the nearest rows share the label of a row, and which other label is the commonest around it."""

    on_map: Annotated[WholeArray, "(m,)"]
    in_data: Annotated[WholeArray, "(m,)"]
    n_own: Annotated[WholeArray, "(m,)"]  # of so many a share is: n, or all others of its group if these are fewer
    around: Annotated[WholeArray, "(m,)"]  # −1 if there is no other label
    n_around: Annotated[WholeArray, "(m,)"]
    is_followed: BoolArray  # (groups,) whether the map keeps the rows of a label together

    @classmethod
    def of(cls, places: Places, labels: Labels) -> LabelledPlaces:
        own = labels.codes
        on_map, in_data = (_with_label(own, near) for near in (places.on_map, places.data))
        n_own = np.minimum(places.n, np.maximum(labels.sizes[own] - 1, 0))
        around, n_around = commonest_other(labels, places.on_map)
        share = shares(on_map, n_own)
        return cls(on_map, in_data, n_own, around, n_around, followed(share, labels))

    @cached_property
    def share_on_map(self) -> DoubleArray:
        return shares(self.on_map, self.n_own)

    @cached_property
    def share_in_data(self) -> DoubleArray:
        return shares(self.in_data, self.n_own)


def _with_label(own: WholeArray, near: WholeArray) -> WholeArray:
    return ((own[near] == own[:, None]) & (own >= 0)[:, None]).sum(axis=1).astype(np.int32)


def shares(counts: WholeArray, n_own: WholeArray) -> DoubleArray:
    return counts / np.maximum(n_own, 1)


def commonest_other(labels: Labels, near: WholeArray) -> tuple[WholeArray, WholeArray]:
    """The commonest label among some rows but the row's own, and how many have it; the first of equal ones."""
    n_rows, n_near = near.shape
    around, n_around = np.full(n_rows, -1, np.int32), np.zeros(n_rows, np.int32)
    theirs = labels.codes[near]
    is_other = (theirs != labels.codes[:, None]) & (theirs >= 0)
    for column in range(n_near):
        label = theirs[:, column]
        count = np.where(is_other[:, column], (theirs == label[:, None]).sum(axis=1), 0)
        better = (count > n_around) | ((count == n_around) & (count > 0) & (label < around))
        around[better], n_around[better] = label[better], count[better]
    return around, n_around


def followed(share: DoubleArray, labels: Labels) -> BoolArray:
    """Which labels have most of the rows around a typical row of theirs, and twice as many as chance gives."""
    medians = np.array([np.median(share[labels.codes == label]) if size else 0 for label, size in labels.counted])
    frequency = labels.sizes / max(labels.sizes.sum(), 1)
    beyond = (medians >= TIMES_CHANCE * frequency) | (medians >= NEARLY_ALL)
    return (labels.sizes >= FEWEST_OF_GROUP) & (medians >= MOST_OF_OWN) & beyond
