"""What to know about columns: those that tell the label alone, empty ones, and how far the map follows each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from ..data.pca import fixed_sample
from ..values import DoubleArray
from .compared import Compared
from .features import Features
from .place import Places
from .table import Table
from .values import ColumnNote

LEAK, HALVES = 0.98, 0.1  # right for so many rows, and at most this part of the errors of a guess
ROWS_OF_LEVEL = 10  # a column needs so many rows for each of its bins to be believed
MOSTLY_EMPTY = 0.5
MOST_ROWS = 2000
WELL_FOLLOWED, NOT_FOLLOWED = 0.5, 0.05
MOST_FOLLOWED = 3


def about_columns(
    table: Table, features: Features, places: Places, compared: Compared | None
) -> Iterator[ColumnNote]:
    """Notes about columns, the most important first."""
    if compared is not None:
        yield from _leaks(features, compared)
    if not sp.issparse(table.values):
        empty = np.isnan(table.values).mean(axis=0)
        for column in np.flatnonzero(empty > MOSTLY_EMPTY):
            yield ColumnNote(table.names[column], "empty", float(empty[column]))
    yield from (ColumnNote(name, "unused", 0.0, reason) for name, reason in table.unused)
    part = followed_part(features, places)
    order = np.argsort(-part, kind="stable")
    best = [feature for feature in order if part[feature] >= WELL_FOLLOWED][:MOST_FOLLOWED]
    yield from (ColumnNote(features.names[feature], "followed", float(part[feature])) for feature in best)
    worst = [feature for feature in order[::-1] if features.varies[feature] and part[feature] < NOT_FOLLOWED]
    yield from (ColumnNote(features.names[feature], "not followed", float(part[feature])) for feature in worst)


def _leaks(features: Features, compared: Compared) -> Iterator[ColumnNote]:
    """Columns of which the value alone tells the label of nearly all rows."""
    right, chance = right_by_one_column(compared)
    n = compared.evidence.counts.sum(axis=(0, 2))
    is_believed = n >= ROWS_OF_LEVEL * compared.evidence.n_bins
    for feature in np.flatnonzero((right >= LEAK) & is_believed & (1 - right <= HALVES * (1 - chance))):
        yield ColumnNote(features.names[feature], "leak", float(right[feature]), "the label")


def right_by_one_column(compared: Compared) -> tuple[DoubleArray, DoubleArray]:
    """For which part of the rows the commonest label of the value's bin is right, and the commonest label of all."""
    counts = compared.evidence.counts
    n = np.maximum(counts.sum(axis=(0, 2)), 1)
    return counts.max(axis=0).sum(axis=1) / n, counts.sum(axis=2).max(axis=0) / n


def followed_part(features: Features, places: Places) -> DoubleArray:
    """Which part of the variance the means of the n nearest on the map tell; of categories that of their levels."""
    rows = np.arange(len(places.near))[fixed_sample(len(places.near), MOST_ROWS)]
    part = np.zeros(len(features.names))
    for feature in np.flatnonzero(features.varies):
        values = features.values[:, feature]
        levels = np.unique(values[np.isfinite(values)]) if features.is_category[feature] else None
        columns = (
            [values] if levels is None else [np.where(np.isnan(values), np.nan, values == one) for one in levels]
        )
        errors, spreads = zip(*(_errors(column, rows, places) for column in columns), strict=True)
        unexplained = sum(errors) / sum(spreads) if sum(spreads) > 0 else 1.0
        part[feature] = 1 - places.n / (places.n + 1) * unexplained
    return part


def _errors(values: DoubleArray, rows: np.ndarray, places: Places) -> tuple[float, float]:
    around = values[places.on_map[rows]]
    known = np.isfinite(around)
    n = known.sum(axis=1)
    mean = np.where(known, around, 0).sum(axis=1) / np.maximum(n, 1)
    is_told = np.isfinite(values[rows]) & (n > 0)
    own = values[rows][is_told]
    return float(((own - mean[is_told]) ** 2).sum()), float(((own - own.mean()) ** 2).sum()) if len(own) else 0.0
