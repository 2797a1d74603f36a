"""The importance of features that are pixels, as images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from ..errors import InvalidParameterError
from .canvas import axes_or_new, without_ticks
from .checks import checked_row, checked_rows
from .legends import attached_bar
from .panels import panels_in_a_grid

if TYPE_CHECKING:
    from .checks import Model

MOST_IMAGES = 100
IMAGE_INCHES = 1.7


def saliency(
    model: Model,
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
    shape = checked_shape("saliency", image_shape, model.n_features_in_)
    (outlined,) = checked_images("saliency", "image", image, 1, shape)
    (pixels,) = _pixel_importance(model, [row], shape)
    ax = axes_or_new(ax)
    ax.set_title(f"Feature importance of row {row}")
    shown = _draw_image(ax, pixels, outlined, pixels.max() or 1)
    attached_bar(ax, shown, "feature importance")
    return ax


def saliency_montage(
    model: Model,
    rows: Any,
    *,
    image_shape: tuple[int, ...],
    images: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the importance of each pixel for several rows of images, all on one scale.

    ``image_shape`` is as in `saliency`; ``images`` are the pixel values of the rows asked for, outlined on top. The
    panels are ``child_axes`` of the Axes returned.
    """
    chosen = checked_rows("saliency_montage", model, rows)
    if len(chosen) > MOST_IMAGES:
        raise InvalidParameterError(
            f"saliency_montage(rows=...): must be at most {MOST_IMAGES} rows, or none can be seen; got {len(chosen)}"
        )
    shape = checked_shape("saliency_montage", image_shape, model.n_features_in_)
    outlined = checked_images("saliency_montage", "images", images, len(chosen), shape)
    pixels = _pixel_importance(model, chosen, shape)
    ax, panels = panels_in_a_grid(ax, len(chosen), shape[0] / shape[1], IMAGE_INCHES)
    for panel, row, image, outline in zip(panels, chosen, pixels, outlined, strict=True):
        shown = _draw_image(panel, image, outline, pixels.max() or 1)
        panel.set_title(f"row {row}", fontsize="small", pad=3)
    attached_bar(ax, shown, "feature importance")
    return ax


def checked_shape(caller: str, image_shape: Any, n_features: int) -> tuple[int, int, int]:
    """Height, width and channels of images with one pixel per feature."""
    shape = tuple(np.atleast_1d(image_shape).tolist())
    whole = all(isinstance(length, int) and length > 0 for length in shape)
    if len(shape) not in (2, 3) or not whole or math.prod(shape) != n_features:
        raise InvalidParameterError(
            f"{caller}(image_shape={image_shape!r}): must be (height, width) or (height, width, channels) with one "
            f"pixel per feature; the model has {n_features} features"
        )
    height, width, channels = (*shape, 1)[:3]
    return height, width, channels


def checked_images(
    caller: str, parameter: str, images: Any, n_images: int, shape: tuple[int, int, int]
) -> Sequence[np.ndarray | None]:
    """Images in grey; none where there are none."""
    if images is None:
        return [None] * n_images
    values = np.asarray(images, dtype=float)
    each = math.prod(shape)
    if values.size != n_images * each:
        of_what = f"{each}" if n_images == 1 else f"{each}, of each of the {n_images} rows"
        raise InvalidParameterError(
            f"{caller}({parameter}=...): must have one value per feature, {of_what}; got {values.size}"
        )
    return list(values.reshape(n_images, *shape).mean(axis=3))


def _pixel_importance(model: Model, rows: Any, shape: tuple[int, int, int]) -> np.ndarray:
    return np.linalg.norm(model.feature_importance(rows).reshape(-1, *shape), axis=3)


def _draw_image(ax: Axes, pixels: np.ndarray, outlined: np.ndarray | None, most: float) -> Any:
    without_ticks(ax)
    shown = ax.imshow(pixels, cmap="viridis", vmin=0, vmax=most)
    if outlined is not None:
        _outline(ax, outlined)
    return shown


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
