"""The importance of each pixel for several images."""

from __future__ import annotations

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..errors import InvalidParameterError
from .parts.checks import checked_rows
from .parts.importance import VARIATION
from .parts.legends import attached_bar
from .parts.model import ModelOrPipeline, checked_model
from .parts.names import name_of_row
from .parts.panels import panels_in_a_grid
from .parts.pixels import checked_images, draw_image, pixel_importance
from .parts.shapes import checked_shape

MOST_IMAGES = 100
IMAGE_INCHES = 1.7


def saliency_montage(
    model: ModelOrPipeline,
    rows: int | slice | ArrayLike,
    image_shape: tuple[int, ...],
    *,
    images: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the importance of each pixel for several rows, all on one scale.

    Bright pixels vary between an image and its neighbours in the data. Because the scale is the same for all, images
    whose neighbours vary in few directions look darker than others.

    Parameters
    ----------
    model : FeatMAP, Explanation or Pipeline
        A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
    rows : int, slice or array-like
        Up to 100 rows, by their numbers or by a mask of shape (n_samples,).
    image_shape : tuple of int
        (height, width) or (height, width, channels), with one value per feature, as in `saliency`.
    images : array-like of shape (n_rows, n_features), default=None
        The pixel values of these rows. Their outlines are drawn on top.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, whose ``child_axes`` are the panels, one for each row, and the colour bar.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X = load_digits().data[:100]
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X)
    >>> ax = plot.saliency_montage(model, [3, 7], (8, 8), images=X[[3, 7]])
    >>> [panel.get_title() for panel in ax.child_axes[:2]]
    ['row 3', 'row 7']
    """
    model = checked_model("saliency_montage", model)
    chosen = checked_rows("saliency_montage", model, rows)
    if len(chosen) > MOST_IMAGES:
        raise InvalidParameterError(
            f"saliency_montage(rows=…): rows must be at most {MOST_IMAGES}, because more images are too small to "
            f"see; got {len(chosen)}"
        )
    shape = checked_shape("saliency_montage", image_shape, model.n_features_in_)
    outlined = checked_images("saliency_montage", "images", images, len(chosen), shape)
    pixels = pixel_importance(model, chosen, shape)
    ax, panels = panels_in_a_grid(ax, len(chosen), shape[0] / shape[1], IMAGE_INCHES)
    for panel, row, image, outline in zip(panels, chosen, pixels, outlined, strict=True):
        shown = draw_image(panel, image, outline, pixels.max() or 1)
        panel.set_title(name_of_row(model, row), fontsize="small", pad=3)
    attached_bar(ax, shown, VARIATION)
    return ax
