"""Rows of a label beside those of others: what is needed to say which of them a row is like."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..values import BoolArray, DoubleArray, WholeArray
from .differences import Sources, Told, of_labelled_rows
from .evidence import REST, Evidence
from .features import Features
from .labels import Labels
from .place import LabelledPlaces, Places
from .typical import Typical

MINORITY = 0.5  # a row is odd if its label has a smaller share around it


@dataclass(frozen=True, eq=False)
class Compared:
    """The labels of the rows, with the sums and typical values of their groups."""

    labels: Labels
    places: LabelledPlaces
    evidence: Evidence
    typical: Typical
    seen: DoubleArray | None  # (groups, p) of counts: in how many rows of each group they are not 0

    @classmethod
    def of(cls, features: Features, labels: Labels, places: Places) -> Compared:
        evidence = Evidence.of(features, labels)
        typical = Typical.of(features, labels)
        seen = None
        if features.are_counts:
            is_seen = (features.values != 0).astype(np.float64)
            seen = np.array([is_seen[labels.codes == number].sum(axis=0) for number, _ in labels.counted])
        return cls(labels, LabelledPlaces.of(places, labels), evidence, typical, seen)

    @cached_property
    def is_judged(self) -> BoolArray:
        """Rows whose label the map keeps together: only these can be misplaced. (m,)"""
        return (self.labels.codes >= 0) & self.places.is_followed[self.labels.codes]

    @cached_property
    def is_odd(self) -> BoolArray:
        """Rows whose label is in the minority around them; they are compared with the commonest other label. (m,)"""
        is_minority = (self.places.share_on_map < MINORITY) & (self.places.around >= 0)
        return (self.labels.codes >= 0) & is_minority

    def tell(self, features: Features, rows: WholeArray, least: DoubleArray | None) -> tuple[Told, BoolArray]:
        """What is named of some rows that have labels, and whether all features speak for the rows around them."""
        own, is_odd = self.labels.codes[rows], self.is_odd[rows]
        other = np.where(is_odd, self.places.around[rows], REST)
        found = self.evidence.against(rows, own, other)
        sources = Sources.of(features, rows, least, self.seen)
        told = of_labelled_rows(features, self.typical, sources, found, own, other, is_odd)
        return told, found[:, features.groups.leaders].sum(axis=1) < 0
