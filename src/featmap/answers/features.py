"""What answers may name: columns of the table, patches of images, or the genes that neighbours share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from ..data.pca import fixed_sample
from ..data.sparse import Matrix
from ..explanation.backing import judged, mutual_prediction
from ..run import Run
from ..values import BoolArray, DoubleArray, FloatArray, WholeArray
from .associations import associations
from .groups import Groups, group_features
from .place import Places
from .ranks import in_order, middle_ranks
from .table import Levels, Table

MOST_FEATURES = 500
ROWS_FOR_CHOICE, FEWEST_SEEN = 600, 10
ROWS_FOR_BACKING, ROWS_OF_MANY, MANY = 2000, 1000, 100  # many features are judged on fewer rows
PATCHES = 8  # at most so many along a side of an image, of at least two pixels
TAIL = 0.01
SAME, SAME_GENES = 0.8, 0.5  # |correlation| from which on features go together


@dataclass(frozen=True, eq=False)
class Features:
    """The features that answers may name, with their values for all rows.

    A value is NaN where the table has none, and a category's is the number of a level.
    """

    values: Annotated[DoubleArray, "(m, p)"]
    ordered: tuple[DoubleArray, ...]  # the known values of each feature in their order
    ranks: Annotated[FloatArray, "(m, p)"]  # the middle rank of each value in its feature, between 0 and 1
    names: tuple[str, ...]
    levels: tuple[Levels | None, ...]
    columns: tuple[tuple[int, ...], ...]  # of the table, whose mean a feature is; nearly always one
    positions: tuple[tuple[int, ...], ...]  # of these columns in the user's own table
    are_counts: bool  # 0 means "not seen", and small values may be single reads
    factors: Annotated[DoubleArray, "(p,)"]  # how far other features know each one; 0 for noise
    is_judged: bool  # whether the features know enough of each other to tell noise
    association: Annotated[DoubleArray, "(p, p)"]  # signed rank correlations; Cramér's V of categories
    groups: Groups

    @cached_property
    def is_category(self) -> BoolArray:
        return np.array([levels is not None for levels in self.levels], bool)

    @cached_property
    def spread(self) -> DoubleArray:
        """The standard deviation of the known values; 0 for constants and categories: (p,)."""
        return np.where(self.is_category, 0.0, _nan_safe(np.nanstd, self.values))

    @cached_property
    def mean(self) -> DoubleArray:
        return _nan_safe(np.nanmean, self.values)

    @cached_property
    def varies(self) -> BoolArray:
        """Which features have two different values."""
        return _nan_safe(np.nanmax, self.values) > _nan_safe(np.nanmin, self.values)

    @cached_property
    def may_differ(self) -> BoolArray:
        """Which features may be named as a difference: those that others know, or all if none can be judged."""
        return self.varies & ((self.factors > 0) | (not self.is_judged))

    @cached_property
    def is_alike(self) -> BoolArray:
        """Which pairs say too much of the same to be named in one part of an answer: (p, p)."""
        return np.abs(self.association) > SAME_GENES

    @cached_property
    def is_whole(self) -> BoolArray:
        """Which features have whole numbers only."""
        return np.array([not (values[np.isfinite(values)] % 1).any() for values in self.values.T], bool)

    def companions(self, feature: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the features that go with one, and of those that go the other way."""
        others = self.groups.others(feature)
        is_against = self.association[feature, others] < 0
        alike, against = (tuple(self.names[other] for other in others[side]) for side in (~is_against, is_against))
        return alike, against

    def said(self, feature: int, value: float) -> float | str | None:
        """A value as an answer gives it: a number, the text of a level, or None."""
        levels = self.levels[feature]
        if not np.isfinite(value):
            return None
        return float(value) if levels is None else levels[int(value)]

    @classmethod
    def of(cls, table: Table, places: Places, copies: WholeArray, run: Run) -> Features:
        """The features of a table, which are grouped and judged on a sample of its rows."""
        values, names, levels, columns = _named_values(table, places)
        is_image = table.image_shape is not None
        levels_of = levels or (None,) * len(names)
        factors, is_judged = _backing(values, levels_of, copies, is_image or table.are_counts, run)
        ordered = in_order(values)
        ranks = middle_ranks(values, ordered)
        association = associations(values, ranks, np.array([one is not None for one in levels_of], bool))
        cut = SAME_GENES if table.are_counts else SAME
        groups = group_features(association, _varies(values), cut, table.alike, names)
        positions = tuple(tuple(table.position_of(column) for column in own) for own in columns)
        parts = values, ordered, ranks, names, levels_of, columns, positions, table.are_counts
        return cls(*parts, factors, is_judged, association, groups)


def _named_values(
    table: Table, places: Places
) -> tuple[DoubleArray, tuple[str, ...], tuple[Levels | None, ...], tuple[tuple[int, ...], ...]]:
    """The values of patches, of chosen columns, or of all columns."""
    if table.image_shape is not None:
        return _patches(table)
    chosen: WholeArray = np.arange(table.shape[1])
    if len(chosen) > MOST_FEATURES:
        chosen = shared_most(table, places)
    rows = table.values[:, chosen]
    values = rows.toarray() if sp.issparse(rows) else rows
    names = tuple(table.names[column] for column in chosen)
    levels = tuple(table.levels[column] for column in chosen) if table.levels else ()
    return np.asarray(values, np.float64), names, levels, tuple((int(column),) for column in chosen)


def _patches(table: Table) -> tuple[DoubleArray, tuple[str, ...], tuple[()], tuple[tuple[int, ...], ...]]:
    """The mean brightness of each patch of a grid: (m, patches)."""
    height, width, n_channels = (*(table.image_shape or ()), 1)[:3]
    pixels = np.arange(height * width * n_channels).reshape(height, width, n_channels)
    values, names, columns = [], [], []
    for rows in _cut(height):
        for across in _cut(width):
            chosen = pixels[rows[0] : rows[1], across[0] : across[1]].ravel()
            part = table.values[:, chosen]
            values.append(np.asarray(part.mean(axis=1), np.float64).ravel())
            names.append(f"patch {rows[0] + 1}–{rows[1]} down, {across[0] + 1}–{across[1]} across")
            columns.append(tuple(chosen.tolist()))
    return np.column_stack(values), tuple(names), (), tuple(columns)


def _cut(size: int) -> list[tuple[int, int]]:
    n = max(min(PATCHES, size // 2), 1)
    bounds = [round(part * size / n) for part in range(n + 1)]
    return list(pairwise(bounds))


def shared_most(table: Table, places: Places) -> WholeArray:
    """The 500 columns of which neighbours in the data share the largest part of the variance, in order.

    It depends neither on the map nor on its seed: columns chosen by the map would change from map to map.
    """
    m, n = places.data.shape
    rows = np.arange(m)[fixed_sample(m, ROWS_FOR_CHOICE)]
    indptr = np.arange(0, len(rows) * n + 1, n)
    means = sp.csr_matrix((np.full(len(rows) * n, 1 / n), places.data[rows].ravel(), indptr), (len(rows), m))
    values = table.values
    if not sp.issparse(values):
        values = np.where(np.isfinite(values), values, _nan_safe(np.nanmean, values))
    of_neighbors, variance = _variance(means @ values), _variance(values)
    part = np.divide(of_neighbors, variance, out=np.zeros_like(variance), where=variance > 0)
    if table.are_counts:
        part[np.asarray((values != 0).sum(axis=0)).ravel() < FEWEST_SEEN] = 0
    return np.sort(np.argsort(-part, kind="stable")[:MOST_FEATURES])


def _variance(values: Matrix) -> DoubleArray:
    squares = values.multiply(values) if sp.issparse(values) else values**2
    mean, of_squares = (np.asarray(one.mean(axis=0), np.float64).ravel() for one in (values, squares))
    return np.maximum(of_squares - mean**2, 0)


def _backing(
    values: DoubleArray, levels: tuple[Levels | None, ...], copies: WholeArray, share_unit: bool, run: Run
) -> tuple[DoubleArray, bool]:
    """The factor of each feature, and whether noise can be told. Of copies one row counts."""
    distinct = np.sort(np.unique(copies, return_index=True)[1])
    most = ROWS_OF_MANY if values.shape[1] > MANY else ROWS_FOR_BACKING
    rows = values[distinct[fixed_sample(len(distinct), most)]]
    coded, owner = coded_columns(rows, levels, share_unit)
    if coded.shape[1] == 0 or len(rows) < 2:
        return np.zeros(values.shape[1]), False
    found = judged(mutual_prediction(coded, run, owner.astype(np.int32)), len(rows))
    factors = np.zeros(values.shape[1])
    np.maximum.at(factors, owner, found.factors)
    return factors, found.is_judged


def coded_columns(
    rows: DoubleArray, levels: tuple[Levels | None, ...], share_unit: bool
) -> tuple[np.ndarray, WholeArray]:
    """Numbers with far values clipped and gaps at the median, levels as zeros and ones, and whose column each is."""
    columns, owner = [], []
    for feature, known_levels in enumerate(levels):
        values = rows[:, feature]
        known = values[np.isfinite(values)]
        if len(known) == 0 or known.min() == known.max():
            continue
        made = [_clipped(values, known, share_unit)] if known_levels is None else _indicators(values, known)
        columns += made
        owner += [feature] * len(made)
    if not columns:
        return np.empty((len(rows), 0), np.float32), np.empty(0, np.int32)
    return np.ascontiguousarray(np.column_stack(columns), np.float32), np.array(owner, np.int32)


def _clipped(values: DoubleArray, known: DoubleArray, share_unit: bool) -> DoubleArray:
    low, high = np.quantile(known, [TAIL, 1 - TAIL])
    if low < high:
        known, values = (np.clip(one, 2 * low - high, 2 * high - low) for one in (known, values))
    filled = np.where(np.isfinite(values), values, np.median(known)) - known.mean()
    return filled if share_unit else filled / known.std()


def _indicators(values: DoubleArray, known: DoubleArray) -> list[DoubleArray]:
    return [(values == level).astype(np.float64) for level in np.unique(known)]


def _varies(values: DoubleArray) -> BoolArray:
    return _nan_safe(np.nanmax, values) > _nan_safe(np.nanmin, values)


def _nan_safe(statistic: Callable[..., Any], values: DoubleArray) -> DoubleArray:
    """A statistic of the known values of each column, 0 for columns that have none."""
    is_empty = np.isnan(values).all(axis=0)
    if not is_empty.any():
        return np.asarray(statistic(values, axis=0), np.float64)
    return np.asarray(statistic(np.where(is_empty, 0.0, values), axis=0), np.float64)
