"""Features that are pixels, as images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from ...errors import InvalidParameterError
from .canvas import HALO, INK, without_ticks
from .model import Shape


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


def number_pixels(ax: Axes) -> None:
    """Write numbers of rows and columns at an image, at most about ten each, counted from 0 at the upper left."""
    for axis, name in ((ax.xaxis, "column"), (ax.yaxis, "row")):
        axis.set_major_locator(MaxNLocator(nbins=9, integer=True))
        axis.set_label_text(name, fontsize="small")
    ax.tick_params(length=0, labelsize="x-small")


def outline_pixels(ax: Axes, columns: np.ndarray, shape: Shape) -> None:
    """Draw squares around the pixels that some features are."""
    for pixel in np.unique(columns // shape[2]):
        y, x = divmod(int(pixel), shape[1])
        square = Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, edgecolor=INK, linewidth=1.2, clip_on=False)
        square.set(gid="named", path_effects=[HALO])
        ax.add_patch(square)


def draw_differences(ax: Axes, pixels: np.ndarray, outlined: np.ndarray | None, cmap: Any = "PuOr_r") -> Any:
    """Draw differences of either sign, white where there is none, and the outline of the row's own image."""
    most = float(np.abs(pixels).max()) or 1.0
    return draw_image(ax, pixels, outlined, cmap=cmap, vmin=-most, vmax=most)


def draw_image(ax: Axes, pixels: np.ndarray, outlined: np.ndarray | None, **colours: Any) -> Any:
    """Draw one number per pixel in colour, and the outline of the row's own image."""
    without_ticks(ax)
    shown = ax.imshow(pixels, **colours)
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
