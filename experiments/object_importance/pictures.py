"""Loops of views on maps, coloured by angle."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from sklearn.utils import Bunch

from .loops import Loop
from .rotation import views_in_order

TURN = "twilight_shifted"  # comes back to where it began, as the angle does


def loops_on_maps(maps: dict[str, np.ndarray], loops: dict[str, list[Loop]], objects: Bunch) -> Figure:
    """Maps side by side; views are joined in order, and the numbers of objects that are loops are framed."""
    figure, axes = plt.subplots(1, len(maps), figsize=(7 * len(maps), 7), layout="constrained")
    for ax, (name, Y) in zip(axes, maps.items(), strict=True):
        for views, loop in zip(views_in_order(objects), loops[name], strict=True):
            shown = draw_loop(ax, Y[views], objects.angle[views], 9)
            number = ax.annotate(
                str(objects.target[views[0]]),
                Y[views].mean(axis=0),
                fontweight="bold",
                ha="center",
                va="center",
                bbox={"boxstyle": "round,pad=0.15", "facecolor": "white"} if loop.is_found else None,
            )
            number.set_path_effects([withStroke(linewidth=3, foreground="white")])
        n_loops, n_rings = sum(loop.is_found for loop in loops[name]), sum(loop.is_ring for loop in loops[name])
        ax.set_title(f"{name}: of {len(loops[name])} objects {n_loops} are loops (framed), {n_rings} are rings")
        ax.axis("off")
    figure.colorbar(shown, ax=axes, label="angle of the view in degrees", shrink=0.6)
    return figure


def loops_one_by_one(Y: np.ndarray, loops: list[Loop], objects: Bunch) -> Figure:
    """A panel for each object, each on its own scale."""
    views_of = views_in_order(objects)
    n_rows = -(-len(views_of) // 5)
    figure, axes = plt.subplots(n_rows, 5, figsize=(9.5, 2.1 * n_rows), layout="constrained", squeeze=False)
    for ax, views, loop in zip(axes.ravel(), views_of, loops, strict=False):
        shown = draw_loop(ax, Y[views], objects.angle[views], 14)
        ax.set_title(f"object {objects.target[views[0]]}\n{'loop' if loop.is_found else lacking(loop)}", fontsize=8)
        ax.set_aspect("equal", adjustable="datalim")
    for ax in axes.ravel():
        ax.axis("off")
    figure.colorbar(shown, ax=axes, label="angle of the view in degrees", shrink=0.6)
    return figure


def lacking(loop: Loop) -> str:
    wanted = {"out of order": loop.is_in_order, "gap": loop.is_closed, "no hole": loop.has_a_hole}
    return ", ".join(name for name, is_met in wanted.items() if not is_met)


def draw_loop(ax: Axes, places: np.ndarray, angles: np.ndarray, size: float) -> object:
    ax.plot(*np.vstack([places, places[:1]]).T, color="#b8b8b8", linewidth=0.8, zorder=1)
    style = {"cmap": TURN, "vmin": 0, "vmax": 360, "edgecolors": "#555555", "linewidths": 0.3}
    return ax.scatter(*places.T, c=angles, s=size, zorder=2, **style)
