"""One row on one page: where it is, what changes around it, how much of that the map shows."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..checks.counts import checked_count
from ..errors import InvalidParameterError
from .embedding import embedding
from .local_frame import HOW_TO_READ
from .parts.arrows import longest_in_words
from .parts.bars import name_bars
from .parts.canvas import PLAIN_TEXT
from .parts.captions import write_caption
from .parts.checks import MOST_NAMES, check_kind, checked_row
from .parts.importance import by_importance
from .parts.labels import read_labels
from .parts.legends import widen_by_legend
from .parts.model import Model, ModelOrPipeline, check_two_dimensions, checked_model, row_names_of
from .parts.names import name_of_row, names_of_features, shortened
from .parts.palette import COLOURS
from .parts.panels import axes_for_panels
from .parts.pixels import checked_images, outline_pixels
from .parts.shapes import checked_shape
from .parts.shown import ShownArrows, beats_chance, shown_arrows
from .parts.surroundings import draw_surroundings, draw_zoomed_part
from .parts.titles import name_of_map
from .parts.trust import trust_caption
from .saliency import saliency

SIZE = (10.0, 9.0)
# The map and the pixels are on the right, where there is room for a legend or a colour bar.
SURROUNDINGS, MAP = (0, 0.5, 0.56, 0.48), (0.6, 0.5, 0.4, 0.46)
BARS, WIDE_BARS, PIXELS = (0.16, 0.06, 0.36, 0.28), (0.16, 0.06, 0.84, 0.28), (0.62, 0.03, 0.38, 0.31)
N_HIDDEN = 3  # features that are named as hidden


def explain_point(
    model: ModelOrPipeline,
    row: int,
    *,
    k: int = 10,
    kind: str = "tangent",
    image_shape: tuple[int, ...] | None = None,
    image: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one row on a page: where it is, which features change across the map around it, and which are hidden.

    The page answers which features matter around this row. Do not read the arrows if the sentence below them says
    that those of the map are poor, and do not take one row as an example of its whole group.

    Parameters
    ----------
    model : FeatMAP, Explanation or Pipeline
        A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
    row : int
        The number of the row; a negative number counts from the end.
    k : int, default=10
        How many features to name at most, from 1 to 40: those of whose variance the map shows most around the row.
    kind : {"tangent", "frame", "map"}, default="tangent"
        The kind of arrows, as in ``model.arrows``.
    image_shape : tuple of int, default=None
        If the features are pixels: (height, width) or (height, width, channels). Pixels are named by row and column,
        and `saliency` is drawn too, with the named pixels in squares.
    image : array-like of n_features values, default=None
        The pixel values of the row, to be outlined. They need an ``image_shape``.
    labels : array-like of shape (n_samples,), default=None
        Colours of the map, as in `embedding`.
    feature_names : array-like of shape (n_features,), default=None
        Names of all features; None takes those of the data.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, whose ``child_axes`` are the panels: surroundings of the row with arrows, map, bars of how much of
        each feature the map shows and, with an ``image_shape``, pixels.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X[:100])
    >>> ax = plot.explain_point(model, 42, image_shape=(8, 8), image=X[42], labels=y[:100])
    >>> len(ax.child_axes)
    4
    """
    model = checked_model("explain_point", model)
    row = checked_row("explain_point", model, row)
    _check("explain_point", model, k, kind, labels)
    names = names_of_features("explain_point", model, feature_names, image_shape)
    _check_image("explain_point", model, image_shape, image)
    shown = shown_arrows(model, row, k, kind)
    is_new = ax is None
    ax = axes_for_panels(ax, SIZE)
    ax.set_title(f"Which features matter around {name_of_row(model, row)}?", **PLAIN_TEXT)
    _draw_arrows(ax.inset_axes(SURROUNDINGS), model, row, shown, names, kind, labels)
    map_panel = embedding(model, labels, rows=row, ax=ax.inset_axes(MAP))
    draw_zoomed_part(map_panel, model, row)
    map_panel.set_title(name_of_map(model), fontsize="small", **PLAIN_TEXT)
    _draw_bars(ax.inset_axes(WIDE_BARS if image_shape is None else BARS), model, row, shown, names)
    if image_shape is not None:
        pixels = saliency(model, row, image_shape, image=image, ax=ax.inset_axes(PIXELS))
        pixels.set_title("How much each pixel varies around it\n(squares: the pixels named here)", fontsize="small")
        outline_pixels(pixels, shown.columns, checked_shape("explain_point", image_shape, model.n_features_in_))
    if is_new:
        widen_by_legend(map_panel)
    return ax


def _draw_arrows(
    ax: Axes, model: Model, row: int, shown: ShownArrows, names: list[str], kind: str, labels: ArrayLike | None
) -> None:
    colours = None if labels is None else read_labels("explain_point", labels, len(model.embedding_))
    written = [shortened(names[column]) for column in shown.columns]
    scale = draw_surroundings(ax, model, row, shown, written, colours)
    ax.set_title("What changes across the map here", fontsize="small")
    write_caption(ax, [*HOW_TO_READ, *longest_in_words(kind, written, shown.arrows, scale), trust_caption(model)])


def _draw_bars(ax: Axes, model: Model, row: int, shown: ShownArrows, names: list[str]) -> None:
    """Draw how much of each feature the map shows, and name those that vary but are hidden."""
    ax.barh(range(len(shown.columns)), shown.explained, height=0.7, color=COLOURS[0])
    name_bars(ax, [names[column] for column in shown.columns] or ["none"])
    ax.set_xlim(0, float(shown.explained.max(initial=0.0)) * 1.05 or 1)
    ax.set_title("How much of its local change the map shows", fontsize="small")
    hidden = ", ".join(shortened(names[column]) for column in _hidden(model, row))
    write_caption(
        ax,
        ["part of the variance (1: all of it)", f"Vary too, but the map does not show it: {hidden}"][
            : 1 + bool(hidden)
        ],
    )


def _hidden(model: Model, row: int) -> np.ndarray:
    """Return the features that vary most around a row among those whose change the map does not show."""
    importance, explained = model.feature_importance([row])[0], model.explained_variance([row])
    importance[beats_chance(model, explained)[0]] = 0
    columns = by_importance(importance)[:N_HIDDEN]
    return columns[importance[columns] > 0]


def _check(caller: str, model: Model, k: Any, kind: Any, labels: Any) -> None:
    """Check before anything is drawn, so that errors name the function that was called."""
    check_two_dimensions(caller, model)
    check_kind(caller, kind)
    checked_count(caller, "k", k, 1, MOST_NAMES)
    if labels is not None:
        read_labels(caller, labels, len(model.embedding_), row_names_of(model))


def _check_image(caller: str, model: Model, image_shape: Any, image: Any) -> None:
    if image_shape is None and image is not None:
        raise InvalidParameterError(f"{caller}(image_shape=None): image_shape must be given together with image")
    if image_shape is not None:
        shape = checked_shape(caller, image_shape, model.n_features_in_)
        checked_images(caller, "image", image, 1, shape)
