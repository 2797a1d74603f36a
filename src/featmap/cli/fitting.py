"""A map of a file: prepared, fitted with progress on stderr, and explained in the columns of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.arguments import listed
from ..checks.inputs import NamedTable
from ..checks.settings import is_given, n_components_of
from ..errors import InvalidParameterError
from ..estimator import FeatMAP
from ..preparation.columns import CATEGORY, text_of
from ..preparation.pipelines import in_original_units
from ..preparation.prepare import Prepare, Recipe, mostly_empty
from .files import check_finite
from .reading import FileData, dense, stored
from .shared import shown_on_stderr

if TYPE_CHECKING:
    from ..explanation.mixin import ExplanationMixin


@dataclass(frozen=True)
class Asked:
    """The user's choices about the columns of a file and about the map."""

    label: str | None
    id: str | None
    drop: Sequence[str]
    scale: bool | None  # None: tables are scaled, arrays are not
    n_neighbors: int
    pca: int | None
    seed: int
    n_jobs: int
    quiet: bool


@dataclass(frozen=True)
class Mapped:
    """A fitted model, the explanation that speaks of the user's columns, and what is known of its rows."""

    model: FeatMAP
    answers: ExplanationMixin
    text: str  # what was done to the data
    label: Any  # one for each row, or None; a column of a table knows its name
    columns: dict[str, np.ndarray]
    ids: list[str] | None
    image_shape: tuple[int, ...] | None
    is_empty: np.ndarray  # (rows,) rows with more gaps than values


def fitted(source: FileData, asked: Asked) -> Mapped:
    """The map of a file."""
    label = None if asked.label is None else source.columns.get(asked.label)
    if label is not None:
        check_finite(str(asked.label), label)
    with shown_on_stderr(asked.quiet):
        prepared, table, text = _prepared(source, asked)
    pca = source.components if asked.pca is None else asked.pca
    if prepared is not None and asked.pca is None:
        pca = n_components_of(pca)  # directions in a file are those of its values before any preparation
    if pca is not None:
        kind = "components in X_pca" if is_given(pca) else "principal components"
        text += f"\nNeighbours and map are made of {n_components_of(pca)} {kind}."
    model = FeatMAP(n_neighbors=asked.n_neighbors, pca=pca, random_state=asked.seed, n_jobs=asked.n_jobs)
    with shown_on_stderr(asked.quiet, "reading") as callback:
        model.fit(table, callback=callback)
    ids = None if table.row_names is None else list(table.row_names)
    if prepared is None:
        is_empty = np.zeros(source.n_rows, bool)
        return Mapped(model, model, text, label, source.columns, ids, source.image_shape, is_empty)
    columns = {**source.columns, **_categories(source, prepared)}
    label = source.values[asked.label] if prepared.label_ is not None else label
    return Mapped(model, in_original_units(model), text, label, columns, ids, None, mostly_empty(prepared))


def _prepared(source: FileData, asked: Asked) -> tuple[Prepare | None, NamedTable, str]:
    """The preparation of the values, if they need one, the data of the fit, and what is done to them in words."""
    label = None if asked.label in source.columns else asked.label
    _check_names(source, [("--label", label), ("--id", asked.id), *(("--drop", name) for name in asked.drop)])
    held = None if source.is_table else stored(source.values)
    has_gaps = held is not None and held.dtype.kind == "f" and np.isnan(np.min(held, initial=0.0))
    if held is not None and not asked.scale and not has_gaps:
        kind = "numbers" if source.image_shape is None else "pixels"
        size = f"{source.n_rows:,} rows and {source.values.shape[1]:,} columns of {kind}."
        text = f"{size} {source.text or 'They are used as they are.'}"
        return None, NamedTable(source.values, source.names, source.ids), text
    scale = source.is_table if asked.scale is None else asked.scale
    prepared = Prepare(id=asked.id, drop=tuple(asked.drop), label=label, scale=scale, names=source.names)
    values = dense(source.values)
    table = prepared.fit(values).transform(values)
    ids = source.ids if prepared.ids_ is None else prepared.ids_.tolist()
    text = "\n".join(filter(None, [source.text, str(prepared)]))
    return prepared, NamedTable(table, None, ids, Recipe.of(prepared)), text


def _check_names(source: FileData, asked: list[tuple[str, str | None]]) -> None:
    known = [*(source.values.columns if source.is_table else []), *source.columns]
    for option, name in asked:
        if name is not None and name not in known:
            there = f"there are {listed(known)}" if known else "it has no named columns"
            raise InvalidParameterError(f"{option} {name}: {source.path.name} has no such column; {there}")
        if name is not None and not source.is_table:
            raise InvalidParameterError(f"{option} {name}: this column is no feature; leave {option} out")


def _categories(source: FileData, prepared: Prepare) -> dict[str, np.ndarray]:
    """The categories of a table as texts, by which a page can be coloured."""
    names = [role.name for role in prepared.roles_ if role.use == CATEGORY] if source.is_table else []
    texts = {name: [None if one is None else text_of(one) for one in source.values[name]] for name in names}
    return {name: np.array(values, dtype=object) for name, values in texts.items()}
