"""The importance of each pixel, for one image or several."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..errors import InvalidParameterError
from .importance import VARIATION
from .parts.canvas import axes_or_new, panels_in_a_grid
from .parts.keys import attached_bar
from .parts.model import ModelOrPipeline, checked_model, checked_rows, checked_shape, documented, name_of_row
from .parts.pixels import checked_images, draw_image, number_pixels

MOST_IMAGES = 100
IMAGE_INCHES = 1.7


@documented
def saliency(
    model: ModelOrPipeline,
    rows: int | slice | ArrayLike,
    image_shape: tuple[int, ...],
    *,
    images: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the importance of each pixel for one row or several, if the features are the pixels of images.

    Bright pixels vary between an image and its neighbours in the data. They do not say which class the image has or
    why, and a pixel that is the same in all neighbours is dark even if it is typical of them. Several images have one
    scale, so that images whose neighbours vary in few directions look darker than others.

    Parameters
    ----------
    {model}
    rows : int, slice or array-like
        One row or up to 100, by their numbers or names or by a mask of shape (n_samples,).
    image_shape : tuple of int
        (height, width) or (height, width, channels), with one value per feature. The importances of the channels of a
        pixel are joined by their Euclidean norm.
    images : array-like of shape (n_rows, n_features), default=None
        The pixel values of these rows, or of one row. Their outlines are drawn on top.
    {ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the image, with numbered pixels and a colour bar. Of several rows, the Axes whose ``child_axes``
        are the panels, one for each row, and the colour bar.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X = load_digits().data[:100]
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X)
    >>> ax = plot.saliency(model, 42, (8, 8), images=X[42])
    >>> ax.get_images()[0].get_array().shape
    (8, 8)
    >>> ax = plot.saliency(model, [3, 7], (8, 8), images=X[[3, 7]])
    >>> [panel.get_title() for panel in ax.child_axes[:2]]
    ['row 3', 'row 7']
    """
    model = checked_model("saliency", model)
    chosen = checked_rows("saliency", model, rows)
    if len(chosen) > MOST_IMAGES:
        raise InvalidParameterError(
            f"saliency(rows=…): rows must be at most {MOST_IMAGES}, because more images are too small to see; "
            f"got {len(chosen)}"
        )
    shape = checked_shape("saliency", image_shape, model.n_features_in_)
    outlined = checked_images("saliency", "images", images, len(chosen), shape)
    pixels = np.linalg.norm(model.feature_importance(chosen).reshape(-1, *shape), axis=3)
    names = [name_of_row(model, row) for row in chosen]
    scale = {"cmap": "viridis", "vmin": 0, "vmax": pixels.max() or 1}
    if len(chosen) == 1:
        ax = axes_or_new(ax)
        shown = draw_image(ax, pixels[0], outlined[0], **scale)
        number_pixels(ax)
        ax.set_title(f"How much each pixel varies around {names[0]}", fontsize="medium")
    else:
        ax, panels = panels_in_a_grid(ax, len(chosen), shape[0] / shape[1], IMAGE_INCHES)
        for panel, name, image, outline in zip(panels, names, pixels, outlined, strict=True):
            shown = draw_image(panel, image, outline, **scale)
            panel.set_title(name, fontsize="small", pad=3)
    attached_bar(ax, shown, VARIATION)
    return ax
