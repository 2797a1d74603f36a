"""Regions as values: their names, labels, rules, and in what their rows differ from all others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..values import BoolArray, DoubleArray, FloatArray, WholeArray
from .features import Features
from .labels import Labels
from .regions import Regions
from .rules import RuleFinder
from .typical import typical_value
from .values import Difference, Region, Rule

MAJORITY = 0.6  # of the rows of a region: their label names it
MOST_IN_NAME = 2  # conditions
MOST_DIFFERENCES = 3
LEAST_DIFFERENCE = 0.5  # of the spread of all rows
N_NEAREST = 2
MIDDLE = 0.2  # of the extent of the map: regions nearer to its middle lie neither left nor right


@dataclass(frozen=True, eq=False)
class RegionAnswers:
    """The regions of one map in words. Their rules are searched when they are first asked for."""

    regions: Regions
    embedding: FloatArray
    features: Features
    finder: RuleFinder
    labels: Labels | None
    unit: str
    _rules: dict[int, Rule | None] = field(default_factory=dict)

    def rule(self, number: int) -> Rule | None:
        """The rule of a region, searched once."""
        if number not in self._rules:
            self._rules[number] = self.finder.find(self.regions.region == number)
        return self._rules[number]

    def name(self, number: int) -> str:
        """Its commonest label, else its rule if that is short, else its place."""
        label = self._majorities[number]
        if label is not None:
            part = self._majorities[: number + 1].count(label)
            return label if part == 1 else f"{label}, part {part}"
        rule = self.rule(number)
        if rule is not None and len(rule.conditions) <= MOST_IN_NAME:
            return rule.text
        return self._places[number]

    def answer(self, number: int) -> Region:
        """A region of the map."""
        is_member = self.regions.region == number
        center = tuple(self.regions.centers[number].tolist())
        parts = self.labels_of(is_member), self.rule(number), differences_of(self.features, is_member)
        return Region(self.name(number), np.flatnonzero(is_member), self.unit, *parts, self._nearest(number), center)

    def answer_of_rows(self, is_member: BoolArray) -> Region:
        """Rows that were asked about."""
        labels, rule = self.labels_of(is_member), self.finder.find(is_member)
        regions = Counter(self.regions.region[is_member].tolist()).most_common(N_NEAREST)
        where = tuple(self.name(number) for number, _ in regions)
        differences = differences_of(self.features, is_member)
        center = tuple(np.median(self.embedding[is_member], axis=0).tolist())
        rows = np.flatnonzero(is_member)
        return Region("These rows", rows, self.unit, labels, rule, differences, where, center)

    def labels_of(self, is_member: BoolArray) -> tuple[tuple[str, int], ...]:
        """The labels of some rows with their counts, the commonest first."""
        if self.labels is None:
            return ()
        counts = np.bincount(
            self.labels.codes[is_member & (self.labels.codes >= 0)], minlength=len(self.labels.names)
        )
        order = np.argsort(-counts, kind="stable")
        return tuple((self.labels.names[label], int(counts[label])) for label in order if counts[label])

    @cached_property
    def _majorities(self) -> list[str | None]:
        """The label that most rows of each region have, if there is one."""
        found: list[str | None] = []
        for number in range(len(self.regions)):
            labels = self.labels_of(self.regions.region == number)
            is_most = bool(labels) and labels[0][1] >= MAJORITY * self.regions.sizes[number]
            found.append(labels[0][0] if is_most else None)
        return found

    @cached_property
    def _places(self) -> list[str]:
        """Where each region lies, with a number if several lie there."""
        places = places_in_words(self.regions.centers, self.embedding)
        n_of_place: Counter[str] = Counter()
        named = []
        for place in places:
            n_of_place[place] += 1
            named.append(place if n_of_place[place] == 1 else f"{place}, part {n_of_place[place]}")
        return named

    def _nearest(self, number: int) -> tuple[str, ...]:
        centers = self.regions.centers
        order = np.argsort(((centers - centers[number]) ** 2).sum(axis=1), kind="stable")
        return tuple(self.name(int(other)) for other in order if other != number)[:N_NEAREST]


def places_in_words(centers: DoubleArray, embedding: FloatArray) -> list[str]:
    """Upper left, or the middle: by the first two axes of the map."""
    low, high = embedding.min(axis=0), embedding.max(axis=0)
    extent = np.where(high > low, high - low, 1)
    at = 2 * (centers - low) / extent - 1
    return [_place(one[0], one[1] if len(one) > 1 else 0.0) for one in at]


def _place(x: float, y: float) -> str:
    across = "" if abs(x) < MIDDLE else "right" if x > 0 else "left"
    along = "" if abs(y) < MIDDLE else "upper" if y > 0 else "lower"
    if across and along:
        return f"{along} {across}"
    return {"upper": "the top", "lower": "the bottom", "": "the middle"}[along] if not across else f"the {across}"


def differences_of(features: Features, is_member: BoolArray) -> tuple[Difference, ...]:
    """The features in which some rows differ most from all others on average."""
    strength = _strength(features, is_member)
    chosen: list[int] = []
    for feature in np.argsort(-strength, kind="stable"):
        if strength[feature] < LEAST_DIFFERENCE or len(chosen) == MOST_DIFFERENCES:
            break
        if not features.is_alike[feature, chosen].any():
            chosen.append(int(feature))
    return tuple(_difference(features, feature, is_member, float(strength[feature])) for feature in chosen)


def _strength(features: Features, is_member: BoolArray) -> DoubleArray:
    """|mean here − mean of all| in standard deviations; of a category that of its commonest level here."""
    strength = np.zeros(len(features.names))
    for feature in np.flatnonzero(features.may_differ):
        values = features.values[:, feature]
        known = np.isfinite(values)
        here = values[known & is_member]
        if len(here) == 0:
            continue
        if features.is_category[feature]:
            level = typical_value(here, True, False)
            is_level = (values[known] == level).astype(np.float64)
            shift, spread = (here == level).mean() - is_level.mean(), is_level.std()
        else:
            shift, spread = here.mean() - features.mean[feature], features.spread[feature]
        strength[feature] = abs(shift) / spread if spread > 0 else 0
    return strength


def _difference(features: Features, feature: int, is_member: BoolArray, strength: float) -> Difference:
    values, is_category = features.values[:, feature], bool(features.is_category[feature])
    known = np.isfinite(values)
    here, there = (
        features.said(feature, typical_value(values[known & rows], is_category, features.are_counts))
        for rows in (is_member, ~is_member)
    )
    alike, against = features.companions(feature)
    spread = float(features.spread[feature])
    return Difference(features.names[feature], here, there, None, "around", strength, spread, alike, against)


def chosen_rows(rows: WholeArray, m: int) -> BoolArray:
    """A mask of some rows."""
    is_member = np.zeros(m, bool)
    is_member[rows] = True
    return is_member
