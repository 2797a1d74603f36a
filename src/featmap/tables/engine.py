"""What the answers are given of a map and its table: own values, and the way from them to rows of the fit."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from ..answers.asking import MapAnswers
from ..answers.table import Drawn, Table
from ..data.sparse import SparseRows
from ..data.units import Level
from ..errors import FeatmapWarning
from ..estimator import FeatMAP
from ..explanation.dependence import joined_with_groups
from ..explanation.points import MappedData, Points
from ..explorer.part_of_model import user_rows
from ..preparation.known import KnownColumn, KnownTable, Levels, OwnValues
from ..preparation.origins import OTHER, Origins
from ..values import DoubleArray, FloatArray
from .given import dense

ANOTHER_METHOD = "the map of another method has no place for changed rows"
OF_COMPONENTS = "the map was made of components of these columns, so that changed rows have no place on it"


def answers_of(
    points: Points, names: np.ndarray | None, row_names: np.ndarray | None, known: KnownTable, model: FeatMAP | None
) -> MapAnswers:
    """The answers about the rows of a map."""
    own = known.own or own_values(points, names)
    told: dict[str, Any] = {"unit": known.unit, "row_names": row_names, "unused": known.unused}
    told["image_shape"] = known.image_shape
    if own is None:
        given = None if names is None else names.tolist()
        table = Table.of_array(user_rows(points.mapped.data, slice(None)), names=given, **told)
        drawn = _drawn(points, model, _steps(points, names, table.names, (None,) * len(table.names)) or _as_they_are)
    else:
        at = {name: position for position, name in enumerate(known.order)}
        told["positions"] = tuple(at[name] for name in own.names) if at else ()
        table = Table(own.numbers, own.names, own.levels, **told)
        recipe = getattr(model, "recipe_", None)
        by_recipe = recipe and Preparing(recipe.origins, recipe.missing, own.names, own.levels)
        drawn = _drawn(points, model, by_recipe or _steps(points, names, own.names, own.levels))
    if known.order and drawn.can_move:
        drawn = replace(drawn, as_given=AsGiven(known, table.names, own.levels if own else ()))
    answers = MapAnswers(table, drawn, known.label, -1 if model is None else model.n_jobs)
    return answers if known.groups is None else _in_groups(answers, known.groups)


def _in_groups(answers: MapAnswers, groups: KnownColumn) -> MapAnswers:
    """The same answers, in which rows of one group are in one fold, as copies of a row are."""
    known = ~np.isnan(groups.numbers)
    own = np.arange(len(groups))  # a row without a group is one of its own
    own[known] = len(groups) + np.unique(groups.numbers[known], return_inverse=True)[1]
    codes = np.unique(own, return_inverse=True)[1].astype(np.int32)
    together = joined_with_groups(answers.ground.together.astype(np.int32), codes)
    answers.__dict__["ground"] = replace(answers.ground, together=together)
    return answers


def own_values(points: Points, names: np.ndarray | None) -> OwnValues | None:
    """Values with one column for each category that an encoder made columns of; None if there are none."""
    if names is None or not any(isinstance(name, Level) for name in names):
        return None
    X, sources = user_rows(points.mapped.data, slice(None)), _sources(names)
    columns: list[DoubleArray] = []
    levels: list[Levels | None] = []
    for source in dict.fromkeys(sources):
        chosen = np.flatnonzero(sources == source)
        if isinstance(names[chosen[0]], Level):
            texts = [names[h].level for h in chosen]
            order = np.argsort(texts)
            columns.append(_codes(X[:, chosen[order]]))
            levels.append(tuple(texts[place] for place in order))
        else:
            columns.append(X[:, chosen[0]])
            levels.append(None)
    return OwnValues(np.column_stack(columns), tuple(dict.fromkeys(sources)), tuple(levels))


def _codes(block: Any) -> DoubleArray:
    """The number of each row's level; a gap where an encoder made zeros only of a level that has no column."""
    block = np.asarray(dense(block))
    return np.where(block.max(axis=1) > 0.5, block.argmax(axis=1), np.nan)


def _sources(names: np.ndarray) -> np.ndarray:
    return np.array([name.category if isinstance(name, Level) else str(name) for name in names], object)


def _drawn(points: Points, model: FeatMAP | None, prepare: Any) -> Drawn:
    """The map with the means to move rows, if there are some."""
    mapped = points.mapped
    if model is None or mapped.by_another_method:
        return Drawn(mapped, no_moves=ANOTHER_METHOD)
    of_fit: MappedData = model._points.mapped
    if of_fit.data.shape[1] != mapped.data.shape[1]:
        return Drawn(of_fit, no_moves=OF_COMPONENTS)
    refit = Refit(model) if model.precomputed_knn is None else None
    return Drawn(of_fit, prepare, refit=refit)


def _as_they_are(rows: Any) -> Any:
    return rows


def _steps(
    points: Points, names: np.ndarray | None, own: tuple[str, ...], levels: tuple[Levels | None, ...]
) -> Preparing | None:
    """What the steps before a fit do to own values, if there were any."""
    units = points.mapped.data.units
    if units is None or names is None:
        return None
    of_fit = tuple(name.level if isinstance(name, Level) else None for name in names)
    origins = Origins(_sources(names), of_fit, units.factor, units.offset)
    return Preparing(origins, np.zeros(len(origins)), own, levels)


@dataclass(frozen=True)
class Preparing:
    """Makes rows of own values, (k, p), into rows of the fit, (k, n)."""

    origins: Origins
    missing: DoubleArray
    names: tuple[str, ...]
    levels: tuple[Levels | None, ...]

    def __call__(self, rows: np.ndarray) -> DoubleArray:
        """Rows of the fit; what is missing is filled as it was there."""
        places = {name: place for place, name in enumerate(self.names)}
        made = [self._column(rows[:, places[source]], places[source], h) for h, source in enumerate(self._sources)]
        return np.column_stack(made)

    @property
    def _sources(self) -> list[str]:
        return [str(source) for source in self.origins.sources]

    def _column(self, values: DoubleArray, place: int, h: int) -> DoubleArray:
        level, texts = self.origins.levels[h], self.levels[place]
        own = values
        if level is not None and texts is not None:
            own = np.isin(values, self._meant(level, texts, h)).astype(np.float64)
        given = (own - self.origins.offset[h]) / self.origins.factor[h]
        return np.where(np.isnan(values), self.missing[h], given)

    def _meant(self, level: str, texts: Levels, h: int) -> list[int]:
        """The numbers of the levels that a column of the fit stands for."""
        if level != OTHER:
            return [code for code, text in enumerate(texts) if text == level]
        pairs = zip(self._sources, self.origins.levels, strict=True)
        known = {one for source, one in pairs if source == self._sources[h] and one != OTHER}
        return [code for code, text in enumerate(texts) if text not in known]


@dataclass(frozen=True)
class Refit:
    """Makes the map again with one row changed."""

    model: FeatMAP

    def __call__(self, row: int, prepared: Any, seed: int) -> FloatArray:
        """The new map of all rows."""
        data = replace(self.model._points.mapped.data, units=None)
        X = user_rows(data, slice(None))
        if isinstance(data.matrix, SparseRows):
            X = sp.vstack([X[:row], sp.csr_matrix(prepared), X[row + 1 :]], format="csr")
        else:
            X[row] = prepared
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FeatmapWarning)
            return clone(self.model).set_params(random_state=seed).fit(X).embedding_


@dataclass(frozen=True)
class AsGiven:
    """Makes the values of a row into a row of the user's own table, without the label."""

    known: KnownTable
    names: tuple[str, ...]
    levels: tuple[Levels | None, ...]

    def __call__(self, values: np.ndarray, row: int) -> Any:
        """A Series over the columns of the table that are known, in their order; an array where pandas is missing."""
        try:
            from pandas import Series
        except ImportError:
            return values
        cells: dict[str, Any] = {column.name: column.tolist()[row] for column in self.known.columns}
        cells |= {name: self._cell(values[h], h) for h, name in enumerate(self.names)}
        chosen = [name for name in self.known.order if name in cells]
        return Series([cells[name] for name in chosen], chosen, dtype=object)

    def _cell(self, value: float, h: int) -> Any:
        if np.isnan(value):
            return None
        levels = self.levels[h] if self.levels else None
        if levels is not None:
            return levels[int(value)]
        own = self.known.own
        column = None if own is None else own.numbers[:, h]
        are_whole = column is not None and bool(np.all(np.isnan(column) | (column == np.rint(column))))
        return int(value) if are_whole and float(value).is_integer() else float(value)
