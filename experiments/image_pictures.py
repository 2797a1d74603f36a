"""Images, their edges and their importance in rows; and measurements as boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from sklearn.utils import Bunch

from .edges import gradient_magnitude

PANEL_INCHES = 1.1


def images_with_importance(model: Any, data: Bunch, rows: np.ndarray, titles: Sequence[str]) -> Figure:
    """A column for each row of the data: the image, its gradient, its importance (darker is more)."""
    images = data.data[rows]
    lines = {
        "image": (images, "gray"),
        "gradient": (gradient_magnitude(images, data.image_shape), "Blues"),
        "importance": (model.feature_importance(rows), "Reds"),
    }
    size = (PANEL_INCHES * len(rows) + 0.4, PANEL_INCHES * len(lines) + 0.3)
    figure, panels = plt.subplots(len(lines), len(rows), figsize=size, layout="constrained", squeeze=False)
    for line, (name, (pixels, colours)) in zip(panels, lines.items(), strict=True):
        for panel, image in zip(line, pixels, strict=True):
            panel.imshow(image.reshape(data.image_shape), cmap=colours, vmin=0)
            panel.set(xticks=[], yticks=[])
        line[0].set_ylabel(name)
    for panel, title in zip(panels[0], titles, strict=True):
        panel.set_title(title, fontsize="small")
    return figure


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
