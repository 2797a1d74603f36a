"""What a user says of the rows of a map: labels and other columns, names, the shape of pictures, further maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks.inputs import check_embedding
from ..checks.rows import check_order, label_values
from ..errors import InvalidDataError, InvalidParameterError
from ..values import FloatArray, IntArray

MOST_CATEGORIES = 1000  # of a column that is not of numbers
FEWEST_NUMBERS = 30  # whole numbers with more distinct values are not labels but a scale


@dataclass(frozen=True)
class Column:
    """One value for each row: codes of categories, or numbers."""

    name: str
    values: np.ndarray  # (rows,) codes, the largest of their type for missing ones; or float64, NaN for missing ones
    categories: tuple[str, ...] | None  # None for numbers


@dataclass(frozen=True)
class Annotations:
    """Labels, columns, names and images of the rows."""

    columns: tuple[Column, ...]
    ids: tuple[str, ...] | None
    image_shape: tuple[int, int, int] | None
    maps: dict[str, FloatArray]

    def of_rows(self, rows: IntArray) -> Annotations:
        """The annotations of some of the rows."""
        columns = tuple(Column(one.name, one.values[rows], one.categories) for one in self.columns)
        ids = None if self.ids is None else tuple(self.ids[row] for row in rows)
        return Annotations(columns, ids, self.image_shape, {name: map_[rows] for name, map_ in self.maps.items()})


def checked_annotations(
    caller: str,
    n_rows: int,
    n_features: int,
    row_names: np.ndarray | None,
    *,
    labels: Any = None,
    columns: Any = None,
    ids: Any = None,
    image_shape: Any = None,
    maps: Any = None,
) -> Annotations:
    """Check what the user gave."""
    given = [] if labels is None else [("labels", getattr(labels, "name", None) or "label", labels, True)]
    given += [("columns", name, values, False) for name, values in _named_columns(caller, columns)]
    for argument, _, values, _ in given:
        check_order(argument, values, row_names)
    found = [
        _column(caller, argument, str(name), values, n_rows, are_labels)
        for argument, name, values, are_labels in given
    ]
    names: Any = row_names if ids is None else [str(name) for name in ids]
    if ids is not None and len(names) != n_rows:
        raise InvalidDataError(f"{caller}(ids=…): ids must have one name per row, {n_rows}; got {len(names)}")
    return Annotations(
        tuple(found),
        None if names is None else tuple(str(name) for name in names),
        _image_shape(caller, image_shape, n_features),
        _maps(caller, maps, n_rows),
    )


def _named_columns(caller: str, columns: Any) -> Iterable[tuple[Any, Any]]:
    if columns is None:
        return []
    if hasattr(columns, "columns"):  # a frame of pandas or polars
        return [(name, columns[name]) for name in columns.columns]
    if isinstance(columns, Mapping):
        return columns.items()
    raise InvalidParameterError(f"{caller}(columns=…): columns must be a frame, or a dict of names and values")


def _column(caller: str, argument: str, name: str, values: Any, n_rows: int, are_labels: bool) -> Column:
    found, missing = label_values(caller, values, n_rows, argument)
    known = found[~missing]
    if known.dtype.kind in "iuf" and not (are_labels and _are_codes(known)):
        numbers = np.full(n_rows, np.nan)
        numbers[~missing] = known.astype(np.float64)
        return Column(name, numbers, None)
    try:
        distinct, codes = np.unique(known, return_inverse=True)
    except TypeError:
        distinct, codes = np.unique(np.array([str(value) for value in known]), return_inverse=True)
    if len(distinct) > MOST_CATEGORIES:
        raise InvalidDataError(
            f"{caller}({argument}=…): {name!r} has {len(distinct):,} different values, more than the "
            f"{MOST_CATEGORIES:,} that can have a colour each; give names of rows as ids, or group the values"
        )
    type_ = np.uint8 if len(distinct) < 2**8 else np.uint16
    of_rows = np.full(n_rows, np.iinfo(type_).max, type_)
    of_rows[~missing] = codes
    return Column(name, of_rows, tuple(str(value) for value in distinct))


def _are_codes(values: np.ndarray) -> bool:
    """Whether numbers are labels: whole, and not many different ones."""
    return bool((values == np.rint(values)).all()) and len(np.unique(values)) <= FEWEST_NUMBERS


def _image_shape(caller: str, shape: Any, n_features: int) -> tuple[int, int, int] | None:
    if shape is None:
        return None
    try:
        sides = tuple(int(side) for side in shape)
    except (TypeError, ValueError):
        sides = ()
    if len(sides) == 2:
        sides = (*sides, 1)
    if len(sides) != 3 or sides[2] not in (1, 3) or min(sides) < 1 or np.prod(sides) != n_features:
        raise InvalidParameterError(
            f"{caller}(image_shape={shape!r}): image_shape must be (height, width) or (height, width, 3), with one "
            f"pixel for each of the {n_features} features"
        )
    return sides


def _maps(caller: str, maps: Any, n_rows: int) -> dict[str, FloatArray]:
    if maps is None:
        return {}
    if not isinstance(maps, Mapping):
        raise InvalidParameterError(f"{caller}(maps=…): maps must be a dict of names and embeddings")
    found = {str(name): check_embedding(embedding, caller, f"maps[{name!r}]") for name, embedding in maps.items()}
    planes = {name: np.zeros((n_rows, 2), np.float32) for name in found}  # if there is no second coordinate, it is 0
    for name, embedding in found.items():
        if len(embedding) != n_rows:
            raise InvalidDataError(
                f"{caller}(maps=…): {name!r} must have one row for each of the {n_rows} rows; got {len(embedding)}"
            )
        planes[name][:, : embedding.shape[1]] = embedding[:, :2]
    return planes
