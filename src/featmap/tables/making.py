"""`map_table`: one call from a table to its map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..checks.arguments import listed
from ..checks.inputs import NamedTable
from ..checks.parameters import check_parameters
from ..checks.settings import is_given, n_components_of
from ..errors import InvalidDataError, InvalidParameterError
from ..estimator import FeatMAP
from ..preparation.columns import CATEGORY, LEFT_OUT, NUMBER, Column, read_columns
from ..preparation.known import KnownColumn, KnownTable, OwnValues, can_colour
from ..preparation.prepare import Prepare, Recipe
from .given import Given, dense, stored, with_shape
from .table_map import TableMap
from .taking import taken

CALLER = "map_table"
LABEL, GROUPS = "label", "groups"


def map_table(
    table: Any,
    label: Any = None,
    *,
    id: str | None = None,
    drop: Sequence[str] = (),
    scale: bool | None = None,
    groups: Any = None,
    image_shape: tuple[int, ...] | None = None,
    unit: str | None = None,
    names: Sequence[Any] | None = None,
    callback: Callable[[str, int, int], object] | None = None,
    **parameters: Any,
) -> TableMap:
    """Make a map of a table, which knows the table from then on.

    Columns that identify rows, columns with one value, columns with more gaps than values, dates and free text are
    left out. Gaps are filled, categories are encoded and numbers are scaled, as `Prepare` does it; answers are about
    the values of the table, and filled values have no part in them. Printed, the map says what was done.

    Arrays without names and sparse matrices are used as they are, with all columns as numbers of one kind. Counts of
    an AnnData are normalised per cell and their logarithms are taken.

    Parameters
    ----------
    table : DataFrame, array-like, sparse matrix, AnnData, str or path
        A frame of pandas or polars; an array, with ``names`` of its columns if they are of different kinds; a sparse
        matrix; an AnnData; or the path of a table (.csv, .tsv, .parquet), an array (.npy, .npz), an .h5ad file or a
        folder of images. It is never changed.
    label : str, array-like or None, default=None
        What is known of the rows and must have no part in the map, such as a diagnosis: the name of a column, or one
        value for each row. Values may be missing.
    id : str or None, default=None
        The column that identifies rows. By default it is found, or the index of a pandas frame is taken.
    drop : sequence of str, default=()
        Further columns to leave out.
    scale : bool or None, default=None
        Whether numbers are scaled to standard deviation 1. By default those of tables with named columns are, and
        those of arrays, sparse matrices and images are not.
    groups : str, array-like or None, default=None
        Rows that depend on each other, such as visits of one patient: the name of a column, or one value for each
        row. What is promised of a rule then holds for other groups.
    image_shape : tuple of int or None, default=None
        Height and width, and 3 for colours, of images whose pixels are the columns.
    unit : str or None, default=None
        What a row is, "tumour" for example. By default "row", of an AnnData "cell", of images "image".
    names : sequence of str or None, default=None
        Names of the columns of an array or a sparse matrix.
    callback : callable or None, default=None
        A function that is called with the progress, as in `FeatMAP.fit`.
    **parameters : dict
        Parameters of `FeatMAP`: ``n_neighbors``, ``pca``, ``metric`` and so on. ``random_state`` is 0 by default.

    Returns
    -------
    TableMap
        The map, with answers in the words of the table.

    Examples
    --------
    >>> import featmap
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> species = iris.target_names[iris.target]
    >>> found = featmap.map_table(iris.data, species, unit="flower", n_epochs=50)
    >>> found
    TableMap(150 flowers, 4 columns, label label)
    """
    _check_choices(scale, unit)
    model = _checked_model(parameters)
    given = taken(CALLER, table, names)
    if image_shape is not None:
        given = with_shape(_pixels(given, label, id, groups, drop), image_shape)
    asked = Asked(label, id, tuple(drop) if not isinstance(drop, str) else (drop,), scale, groups)
    _check_names(given, asked)
    prepared = _prepared(given, asked)
    known = _known(given, prepared, asked, unit)
    pca, text = _components(given, prepared, parameters)
    model.set_params(pca=pca).fit(prepared.fit, callback=callback)
    return TableMap._of(model, replace(known, text="\n".join([prepared.text, *text])))


@dataclass(frozen=True)
class Asked:
    """What the user says of the columns."""

    label: Any
    id: str | None
    drop: tuple[str, ...]
    scale: bool | None
    groups: Any

    @property
    def named(self) -> list[tuple[str, str]]:
        """Parameters that name a column, with the name."""
        one = [(name, getattr(self, name)) for name in ("label", "id", "groups")]
        return [(name, value) for name, value in one if isinstance(value, str)] + [
            ("drop", name) for name in self.drop
        ]


@dataclass(frozen=True)
class Prepared:
    """What a fit is given, and how it was made."""

    fit: NamedTable
    text: str
    preparation: Prepare | None = None
    columns: tuple[Column, ...] = ()  # of the table, as they were read


def _check_choices(scale: Any, unit: Any) -> None:
    if scale is not None and not isinstance(scale, bool | np.bool_):
        raise InvalidParameterError(f"{CALLER}(scale={scale!r}): scale must be True, False or None")
    if unit is not None and not (isinstance(unit, str) and unit.strip()):
        raise InvalidParameterError(f"{CALLER}(unit={unit!r}): unit must be a noun, such as 'tumour'")


def _checked_model(parameters: dict[str, Any]) -> FeatMAP:
    """A model with these parameters. Wrong ones are refused before the table is read."""
    known = FeatMAP._get_param_names()
    unknown = [name for name in parameters if name not in known]
    if unknown:
        raise InvalidParameterError(
            f"{CALLER}({unknown[0]}=…): there is no such parameter, neither of {CALLER} nor of FeatMAP"
        )
    model = FeatMAP(**{"random_state": 0, **parameters})
    check_parameters("FeatMAP", model.get_params(deep=False))
    return model


def _pixels(given: Given, label: Any, id: Any, groups: Any, drop: Sequence[str]) -> Given:
    """Of a frame with pixels and a few other columns that were named, the pixels, with the others beside them."""
    if not given.is_frame:
        return given
    frame = given.values
    aside = {name for name in (label, id, groups, *drop) if isinstance(name, str) and name in frame.columns}
    pixels = [name for name in frame.columns if name not in aside]
    values = np.column_stack([np.asarray(frame[name]) for name in pixels])
    columns = {str(name): np.asarray(frame[name]) for name in frame.columns if name in aside and name not in drop}
    ids = given.ids if not isinstance(id, str) or id not in columns else [str(one) for one in columns.pop(id)]
    if values.dtype.kind not in "biuf":
        raise InvalidDataError(f"{CALLER}(image_shape=…): a column of {given.called} holds no numbers; drop it")
    return Given(given.called, values, ids=ids, columns=columns, unit=given.unit)


def _check_names(given: Given, asked: Asked) -> None:
    """Whether the columns that were named are there."""
    own = [str(name) for name in given.values.columns] if given.is_frame else list(given.names or ())
    own = own if given.is_table else []
    known = [*own, *given.columns]
    for parameter, name in asked.named:
        if name not in known and not (parameter == "id" and given.image_shape and given.ids is not None):
            there = f"there are {listed(known)}" if known else "it has no named columns"
            raise InvalidParameterError(f"{CALLER}({parameter}={name!r}): {given.called} has no such column; {there}")
        if name in given.columns and parameter in ("id", "drop"):
            raise InvalidParameterError(f"{CALLER}({parameter}={name!r}): this column is no feature; leave it out")


def _prepared(given: Given, asked: Asked) -> Prepared:
    """The data of the fit. Values that are finite numbers of one kind need no preparation."""
    held = None if given.is_table else stored(given.values)
    has_gaps = held is not None and held.dtype.kind == "f" and np.isnan(np.min(held, initial=0.0))
    if held is not None and not asked.scale and not has_gaps:
        kind = "numbers" if given.image_shape is None else "pixels"
        size = f"{given.n_rows:,} rows and {given.values.shape[1]:,} columns of {kind}."
        text = f"{size} {given.text or 'They are used as they are.'}"
        return Prepared(NamedTable(given.values, given.names, given.ids), text)
    values = dense(given.values)
    columns = read_columns(CALLER, values, given.names)
    own = {column.name for column in columns}
    aside = [name for name in (asked.label, asked.groups) if isinstance(name, str) and name in own]
    label = aside[0] if asked.label in aside else None
    scale = given.is_table if asked.scale is None else asked.scale
    drop = (*asked.drop, *(name for name in aside if name != label and name not in asked.drop))
    preparation = Prepare(id=asked.id, drop=drop, label=label, scale=scale, names=given.names)
    preparation._learned(columns, drop)
    table = preparation._made_of([column for name in preparation._used for column in columns if column.name == name])
    ids = given.ids
    if preparation.ids_ is not None and (ids is None or asked.id is not None):
        ids = preparation.ids_.tolist()
    text = "\n".join(filter(None, [given.text, str(preparation)]))
    return Prepared(NamedTable(table, None, ids, Recipe.of(preparation)), text, preparation, tuple(columns))


def _components(given: Given, prepared: Prepared, parameters: dict[str, Any]) -> tuple[Any, list[str]]:
    """The components that the map is made of, and a line that says so."""
    if "pca" in parameters:
        pca = parameters["pca"]
    else:  # directions in a file are those of its values before any preparation
        pca = given.components if prepared.preparation is None else n_components_of(given.components)
    if pca is None:
        return None, []
    kind = "components in X_pca" if is_given(pca) and "pca" not in parameters else "principal components"
    return pca, [f"Neighbours and map are made of {n_components_of(pca)} {kind}."]


def _known(given: Given, prepared: Prepared, asked: Asked, unit: str | None) -> KnownTable:
    """What is known of the rows beside the data of the fit."""
    by_name = {column.name: column for column in prepared.columns}
    label = _column_of(LABEL, asked.label, given, by_name)
    if label is not None and np.isnan(label.numbers).all():
        raise InvalidDataError(f"{CALLER}(label={label.name!r}): no row has a label; leave label out")
    groups = _column_of(GROUPS, asked.groups, given, by_name)
    aside = {column.name for column in (label, groups) if column is not None}
    columns = [column for column in _known_columns(given) if column.name not in aside]
    unused: tuple[tuple[str, str], ...] = ()
    own: OwnValues | None = None
    order: tuple[str, ...] = ()
    if prepared.preparation is not None:
        roles = {role.name: role for role in prepared.preparation.roles_}
        used = [column for column in prepared.columns if roles[column.name].use in (NUMBER, CATEGORY)]
        own = OwnValues.of(used)
        unused = tuple((role.name, role.reason) for role in roles.values() if role.use == LEFT_OUT)
        colouring = [column for column in prepared.columns if _colours(column, roles[column.name].use)]
        columns += [KnownColumn.of_column(column) for column in colouring if column.name not in aside]
        order = tuple(column.name for column in prepared.columns)
    return KnownTable(
        unit=unit or given.unit,
        label=label,
        columns=tuple(columns),
        unused=unused,
        own=own,
        order=order if given.is_frame or given.names is not None else (),
        groups=groups,
        image_shape=None if prepared.preparation is not None else given.image_shape,
    )


def _colours(column: Column, use: str) -> bool:
    """Whether the page can be coloured by a column beside those that the map was made of."""
    return use == CATEGORY or (use == LEFT_OUT and can_colour(column))


def _column_of(parameter: str, asked: Any, given: Given, by_name: dict[str, Column]) -> KnownColumn | None:
    if asked is None:
        return None
    if not isinstance(asked, str):
        name = str(getattr(asked, "name", None) or parameter)
        return KnownColumn.of_values(f"{CALLER}({parameter}=…)", name, asked, given.n_rows)
    if asked in by_name:
        return KnownColumn.of_column(by_name[asked])
    return KnownColumn.of_values(f"{CALLER}({parameter}={asked!r})", asked, given.columns[asked], given.n_rows)


def _known_columns(given: Given) -> list[KnownColumn]:
    """What came with the values, such as the annotations of cells, as far as it can colour a map."""
    found = []
    for name, values in given.columns.items():
        try:
            column = KnownColumn.of_values(CALLER, name, values, given.n_rows)
        except (InvalidDataError, TypeError):
            continue
        if column.levels is None or 2 * len(column.levels) <= np.isfinite(column.numbers).sum():
            found.append(column)
    return found
