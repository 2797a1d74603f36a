"""The map coloured by what is known of each point: a feature, or how little tangent spaces turn there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from ..errors import InvalidParameterError
from .canvas import PLAIN_TEXT, axes_or_new
from .checks import check_model
from .cloud import Cloud
from .frame import add_to_label
from .legends import colour_bar
from .names import checked_feature, names_of_features, shortened
from .sample import some_of

if TYPE_CHECKING:
    from .checks import Model

ROWS_AT_ONCE = 500


def feature(
    model: Model,
    feature: int | str,
    *,
    values: Any = None,
    feature_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the map coloured by the importance of one feature, or by its ``values``, one for each row.

    A feature is a column number or a name. Of more than 5,000 rows a random sample shows its importance, on all
    points in pale grey; values are shown for all points.
    """
    check_model("feature", model)
    column = checked_feature("feature", model, feature_names, feature)
    (name,) = names_of_features("feature", model, feature_names, [column])
    short = shortened(name)
    if values is not None:
        given = _checked_values(values, len(model.embedding_))
        return _coloured(model, np.arange(len(given)), given, f"Values of {short}", "value", ax)
    rows = some_of(np.arange(len(model.embedding_)))
    return _coloured(model, rows, _importance_of(model, rows, column), f"Importance of {short}", "importance", ax)


def alignment(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the map coloured by how little neighbouring tangent spaces turn: see `Explanation.consistency`.

    Dark places are curved or noisy: frames change from point to point there, and arrows are true nearby only. Of
    more than 5,000 rows a random sample is coloured, on all points in pale grey.
    """
    check_model("alignment", model)
    rows = some_of(np.arange(len(model.embedding_)))
    title = "Where neighbouring tangent spaces turn"
    return _coloured(model, rows, model.consistency(rows), title, "mean cos Θ (1: they do not turn)", ax)


def _coloured(model: Model, rows: np.ndarray, values: np.ndarray, title: str, meaning: str, ax: Axes | None) -> Axes:
    ax = axes_or_new(ax)
    cloud = Cloud(ax, model.embedding_)
    shown = cloud.draw_sample(rows, values)
    colour_bar(ax, shown, meaning if np.isfinite(values).all() else f"{meaning} · grey: missing")
    cloud.furnish()
    if len(rows) < len(model.embedding_):
        add_to_label(ax, f"{len(rows):,} of {len(model.embedding_):,} points are coloured")
    ax.set_title(title, **PLAIN_TEXT)
    return ax


def _importance_of(model: Model, rows: np.ndarray, column: int) -> np.ndarray:
    """Of one feature; the importance of all features is held for a few rows at a time."""
    starts = range(0, len(rows), ROWS_AT_ONCE)
    return np.concatenate([model.feature_importance(rows[at : at + ROWS_AT_ONCE])[:, column] for at in starts])


def _checked_values(values: Any, n_points: int) -> np.ndarray:
    try:
        given = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidParameterError("feature(values=...): must be numbers, one for each row") from None
    if given.shape != (n_points,):
        raise InvalidParameterError(
            f"feature(values=...): must be one number per row, shape ({n_points},); got shape {given.shape}"
        )
    return given
