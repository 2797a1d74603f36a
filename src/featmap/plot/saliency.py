"""The importance of each pixel for one image."""

from __future__ import annotations

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from .parts.canvas import axes_or_new
from .parts.checks import checked_row
from .parts.importance import VARIATION
from .parts.legends import attached_bar
from .parts.model import ModelOrPipeline, checked_model
from .parts.names import name_of_row
from .parts.pixels import checked_images, draw_image, number_pixels, pixel_importance
from .parts.shapes import checked_shape


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
    model : FeatMAP, Explanation or Pipeline
        A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
    row : int
        The number of the row; a negative number counts from the end.
    image_shape : tuple of int
        (height, width) or (height, width, channels), with one value per feature. The importances of the channels of a
        pixel are joined by their Euclidean norm.
    image : array-like of n_features values, default=None
        The pixel values of the row. Their outline is drawn on top.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

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
