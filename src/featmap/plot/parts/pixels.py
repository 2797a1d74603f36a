"""The importance of features that are pixels, as images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike

from ...errors import InvalidParameterError
from .canvas import without_ticks
from .model import Model

Shape = tuple[int, int, int]  # height, width, channels


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


def checked_images(
    caller: str, parameter: str, images: ArrayLike | None, n_images: int, shape: Shape
) -> Sequence[np.ndarray | None]:
    """Return the images in grey, or None for each of them if no images are given."""
    if images is None:
        return [None] * n_images
    values = np.asarray(images, dtype=float)
    if values.size != n_images * math.prod(shape):
        rows = "" if n_images == 1 else f" for each of the {n_images} rows"
        raise InvalidParameterError(
            f"{caller}({parameter}=…): {parameter} must have one value per feature, {math.prod(shape)}{rows}; "
            f"got {values.size} values"
        )
    return list(values.reshape(n_images, *shape).mean(axis=3))


def pixel_importance(model: Model, rows: Any, shape: Shape) -> np.ndarray:
    """Return the importance of each pixel. The channels of a pixel are joined by their Euclidean norm."""
    return np.linalg.norm(model.feature_importance(rows).reshape(-1, *shape), axis=3)


def draw_image(ax: Axes, pixels: np.ndarray, outlined: np.ndarray | None, most: float) -> Any:
    """Draw the importance on a scale from 0 to ``most``, and the outline of the row's own image."""
    without_ticks(ax)
    shown = ax.imshow(pixels, cmap="viridis", vmin=0, vmax=most)
    if outlined is not None:
        _outline(ax, outlined)
    return shown


def _outline(ax: Axes, image: np.ndarray) -> None:
    """Draw the line halfway between dark and light. A constant image has no such line."""
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
