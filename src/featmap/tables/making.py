"""`map_table`: one call from a table to its map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..checks.parameters import check_parameters
from ..checks.settings import is_given, n_components_of
from ..errors import InvalidDataError, InvalidParameterError
from ..estimator import FeatMAP
from ..explanation.mixin import NO_FEATURES
from ..preparation.columns import text_of
from .given import Given, with_shape
from .knowing import known_of
from .preparing import CALLER, Asked, Prepared, check_names, prepared_of
from .table_map import TableMap
from .taking import taken


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
    asked = Asked(label, id, (drop,) if isinstance(drop, str) else tuple(drop), scale, groups)
    check_names(given, asked)
    if image_shape is not None:
        given = with_shape(_pixels(given, asked), image_shape)
        asked = replace(asked, id=None, drop=())
    prepared = prepared_of(given, asked)
    known = known_of(given, prepared, asked, unit)
    pca, text = _components(given, prepared, parameters)
    model.set_params(pca=pca).fit(prepared.fit, callback=callback)
    return TableMap._of(model, replace(known, text="\n".join([known.text, *text])))


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
    if model.metric == "precomputed":
        raise InvalidParameterError(NO_FEATURES)
    return model


def _pixels(given: Given, asked: Asked) -> Given:
    """Of a frame with pixels and a few other columns that were named, the pixels, with the others beside them."""
    if not given.is_frame:
        return given
    frame, named = given.values, {name for _, name in asked.named}
    values = np.column_stack([np.asarray(frame[name]) for name in frame.columns if name not in named])
    if values.dtype.kind not in "biuf":
        raise InvalidDataError(f"{CALLER}(image_shape=…): a column of {given.called} holds no numbers; drop it")
    kept = named - set(asked.drop) - {asked.id}
    columns = {str(name): np.asarray(frame[name]) for name in frame.columns if name in kept}
    ids = given.ids if asked.id is None else [text_of(value) for value in np.asarray(frame[asked.id]).tolist()]
    return Given(given.called, values, ids=ids, columns=columns, unit=given.unit)


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
