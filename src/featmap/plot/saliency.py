"""The importance of each pixel for one image."""

from __future__ import annotations

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..errors import InvalidParameterError
from .importance import VARIATION
from .parts.canvas import axes_or_new, panels_in_a_grid
from .parts.keys import attached_bar
from .parts.model import (
    ModelOrPipeline,
    checked_model,
    checked_row,
    checked_rows,
    checked_shape,
    documented,
    name_of_row,
)
from .parts.pixels import checked_images, draw_image, number_pixels, pixel_importance


@documented
def saliency(
    model: ModelOrPipeline,
    row: int,
    image_shape: tuple[int, ...],
    *,
    image: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the importance of each pixel for one row, if the features are the pixels of images.

    Bright pixels vary between this image and its neighbours in the data. They do not say which class the image has
    or why, and a pixel that is the same in all neighbours is dark even if it is typical of them.

    Parameters
    ----------
    {model}
    row : int
        The number of the row; a negative number counts from the end.
    image_shape : tuple of int
        (height, width) or (height, width, channels), with one value per feature. The importances of the channels of a
        pixel are joined by their Euclidean norm.
    image : array-like of n_features values, default=None
        The pixel values of the row. Their outline is drawn on top.
    {ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the image, with a colour bar.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X = load_digits().data[:100]
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X)
    >>> ax = plot.saliency(model, 42, (8, 8), image=X[42])
    >>> ax.get_images()[0].get_array().shape
    (8, 8)
    """
    model = checked_model("saliency", model)
    row = checked_row("saliency", model, row)
    shape = checked_shape("saliency", image_shape, model.n_features_in_)
    (outlined,) = checked_images("saliency", "image", image, 1, shape)
    (pixels,) = pixel_importance(model, [row], shape)
    ax = axes_or_new(ax)
    ax.set_title(f"How much each pixel varies around {name_of_row(model, row)}", fontsize="medium")
    shown = draw_image(ax, pixels, outlined, pixels.max() or 1)
    number_pixels(ax)
    attached_bar(ax, shown, VARIATION)
    return ax


MOST_IMAGES = 100
IMAGE_INCHES = 1.7


@documented
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
    {model}
    rows : int, slice or array-like
        Up to 100 rows, by their numbers or by a mask of shape (n_samples,).
    image_shape : tuple of int
        (height, width) or (height, width, channels), with one value per feature, as in `saliency`.
    images : array-like of shape (n_rows, n_features), default=None
        The pixel values of these rows. Their outlines are drawn on top.
    {ax}

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
