"""Groups of features that go together, so that an answer names one of them and counts the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from ..errors import InvalidParameterError
from ..values import BoolArray, DoubleArray, WholeArray


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of each feature, and the feature that stands for each group."""

    group: Annotated[WholeArray, "(p,)"]  # −1 for features that do not vary
    leaders: Annotated[WholeArray, "(groups,)"]

    @cached_property
    def members(self) -> tuple[WholeArray, ...]:
        """The features of each group."""
        return tuple(np.flatnonzero(self.group == number).astype(np.int32) for number in range(len(self.leaders)))

    def others(self, feature: int) -> WholeArray:
        """The features that go with one."""
        group = self.group[feature]
        members = self.members[group] if group >= 0 else np.empty(0, np.int32)
        return members[members != feature]


def group_features(
    association: DoubleArray,
    varies: BoolArray,
    cut: float,
    given: tuple[tuple[str, ...], ...] = (),
    names: tuple[str, ...] = (),
) -> Groups:
    """Groups in which all pairs have at least this |association|, found by complete linkage, or as they are given."""
    strength = np.abs(association)
    group = np.full(len(association), -1, np.int32)
    n_groups = 0
    for members in _numbered(given, names):
        group[members[varies[members]]] = n_groups
        n_groups += int(varies[members].any())
    free = np.flatnonzero(varies & (group < 0))
    if len(free):
        group[free] = n_groups + _linked(strength[np.ix_(free, free)], cut)
    n_groups = group.max(initial=-1) + 1
    return Groups(group, np.array([_leader(strength, group == number) for number in range(n_groups)], np.int32))


def _numbered(given: tuple[tuple[str, ...], ...], names: tuple[str, ...]) -> list[WholeArray]:
    number = {name: feature for feature, name in enumerate(names)}
    unknown = [name for members in given for name in members if name not in number]
    if unknown:
        raise InvalidParameterError(f"groups: there is no column {unknown[0]!r}; give names of columns that are used")
    return [np.array([number[name] for name in members], np.int32) for members in given]


def _linked(strength: DoubleArray, cut: float) -> WholeArray:
    if len(strength) == 1:
        return np.zeros(1, np.int32)
    distance = np.clip(1 - (strength + strength.T) / 2, 0, None)
    np.fill_diagonal(distance, 0)
    tree = linkage(squareform(distance, checks=False), "complete")
    return fcluster(tree, 1 - cut, "distance").astype(np.int32) - 1


def _leader(strength: DoubleArray, is_member: BoolArray) -> int:
    """The feature with the largest summed |association| with its group, the first of equal ones."""
    members = np.flatnonzero(is_member)
    return int(members[strength[np.ix_(members, members)].sum(axis=1).argmax()])
