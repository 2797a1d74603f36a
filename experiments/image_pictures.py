"""Images, their edges and their importance in rows; and measurements as boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.utils import Bunch

from .edges import gradient_magnitude

PANEL_INCHES = 1.2


@dataclass(frozen=True)
class Line:
    """Images that stand side by side, in one palette; ``most`` is the end of their scale, None for each one's own."""

    images: Sequence[np.ndarray]
    palette: str
    most: float | None = None


def image_grid(lines: dict[str, Line], titles: Sequence[str], shape: tuple[int, int]) -> Figure:
    """A line of images for each name, a column for each title."""
    size = (PANEL_INCHES * len(titles) + 0.5, PANEL_INCHES * len(lines) + 0.3)
    figure, panels = plt.subplots(len(lines), len(titles), figsize=size, layout="constrained", squeeze=False)
    for beside, (name, line) in zip(panels, lines.items(), strict=True):
        for panel, image in zip(beside, line.images, strict=True):
            show(panel, image.reshape(shape), line.palette, line.most)
        beside[0].set_ylabel(name)
    for panel, title in zip(panels[0], titles, strict=True):
        panel.set_title(title, fontsize="small")
    return figure


def show(panel: Axes, image: np.ndarray, palette: str, most: float | None = None, title: str = "") -> None:
    panel.imshow(image, cmap=palette, vmin=0, vmax=most)
    panel.set(xticks=[], yticks=[])
    panel.set_title(title, fontsize="medium")


def images_with_importance(model: Any, data: Bunch, rows: np.ndarray, titles: Sequence[str]) -> Figure:
    """A column for each row of the data: the image, its gradient, its importance (darker is more)."""
    images = data.data[rows]
    lines = {
        "image": Line(images, "gray"),
        "gradient": Line(gradient_magnitude(images, data.image_shape), "Blues"),
        "importance": Line(model.feature_importance(rows), "Reds"),
    }
    return image_grid(lines, titles, data.image_shape)


def boxes(values: dict[str, dict[str, np.ndarray]], label: str) -> Figure:
    """Panels of boxes: quartiles, and whiskers from the 5th to the 95th percentile."""
    longest = max(len(panel) for panel in values.values())
    figure, axes = plt.subplots(
        1, len(values), figsize=(5.4 * len(values), 0.5 * longest + 1.1), layout="constrained", squeeze=False
    )
    for ax, (title, rivals) in zip(axes[0], values.items(), strict=True):
        ax.boxplot(
            list(rivals.values())[::-1],
            tick_labels=list(rivals)[::-1],
            orientation="horizontal",
            whis=(5, 95),
            showfliers=False,
            widths=0.6,
            medianprops={"color": "#d55e00", "linewidth": 2},
        )
        ax.spines[["top", "right"]].set_visible(False)
        ax.set(xlabel=label, title=title)
    return figure


def one_of_each(target: np.ndarray, seed: int = 0) -> np.ndarray:
    """A random row of each class, in the order of classes."""
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(np.flatnonzero(target == label)) for label in np.unique(target)])
