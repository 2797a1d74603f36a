"""The importance of features that are pixels, as an image."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from ..errors import InvalidParameterError
from .canvas import axes_or_new, without_ticks
from .rows import checked_row

if TYPE_CHECKING:
    from ..estimator import FeatMAP


def saliency(
    model: FeatMAP,
    row: int,
    *,
    image_shape: tuple[int, ...],
    image: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the importance of each pixel for one row of images.

    ``image_shape`` is (height, width), or (height, width, channels), whose importances join as lengths do. The
    row's own pixel values, if they are given as ``image``, are outlined on top.
    """
    row = checked_row("saliency", model, row)
    shape = _checked_shape(image_shape, model.n_features_in_)
    outlined = None if image is None else _as_image(image, shape)
    pixels = np.linalg.norm(model.feature_importance([row])[0].reshape(shape), axis=2)
    ax = axes_or_new(ax)
    without_ticks(ax)
    ax.set_title(f"Feature importance of row {row}")
    shown = ax.imshow(pixels, cmap="viridis", vmin=0, vmax=pixels.max() or 1)
    # A bar inside the Axes' own space is as high as the image, whatever the layout does to it.
    bar = ax.figure.colorbar(shown, cax=ax.inset_axes((1.04, 0, 0.05, 1)), label="feature importance")
    bar.outline.set_visible(False)
    if outlined is not None:
        _outline(ax, outlined)
    return ax


def _checked_shape(image_shape: Any, n_features: int) -> tuple[int, int, int]:
    shape = tuple(np.atleast_1d(image_shape).tolist())
    whole = all(isinstance(length, int) and length > 0 for length in shape)
    if len(shape) not in (2, 3) or not whole or math.prod(shape) != n_features:
        raise InvalidParameterError(
            f"saliency(image_shape={image_shape!r}): must be (height, width) or (height, width, channels) with one "
            f"pixel per feature; the model has {n_features} features"
        )
    height, width, channels = (*shape, 1)[:3]
    return height, width, channels


def _as_image(image: Any, shape: tuple[int, int, int]) -> np.ndarray:
    values = np.asarray(image, dtype=float)
    if values.size != math.prod(shape):
        raise InvalidParameterError(
            f"saliency(image=...): must have one value per feature, {math.prod(shape)}; got {values.size}"
        )
    return values.reshape(shape).mean(axis=2)


def _outline(ax: Axes, image: np.ndarray) -> None:
    """Draw the line halfway between dark and light; a constant image has none."""
    low, high = np.nanmin(image), np.nanmax(image)
    if not low < high:
        return
    view = ax.axis()
    # A margin of the darkest value closes the line where it meets the border.
    padded = np.pad(image, 1, constant_values=low)
    x, y = np.arange(-1, image.shape[1] + 1), np.arange(-1, image.shape[0] + 1)
    lines = ax.contour(x, y, padded, levels=[(low + high) / 2], colors="white", linewidths=1.5)
    lines.set_path_effects([withStroke(linewidth=3, foreground="black", alpha=0.5)])
    ax.axis(view)
