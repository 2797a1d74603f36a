"""One row on one page: its local frame, its position on the map, its most important features."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..checks.counts import checked_count
from ..errors import InvalidParameterError
from .embedding import embedding
from .importance_bar import importance_bar
from .local_frame import local_frame
from .parts.canvas import INK
from .parts.checks import MOST_NAMES, check_kind, checked_row
from .parts.labels import read_labels
from .parts.legends import widen_by_legend
from .parts.model import Model, ModelOrPipeline, check_two_dimensions, checked_model, row_names_of
from .parts.names import names_of_features
from .parts.panels import axes_for_panels
from .parts.pixels import checked_images, checked_shape
from .saliency import saliency

SIZE = (9.0, 7.5)
# The map and the pixels are on the right, where there is room for a legend or a colour bar.
LOCAL_FRAME, MAP = (0, 0.52, 0.54, 0.48), (0.58, 0.5, 0.42, 0.5)
BARS, WIDE_BARS, PIXELS = (0.08, 0, 0.42, 0.38), (0.08, 0, 0.92, 0.38), (0.58, 0, 0.42, 0.38)


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
    """Draw one row on a page: its local frame, its position on the map, its most important features.

    The page shows what varies around this row and how the map shows it. Do not trust the arrows if the fidelity below
    the frame is low, and do not take one row as an example of its whole group.

    Parameters
    ----------
    model : FeatMAP, Explanation or Pipeline
        A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
    row : int
        The number of the row; a negative number counts from the end.
    k : int, default=10
        How many features to name, from 1 to 40.
    kind : {"tangent", "frame", "map"}, default="tangent"
        The kind of arrows, as in ``model.arrows``.
    image_shape : tuple of int, default=None
        If the features are pixels: (height, width) or (height, width, channels). Then `saliency` is drawn too.
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
        The Axes, whose ``child_axes`` are the panels: local frame, map, bars of importance and, with an
        ``image_shape``, pixels.

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
    _check("explain_point", model, k, kind, labels, feature_names)
    _check_image("explain_point", model, image_shape, image)
    is_new = ax is None
    ax = axes_for_panels(ax, SIZE)
    local_frame(model, row, k=k, kind=kind, feature_names=feature_names, ax=ax.inset_axes(LOCAL_FRAME))
    map_panel = embedding(model, labels, ax=ax.inset_axes(MAP))
    _mark(map_panel, model, row)
    bars = ax.inset_axes(WIDE_BARS if image_shape is None else BARS)
    importance_bar(model, row, k=k, feature_names=feature_names, ax=bars).set_title("")
    if image_shape is not None:
        saliency(model, row, image_shape, image=image, ax=ax.inset_axes(PIXELS)).set_title("")
    if is_new:
        widen_by_legend(map_panel)
    return ax


def _check(caller: str, model: Model, k: Any, kind: Any, labels: Any, names: Any) -> None:
    """Check before anything is drawn, so that errors name the function that was called."""
    check_two_dimensions(caller, model)
    check_kind(caller, kind)
    checked_count(caller, "k", k, 1, MOST_NAMES)
    names_of_features(caller, model, names)
    if labels is not None:
        read_labels(caller, labels, len(model.embedding_), row_names_of(model))


def _check_image(caller: str, model: Model, image_shape: Any, image: Any) -> None:
    if image_shape is None and image is not None:
        raise InvalidParameterError(f"{caller}(image_shape=None): image_shape must be given together with image")
    if image_shape is not None:
        shape = checked_shape(caller, image_shape, model.n_features_in_)
        checked_images(caller, "image", image, 1, shape)


def _mark(ax: Axes, model: Model, row: int) -> None:
    """Draw a ring around the point, with a white rim so that it is visible on any colour."""
    x, y = model.embedding_[row, :2]
    for colour, width in (("white", 4.5), (INK, 2.0)):
        ax.scatter(x, y, s=160, facecolors="none", edgecolors=colour, linewidths=width, zorder=4, gid="mark")
    ax.set_title(f"Row {row} on the map")
