"""The known table and the drawn map, from what users have: arrays, frames with their preparation, fitted models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data.sparse import Matrix
from ..estimator import FeatMAP
from ..explanation import Explanation
from ..preparation.columns import CATEGORY, ID, LEFT_OUT, NUMBER, Column, as_kind, read_named
from ..preparation.prepare import Prepare
from ..values import DoubleArray, FloatArray
from .table import Drawn, Levels, Table

Refit = Callable[[int, Matrix, int], FloatArray]

ANOTHER_METHOD = "the map is of another method, which has no place for changed rows"


def table_of_frame(frame: Any, prepared: Prepare, **known: Any) -> Table:
    """The columns of a frame that a preparation uses, with their gaps; further arguments are those of `Table`.

    Parameters
    ----------
    frame : pandas or polars DataFrame, or array-like
        The table that the preparation was fitted to.
    prepared : Prepare
        The fitted preparation.
    **known
        Further fields of `Table`: ``unit``, ``row_names``, ``alike``.

    Returns
    -------
    Table
        Numbers first, then categories, in the order in which the preparation has them.

    Examples
    --------
    >>> import pandas as pd
    >>> from featmap import Prepare
    >>> from featmap.answers.making import table_of_frame
    >>> frame = pd.DataFrame({"mass": [3750.0, None, 4200.0], "island": ["Biscoe", "Dream", "Biscoe"]})
    >>> table_of_frame(frame, Prepare().fit(frame)).levels
    (None, ('Biscoe', 'Dream'))
    """
    columns, levels = _coded(used_columns(frame, prepared))
    names = tuple(role.name for kind in (NUMBER, CATEGORY) for role in prepared.roles_ if role.use == kind)
    unused = [(role.name, role.reason) for role in prepared.roles_ if role.use in (LEFT_OUT, ID)]
    at = {role.name: position for position, role in enumerate(prepared.roles_)}
    positions = tuple(at[name] for name in names)
    return Table(np.column_stack(columns), names, levels, unused=tuple(unused), positions=positions, **known)


def drawn_by_model(model: FeatMAP, prepare: Callable[[Any], Matrix] | None = None, X: Any = None) -> Drawn:
    """The map of a fitted model.

    Parameters
    ----------
    model : FeatMAP
        The fitted model.
    prepare : callable or None, default=None
        Makes rows of the table into rows as the model was given them, see `prepare_of`. By default they are the same.
    X : array-like or sparse matrix, default=None
        The data that the model was fitted to, if new maps are to verify moves.

    Returns
    -------
    Drawn
        What answers need of the map.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> from featmap.answers.making import drawn_by_model
    >>> drawn_by_model(FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)).can_move
    True
    """
    mapped = model._points.mapped
    if not mapped.manifold.has_features:
        return Drawn(mapped, no_moves="only distances between rows are known")
    return Drawn(mapped, prepare or (lambda rows: rows), refit=None if X is None else refit_of(model, X))


def drawn_by_another(explanation: Explanation) -> Drawn:
    """The map of another method, as `explain` has it. It has no place for changed rows.

    Parameters
    ----------
    explanation : Explanation
        What ``explain(X, Y)`` returned.

    Returns
    -------
    Drawn
        What answers need of the map.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import explain
    >>> from featmap.answers.making import drawn_by_another
    >>> X = load_iris().data
    >>> drawn_by_another(explain(X, PCA(2).fit_transform(X))).can_move
    False
    """
    return Drawn(explanation._points.mapped, no_moves=ANOTHER_METHOD)


def prepare_of(prepared: Prepare, table: Table) -> Callable[[DoubleArray], np.ndarray]:
    """How rows of a table that `table_of_frame` made become rows as the map was given them."""
    levels = [None if one is None else np.array(one, object) for one in table.levels]

    def prepare(rows: DoubleArray) -> np.ndarray:
        columns = [_texts(rows[:, place], one) for place, one in enumerate(levels)]
        return np.asarray(prepared.steps_.transform(np.column_stack(columns)))

    return prepare


def refit_of(model: FeatMAP, X: Any) -> Refit:
    """How to make the map again with another row in the place of one."""
    from sklearn.base import clone

    def refit(row: int, prepared: Matrix, seed: int) -> FloatArray:
        changed = X.copy()
        if sp.issparse(X):
            changed = sp.vstack([X[:row], sp.csr_matrix(prepared), X[row + 1 :]], format="csr")
        else:
            changed[row] = prepared[0]
        return clone(model).set_params(random_state=seed).fit(changed).embedding_

    return refit


def used_columns(frame: Any, prepared: Prepare) -> list[Column]:
    """The columns that a preparation uses, as it reads them: numbers first."""
    kinds = {role.name: role.use for role in prepared.roles_}
    used = [name for kind in (NUMBER, CATEGORY) for name, use in kinds.items() if use == kind]
    columns = read_named(frame, used, prepared.feature_names_in_.tolist())
    return [as_kind(column, kinds[column.name]) for column in columns]


def _coded(columns: list[Column]) -> tuple[list[DoubleArray], tuple[Levels | None, ...]]:
    values: list[DoubleArray] = []
    levels: list[Levels | None] = []
    for column in columns:
        if column.kind == NUMBER:
            values.append(column.values)
            levels.append(None)
            continue
        known = tuple(sorted({text for text in column.values if text is not None}))
        number = {text: code for code, text in enumerate(known)}
        values.append(np.array([np.nan if text is None else number[text] for text in column.values], np.float64))
        levels.append(known)
    return values, tuple(levels)


def _texts(codes: DoubleArray, levels: np.ndarray | None) -> np.ndarray:
    """A column as the preparation was given it."""
    if levels is None:
        return codes
    texts = np.full(len(codes), None, object)
    known = np.isfinite(codes)
    texts[known] = levels[codes[known].astype(np.int64)]
    return texts
