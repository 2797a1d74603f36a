"""The answer for one row, put together from the record of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from ..values import DoubleArray, WholeArray
from .compared import Compared
from .differences import AROUND, NONE, OWN, UNLIKE, Sources, distances_from_around, true_sides
from .evidence import REST
from .features import Features
from .kinds import OUTLYING, elsewhere
from .naming import RegionAnswers
from .place import Places
from .record import Record
from .table import Table
from .values import KINDS, Condition, Difference, Place, Rule, Why

MOST_DETAILS = 20


@dataclass(frozen=True, eq=False)
class RowAnswers:
    """Answers for single rows."""

    table: Table
    places: Places
    features: Features
    least: DoubleArray | None
    compared: Compared | None
    record: Record
    regions: RegionAnswers

    def answer(self, row: int) -> Why:
        """Everything that is known of a row without another search, but for the rule of its region."""
        rule = self.regions.rule(self._region(row))
        return Why(
            row,
            self.table.name_of(row),
            self.table.unit,
            KINDS[self.record.kind[row]],
            self.place(row),
            rule,
            rule is None or self._meets(rule, row),
            self.differences(row),
            measures_like_around=bool(self.record.measures_like_around[row]),
            details=self.details(row),
        )

    def place(self, row: int) -> Place:
        """Where the row lies."""
        places = self.places
        regions, counts = np.unique(self.regions.regions.region[places.data[row]], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        where = tuple((self.regions.name(int(regions[one])), int(counts[one])) for one in order)
        known = places.n, int(places.kept[row]), int(places.rank[row]), len(places.near)
        place = (*known, self.regions.name(self._region(row)), where)
        compared = self.compared
        if compared is None or compared.labels.codes[row] < 0:
            return Place(*place)
        labels, of_labels = compared.labels, compared.places
        own, around = int(labels.codes[row]), int(of_labels.around[row])
        return Place(
            *place,
            labels.names[own],
            int(of_labels.on_map[row]),
            int(of_labels.in_data[row]),
            labels.names[around] if around >= 0 else None,
            int(of_labels.n_around[row]),
            bool(of_labels.is_followed[own]),
        )

    def differences(self, row: int) -> tuple[Difference, ...]:
        """The features that the record names, in their order."""
        told = self.record.told
        named = zip(told.feature[row].tolist(), told.side[row].tolist(), told.evidence[row].tolist(), strict=True)
        return tuple(self._difference(row, *one) for one in named if one[0] != NONE)

    def details(self, row: int) -> tuple[Difference, ...]:
        """Every feature that tells something about the row, the strongest first."""
        if self._is_compared(row):
            return self._details_by_labels(row)
        rows = np.array([row], np.int32)
        sources = Sources.of(self.features, rows, self.least)
        away = distances_from_around(self.features, self.places, sources.values, rows)[0][0]
        tells = self.features.may_differ & ~self.features.is_category & sources.is_more_than_one_read[0]
        away[~tells] = 0
        order = np.argsort(-away, kind="stable")[:MOST_DETAILS]
        return tuple(self._difference(row, int(one), UNLIKE, float(away[one])) for one in order if away[one] > 1)

    def nearest_other_region(self, row: int) -> int:
        """The region of its nearest rows in the data if these lie in another one, else the nearest on the map."""
        region = self.regions.regions.region
        number, count = self._elsewhere
        if 2 * count[row] >= self.places.n:
            return int(number[row])
        others = np.flatnonzero(region != region[row])
        if len(others) == 0:
            return int(region[row])
        embedding = self.regions.embedding
        return int(region[others[cKDTree(embedding[others]).query(embedding[row])[1]]])

    @cached_property
    def _elsewhere(self) -> tuple[WholeArray, WholeArray]:
        return elsewhere(self.places, self.regions.regions)

    def _region(self, row: int) -> int:
        return int(self.regions.regions.region[row])

    def _is_compared(self, row: int) -> bool:
        has_label = self.compared is not None and self.compared.labels.codes[row] >= 0
        return bool(has_label and self.record.kind[row] != OUTLYING)

    def _details_by_labels(self, row: int) -> tuple[Difference, ...]:
        compared, rows = self.compared, np.array([row], np.int32)
        assert compared is not None
        own, other = compared.labels.codes[rows], self._other(row)
        sources = Sources.of(self.features, rows, self.least, compared.seen)
        found = compared.evidence.against(rows, own, other)[0]
        for_own, for_around = (side[0] for side in true_sides(self.features, compared.typical, sources, own, other))
        tells = self.features.may_differ & np.isfinite(sources.values[0]) & sources.is_believed(own, other)[0]
        strength = np.where(tells & (np.where(found > 0, for_own, for_around)), np.abs(found), 0)
        order = np.argsort(-strength, kind="stable")[:MOST_DETAILS]
        sides = np.where(found > 0, OWN, AROUND)
        return tuple(
            self._difference(row, int(one), int(sides[one]), float(strength[one]))
            for one in order
            if strength[one] > 0
        )

    def _other(self, row: int) -> WholeArray:
        compared = self.compared
        assert compared is not None
        return np.array([compared.places.around[row] if compared.is_odd[row] else REST], np.int32)

    def _difference(self, row: int, feature: int, side: int, evidence: float) -> Difference:
        """A feature of a row with the values that stand beside its own."""
        features = self.features
        value, spread = float(features.values[row, feature]), float(features.spread[feature])
        named = features.names[feature], features.said(feature, value)
        alike, against = features.companions(feature)
        if side == UNLIKE:
            around = features.values[self.places.on_map[row], feature]
            around = around[np.isfinite(around)]
            known = (*named, float(around.mean()), None, "around", evidence, spread, alike, against)
            return Difference(*known, int((around < value).sum()), len(around), float(features.mean[feature]))
        compared, rows = self.compared, np.array([row], np.int32)
        assert compared is not None
        own = compared.labels.codes[rows]
        mine = compared.typical.inside[own][0, feature]
        theirs = compared.typical.of_other(own, self._other(row))[0][0, feature]
        values = features.said(feature, float(theirs)), features.said(feature, float(mine))
        return Difference(*named, *values, "own" if side == OWN else "around", evidence, spread, alike, against)

    def _meets(self, rule: Rule, row: int) -> bool:
        return all(self._meets_condition(condition, row) for condition in rule.conditions)

    def _meets_condition(self, condition: Condition, row: int) -> bool:
        feature = self.features.names.index(condition.feature)
        value = self.features.said(feature, float(self.features.values[row, feature]))
        if value is None:
            return False
        if isinstance(value, str):
            return value in condition.levels
        above = condition.low is None or value > condition.low
        return above and (condition.high is None or value <= condition.high)
