"""Pictures of radii and of images that `featmap.plot` has no function for."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .radii import correlation, two_digits

ALL, SPARSE = "#222222", "#d55e00"
SHOWN = 10


def radii_against_radii(in_data: np.ndarray, on_maps: dict[str, np.ndarray], sparse: np.ndarray) -> Figure:
    """One panel per map: all points counted in hexagons, the sparse subgroup as dots, and a line for each."""
    figure, panels = plt.subplots(1, len(on_maps), figsize=(4.2 * len(on_maps), 4), layout="constrained", sharex=True)
    for panel, (name, on_map) in zip(panels, on_maps.items(), strict=True):
        panel.hexbin(in_data, on_map, gridsize=50, bins="log", mincnt=1, cmap="Greys", linewidths=0.1)
        panel.scatter(in_data[sparse], on_map[sparse], s=9, color=SPARSE, alpha=0.6, linewidths=0)
        draw_regression(panel, in_data, on_map, ALL, "all")
        draw_regression(panel, in_data[sparse], on_map[sparse], SPARSE, "sparse subgroup")
        panel.set(title=name, xlabel="log radius in the data", ylabel="log radius on the map")
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(loc="lower right", fontsize="small", framealpha=0.9)
    return figure


def radii_by_direction(in_data: np.ndarray, on_maps: dict[str, np.ndarray]) -> Figure:
    """A line of panels for each local direction, one for each map."""
    n_directions, n_maps = in_data.shape[1], len(on_maps)
    figure, lines = plt.subplots(
        n_directions, n_maps, figsize=(4.2 * n_maps, 4 * n_directions), layout="constrained", squeeze=False
    )
    for direction, line in enumerate(lines):
        for panel, (name, on_map) in zip(line, on_maps.items(), strict=True):
            x, y = in_data[:, direction], on_map[:, direction]
            panel.hexbin(x, y, gridsize=50, bins="log", mincnt=1, cmap="Greys", linewidths=0.1)
            draw_regression(panel, x, y, ALL, "all")
            where = f"direction {direction + 1}, log radius"
            panel.set(title=name, xlabel=f"{where} in the data", ylabel=f"{where} on the map")
            panel.spines[["top", "right"]].set_visible(False)
            panel.legend(loc="lower right", fontsize="small", framealpha=0.9)
    return figure


def draw_regression(ax: Axes, x: np.ndarray, y: np.ndarray, colour: str, whose: str) -> None:
    slope, offset = np.polyfit(x, y, 1)
    ends = np.array([x.min(), x.max()])
    label = f"{whose}: correlation {two_digits(correlation(x, y))}"
    ax.plot(ends, slope * ends + offset, color="white", linewidth=4)
    ax.plot(ends, slope * ends + offset, color=colour, linewidth=2, label=label)


def images_of(X: np.ndarray, groups: dict[str, np.ndarray], image_shape: tuple[int, int]) -> Figure:
    """Random images of each group, a line for each."""
    figure, panels = plt.subplots(len(groups), SHOWN, figsize=(SHOWN, 1.25 * len(groups)), layout="constrained")
    rng = np.random.default_rng(0)
    for line, (name, rows) in zip(panels, groups.items(), strict=True):
        for panel, row in zip(line, rng.choice(rows, SHOWN, replace=False), strict=True):
            panel.imshow(X[row].reshape(image_shape), cmap="gray_r", interpolation="nearest")
            panel.set(xticks=[], yticks=[])
        line[0].set_title(name, fontsize="medium", loc="left")
    return figure
