"""How many markers each method finds, as bars: a panel for each set, a line for each type. And arrows of genes."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from featmap import FeatMAP, plot

from .rankings import AGAINST_REST, HIGHER, IMPORTANCE, TOP, VARIANCE, WILCOXON

COLOURS = {
    IMPORTANCE: "#0072b2",
    AGAINST_REST: "#56b4e9",
    HIGHER: "#009e73",
    WILCOXON: "#e69f00",
    VARIANCE: "#8a8a8a",
}
ROOM = 0.8  # of a line that its bars take


def precision_bars(figures: dict[str, Any]) -> Figure:
    n_lines = max(len(one["markers"]) for one in figures.values())
    figure, panels = plt.subplots(1, len(figures), figsize=(6 * len(figures), 0.75 * n_lines), layout="constrained")
    for panel, (name, one) in zip(panels, figures.items(), strict=True):
        draw_bars(panel, one[f"found in the first {TOP}"], one["markers"])
        panel.set_title(name)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(handles), frameon=False)
    return figure


def draw_bars(ax: Axes, found: dict[str, dict[str, int]], n_markers: dict[str, int]) -> None:
    lines = np.arange(len(n_markers))
    height = ROOM / len(COLOURS)
    most = np.array(list(n_markers.values())) / TOP
    ax.vlines(most, lines - ROOM / 2, lines + ROOM / 2, color="#222222", linewidth=1.5, label="most there can be")
    for number, (method, colour) in enumerate(COLOURS.items()):
        precision = [found[method][kind] / TOP for kind in n_markers]
        ax.barh(lines + (number + 0.5) * height - ROOM / 2, precision, height, color=colour, label=method)
    ax.set_yticks(lines, list(n_markers))
    ax.invert_yaxis()
    ax.set_xlabel(f"precision in the first {TOP} genes")
    ax.spines[["top", "right"]].set_visible(False)


def arrows_of(model: FeatMAP, shown: tuple[str, ...], genes: list[str]) -> Figure:
    """Where each of some genes grows on the map."""
    figure, panels = plt.subplots(1, len(shown), figsize=(7 * len(shown), 6.5), layout="constrained")
    for panel, gene in zip(panels, shown, strict=True):
        plot.arrow_field(model, gene, feature_names=genes, ax=panel)
    return figure
