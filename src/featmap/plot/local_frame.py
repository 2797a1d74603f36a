"""The local frame of one row: its axes, and the arrows of its most important features."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..checks.counts import checked_count
from .parts.arrows import length_with_unit
from .parts.canvas import PALE_INK, add_to_label, axes_or_new, name_dimensions, without_ticks
from .parts.checks import MOST_NAMES, check_kind, checked_row
from .parts.frame import Frame
from .parts.importance import by_importance
from .parts.model import Model, ModelOrPipeline, check_two_dimensions, checked_model
from .parts.names import name_of_row, names_of_features


def local_frame(
    model: ModelOrPipeline,
    row: int,
    *,
    k: int = 10,
    kind: str = "tangent",
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw in which directions the features of one row increase on the map around it.

    An arrow points to where a feature increases, and is longer if it increases more. Do not trust the arrows if the
    fidelity written below is low: the map around this row does not show how the features change.

    Parameters
    ----------
    model : FeatMAP, Explanation or Pipeline
        A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
    row : int
        The number of the row; a negative number counts from the end.
    k : int, default=10
        How many of the most important features get an arrow and a name, from 1 to 40. All others are faint lines.
    kind : {"tangent", "frame", "map"}, default="tangent"
        The kind of arrows, as in ``model.arrows``.
    feature_names : array-like of shape (n_features,), default=None
        Names of all features; None takes those of the data.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the frame. The lines v₁, v₂, … are the leading directions in which the neighbours of the row vary,
        as they lie on the map; they have no sign, and so no head. Of a map of more than two dimensions the first two
        are drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(load_digits().data[:100])
    >>> ax = plot.local_frame(model, 42, k=5)
    >>> len(ax.texts)  # the names of five features and two axes
    7
    """
    model = checked_model("local_frame", model)
    row = checked_row("local_frame", model, row)
    check_two_dimensions("local_frame", model)
    check_kind("local_frame", kind)
    k = checked_count("local_frame", "k", k, 1, MOST_NAMES)
    names = names_of_features("local_frame", model, feature_names)
    importance = model.feature_importance([row])[0]
    top = by_importance(importance)[:k]
    top = top[importance[top] > 0]
    arrows = model.arrows([row], kind)[0][:, :2].astype(float)
    ax = axes_or_new(ax)
    without_ticks(ax)
    name_dimensions(ax, model.frames_.shape[1])
    ax.set_title(f"Local frame of {name_of_row(model, row)}")
    if not len(top) or not arrows[top].any():
        _write_that_nothing_varies(ax, model, row)
        return ax
    frame = Frame(ax, _axes_with_variance(model, row), arrows, top)
    frame.draw([names[column] for column in top])
    add_to_label(ax, f"dotted circle: {length_with_unit(kind, frame.scale)}\n{_fidelity(model, row, kind)}")
    return ax


def _fidelity(model: Model, row: int, kind: str) -> str:
    own = f"fidelity {model.fidelity([row], kind)[0]:.2f}"
    return own if kind == "map" else f"{own} (linear regression on the map: {model.fidelity([row], 'map')[0]:.2f})"


def _axes_with_variance(model: Model, row: int) -> np.ndarray:
    """Return the axes of the row's frame along which its neighbours vary: shape (2, n_axes)."""
    n_axes = np.count_nonzero(model.singular_values_[row, : model.frames_.shape[1]])
    return model.frames_[row][:2, :n_axes].astype(float)


def _write_that_nothing_varies(ax: Axes, model: Model, row: int) -> None:
    text = f"no directions here:\n{name_of_row(model, row)} has no neighbours, or all are equal to it"
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color=PALE_INK)
