"""Rules with promises that hold for other rows: conditions are chosen within folds, and counted in the rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..values import BoolArray, DoubleArray, WholeArray
from .cuts import ABOVE, AT_MOST, Cut, Cuts
from .features import Features
from .search import best_rule
from .values import Condition, Rule

N_FOLDS = 5
LEAST_F = 0.7
HALVES_ERRORS = 0.5  # of the error that a guess makes: a rule for most rows has a large F for nothing
MOST_WANTED, MOST_OTHERS = 2000, 4000
FEWEST_WANTED = 5


@dataclass(frozen=True, eq=False)
class RuleFinder:
    """Finds rules by the features that stand for the groups, copies of rows in one fold."""

    features: Features
    together: WholeArray  # (m,) rows with the same number depend on each other

    @cached_property
    def cuts(self) -> Cuts:
        return Cuts.of(self.features, self.features.groups.leaders)

    def find(self, is_wanted: BoolArray) -> Rule | None:
        """What tells the wanted rows from all others, if it does so for rows that did not choose it."""
        rows, weights = sample(is_wanted)
        n_wanted = int(is_wanted.sum())
        if min(n_wanted, len(is_wanted) - n_wanted) < FEWEST_WANTED or len(self.cuts.features) == 0:
            return None
        cuts = best_rule(self.cuts, is_wanted, weights, rows)
        if _f(*self._counted(cuts, is_wanted, weights, rows)) < LEAST_F:
            return None  # by folds it would be less
        precision, recall = self._by_folds(is_wanted, weights, rows)
        chance = n_wanted / len(is_wanted)
        if _f(precision, recall) < LEAST_F or precision < chance + HALVES_ERRORS * (1 - chance):
            return None
        return Rule(conditions(self.features, self.cuts, cuts), precision, recall)

    def _by_folds(self, is_wanted: BoolArray, weights: DoubleArray, rows: WholeArray) -> tuple[float, float]:
        """Precision and recall, pooled over folds that had no part in choosing the conditions.

        Some rows choose, and all rows of a fold are counted: a few with large weights would count badly.
        """
        fold = folds(self.together, is_wanted)
        met = np.zeros(len(is_wanted), bool)
        for number in range(N_FOLDS):
            test = np.flatnonzero(fold == number)
            met[test] = self._meets(best_rule(self.cuts, is_wanted, weights, rows[fold[rows] != number]), test)
        return precision_and_recall(met, is_wanted, np.ones(len(met)))

    def _counted(
        self, cuts: tuple[Cut, ...], is_wanted: BoolArray, weights: DoubleArray, rows: WholeArray
    ) -> tuple[float, float]:
        return precision_and_recall(self._meets(cuts, rows), is_wanted[rows], weights[rows])

    def _meets(self, cuts: tuple[Cut, ...], rows: WholeArray) -> BoolArray:
        return self.cuts.meets(cuts, rows) if cuts else np.zeros(len(rows), bool)


def precision_and_recall(met: BoolArray, is_wanted: BoolArray, weights: DoubleArray) -> tuple[float, float]:
    """Which part of the rows that meet a rule is wanted, and which part of the wanted ones meets it."""
    both = float(weights @ (met & is_wanted))
    return both / max(float(weights @ met), 1e-12), both / max(float(weights @ is_wanted), 1e-12)


def _f(precision: float, recall: float) -> float:
    return 2 * precision * recall / max(precision + recall, 1e-12)


def sample(is_wanted: BoolArray) -> tuple[WholeArray, DoubleArray]:
    """At most 2,000 wanted rows and 4,000 others, and the weight of each: how many rows it stands for. (m,)"""
    rng = np.random.default_rng(0)
    weights, chosen = np.zeros(len(is_wanted)), []
    for value, most in ((True, MOST_WANTED), (False, MOST_OTHERS)):
        rows = np.flatnonzero(is_wanted == value)
        part = rows if len(rows) <= most else rng.choice(rows, most, replace=False)
        weights[part] = len(rows) / max(len(part), 1)
        chosen.append(part)
    return np.sort(np.concatenate(chosen)).astype(np.int32), weights


def folds(together: WholeArray, is_wanted: BoolArray) -> WholeArray:
    """A fold for each row, the same for rows that depend on each other; wanted rows are spread evenly."""
    _, first, number = np.unique(together, return_index=True, return_inverse=True)
    of_group = np.empty(len(first), np.int32)
    rng = np.random.default_rng(0)
    for value in (False, True):
        groups = np.flatnonzero(is_wanted[first] == value)
        of_group[rng.permutation(groups)] = (np.arange(len(groups)) + rng.integers(N_FOLDS)) % N_FOLDS
    return of_group[number]


def conditions(features: Features, cuts: Cuts, found: tuple[Cut, ...]) -> tuple[Condition, ...]:
    """Conditions in the words of the table; two bounds of one feature are one condition."""
    places = dict.fromkeys(cut.feature for cut in found)
    return tuple(_condition(features, cuts, [cut for cut in found if cut.feature == place]) for place in places)


def _condition(features: Features, cuts: Cuts, found: list[Cut]) -> Condition:
    place = found[0].feature
    feature = int(cuts.features[place])
    alike = tuple(features.names[other] for other in features.groups.others(feature))
    name, columns, levels = features.names[feature], features.positions[feature], features.levels[feature]
    if levels is not None:
        met = tuple(levels[cut.number] for cut in found)
        return Condition(name, levels=met, alike=alike, columns=columns)
    bounds = {cut.asks: float(cuts.thresholds[place][cut.number]) for cut in found}
    return Condition(name, bounds.get(ABOVE), bounds.get(AT_MOST), alike=alike, columns=columns)
