"""What is drawn: a fitted model, the rows and features that were asked for, and their names."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ...checks.arguments import is_integer
from ...checks.rows import checked_rows as rows_asked_for
from ...checks.settings import n_components_of
from ...data.sparse import dense_rows
from ...docstrings import shared_parameters
from ...errors import InvalidParameterError, InvalidRowsError
from ...estimator import FeatMAP
from ...explanation import Explanation
from ...explanation.arrows import KINDS
from ...explanation.numbers import named, names_of_pixels
from ...values import IntArray
from .canvas import PLAIN_TEXT, shortened

Model: TypeAlias = FeatMAP | Explanation
ModelOrPipeline: TypeAlias = FeatMAP | Explanation | Pipeline
Shape: TypeAlias = tuple[int, int, int]  # height, width and channels of an image
documented = shared_parameters(
    """
model : FeatMAP, Explanation or Pipeline
    A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
image_shape : tuple of int, default=None
    If the features are pixels: (height, width) or (height, width, channels). Pixels are named by row and column.
feature_names : array-like of shape (n_features,), default=None
    Names of all features; None takes those of the data.
kind : {"blend", "tangent", "map", "frame"}, default="blend"
    The kind of arrows, as in ``model.arrows``.
ax : matplotlib Axes, default=None
    Where to draw; None makes a new figure.
"""
)

MOST_NAMES = 40  # more names in one picture are too small to read
ROWS_OF_A_SAMPLE = 5_000  # the picture of a random sample of so many rows looks like that of all, and takes less time
ROWS_IN_MEMORY = 500  # rows of which all features are in memory at one time

# The model


def checked_model(caller: str, model: Any) -> Model:
    """Return the fitted model or explanation; of a pipeline, its last step. It has features."""
    checked = checked_map(caller, model)
    checked._check_features()
    return checked


def checked_map(caller: str, model: Any) -> Model:
    """Return the fitted model or explanation; of a pipeline, its last step. It may be a map of distances."""
    last = last_step(model)
    if isinstance(last, FeatMAP):
        check_is_fitted(last)
    elif isinstance(model, Pipeline):
        raise InvalidParameterError(
            f"{caller}(model=pipeline): pipeline[-1] must be a fitted FeatMAP; got {type(last).__name__}"
        )
    elif not isinstance(last, Explanation):
        raise InvalidParameterError(
            f"{caller}(model=…): model must be a fitted FeatMAP or an Explanation, which "
            f"featmap.explain(X, Y) gives for any map; got {type(model).__name__}"
        )
    return last


def last_step(model: Any) -> Any:
    """Return the last step of a pipeline, which has the same rows, and anything else as it is."""
    return model[-1] if isinstance(model, Pipeline) else model


def check_two_dimensions(caller: str, model: Model) -> None:
    """Refuse maps of one dimension, on which arrows have no direction."""
    if model.embedding_.shape[1] < 2:
        raise InvalidParameterError(f"{caller}(model=…): the map must have two or more dimensions, n_components >= 2")


def map_behind(model: Model) -> np.ndarray | None:
    """Return the whole map if the model explains new rows or some of the rows, else None."""
    return model._points.mapped.embedding if model._points.is_part_of_map else None


def write_title(ax: Axes, model: Model, what: str | None = None) -> None:
    """Write above the Axes what is drawn, and below that, of which map."""
    ax.set_title("\n".join(filter(None, [what, name_of_map(model)])), fontsize="medium", **PLAIN_TEXT)


def name_of_map(model: Model) -> str:
    """Return what kind of map it is, its number of rows and, for a fitted model, the settings that shaped it."""
    n_rows = len(model.embedding_)
    rows = "row" if n_rows == 1 else "rows"
    if isinstance(model, FeatMAP):
        return f"featMAP of {n_rows:,} {rows} · {settings_of(model)}"
    if not model._points.is_part_of_map:
        return f"Map of {n_rows:,} {rows}"
    kind = "new " if (model._points.rows < 0).any() else ""
    return f"{n_rows:,} {kind}{rows} on the map of {len(model._points.mapped.embedding):,}"


def settings_of(model: FeatMAP) -> str:
    """Return the settings that shaped a map, without the metric and the components if they are the default."""
    settings = [f"{model.n_neighbors} neighbors", f"density {model.density_:.2g}"]
    n_components = n_components_of(model.pca)
    if n_components is not None:
        settings.append(f"{n_components} principal components")
    if model.metric != "euclidean":
        metric = model.metric
        settings.append(metric if isinstance(metric, str) else getattr(metric, "__name__", "own metric"))
    return ", ".join(settings)


# Rows


def checked_row(caller: str, model: Model, row: Any) -> int:
    """Return the number of one row, given by its number or its name. A negative number counts from the end."""
    chosen = checked_rows(caller, model, row, "row")
    if len(chosen) != 1:
        raise InvalidRowsError(f"{caller}(row=…): row must be one row; got {len(chosen)}")
    return int(chosen[0])


def checked_rows(caller: str, model: Model, rows: Any, parameter: str = "rows") -> IntArray:
    """Return the numbers of one or more rows, given by numbers, a mask, a slice or names."""
    try:
        chosen = rows_asked_for(rows, len(model.embedding_), row_names_of(model))
    except InvalidRowsError as error:
        raise InvalidRowsError(f"{caller}({parameter}=…): {error}") from error
    if not len(chosen):
        raise InvalidRowsError(f"{caller}({parameter}=…): {parameter} must select at least one row")
    return chosen


def row_names_of(model: Model) -> np.ndarray | None:
    """Return the names of the rows, if the data had some."""
    return getattr(model, "row_names_in_", None)


def name_of_row(model: Model, row: int) -> str:
    """Return the name that the data have for a row, else "row 3"."""
    names = row_names_of(model)
    return f"row {row}" if names is None else shortened(str(names[row]))


def some_of(rows: np.ndarray, most: int = ROWS_OF_A_SAMPLE) -> np.ndarray:
    """Return the rows, or a random sample of ``most`` of them in the same order."""
    if len(rows) <= most:
        return rows
    return rows[np.sort(np.random.default_rng(0).choice(len(rows), most, replace=False))]


def in_blocks(rows: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the rows, so many at a time that all their features fit into memory."""
    for start in range(0, len(rows), ROWS_IN_MEMORY):
        yield rows[start : start + ROWS_IN_MEMORY]


# Features


def names_of_features(caller: str, model: Model, given: Any, image_shape: Any) -> list[str]:
    """Return the names of all features of a model. Features without names are "feature 0", "feature 1" and so on."""
    return checked_names(caller, getattr(model, "feature_names_in_", range(model.n_features_in_)), given, image_shape)


def checked_names(caller: str, known: Any, given: Any, image_shape: Any) -> list[str]:
    """Return the given names, one for each feature; else those of pixels if there is a shape, else those known."""
    shape = None if image_shape is None else checked_shape(caller, image_shape, len(known))
    if given is None:
        return [named(name) for name in known] if shape is None else names_of_pixels(shape)
    texts = [str(name) for name in given]
    if len(texts) != len(known):
        raise InvalidParameterError(
            f"{caller}(feature_names=…): feature_names must have one name per feature, {len(known)}; got {len(texts)}"
        )
    return texts


def checked_shape(caller: str, image_shape: Any, n_features: int) -> Shape:
    """Return height, width and channels of images with one pixel per feature."""
    shape = tuple(np.atleast_1d(image_shape).tolist())
    whole = all(isinstance(length, int) and length > 0 for length in shape)
    if len(shape) not in (2, 3) or not whole or math.prod(shape) != n_features:
        raise InvalidParameterError(
            f"{caller}(image_shape={image_shape!r}): image_shape must be (height, width) or "
            f"(height, width, channels) with one value per feature; the model has {n_features} features"
        )
    height, width, channels = (*shape, 1)[:3]
    return height, width, channels


def checked_feature(caller: str, model: Model, feature: Any, given: Any, image_shape: Any) -> tuple[int, str]:
    """Return the column and the short name of a feature that is asked for by its number or by its name."""
    names = names_of_features(caller, model, given, image_shape)
    if is_integer(feature, -len(names), len(names) - 1):
        columns = [int(feature) % len(names)]
    else:
        columns = [column for column, name in enumerate(names) if isinstance(feature, str) and name == feature]
    if len(columns) == 1:
        return columns[0], shortened(names[columns[0]])
    reason = f"; {len(columns)} features have this name" if columns else ""
    raise InvalidParameterError(
        f"{caller}(feature={feature!r}): feature must be a column number from {-len(names)} to {len(names) - 1}, or "
        f"the name of one feature{reason}"
    )


def values_of_feature(model: Model, column: int) -> np.ndarray:
    """Return the values of one feature in the user's units. With cosine distances, rows have length 1."""
    points = model._points
    data = replace(points.mapped.data, matrix=points.values).columns(np.array([column]))
    return data.restore(dense_rows(data.matrix))[:, 0]


def check_kind(caller: str, kind: Any) -> None:
    """Refuse unknown kinds of arrows."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidParameterError(f"{caller}(kind={kind!r}): kind must be one of {', '.join(map(repr, KINDS))}")
