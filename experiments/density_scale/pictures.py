"""Curves of price against density, and maps side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

Scores = Mapping[str, Mapping[str, float]]  # by method and measure
Family = Mapping[str, str]  # methods with what is written beside the last of them

BLUE, ORANGE, PURPLE, BLACK, GREEN = "#0072b2", "#d55e00", "#aa4499", "#222222", "#117733"
STYLES = {
    "featMAP": (BLUE, "o"),
    "densMAP": (ORANGE, "s"),
    "ScaleMAP": (PURPLE, "^"),
    "UMAP": (BLACK, "X"),
    "PaCMAP": (GREEN, "D"),
    "featMAP, its default": (BLUE, "*"),
}
PANELS_IN_LINE = 4
BESIDE = {"featMAP": (2, 6), "densMAP": (-12, -13), "ScaleMAP": (-4, -13)}


def curves(
    table: Mapping[str, Scores], families: Mapping[str, Family], along: tuple[str, str], prices: Mapping[str, str]
) -> Figure:
    """For each price a block of panels, one for each set; along the horizontal axis is a measure of density."""
    measure, name = along
    n_lines = -(-len(table) // PANELS_IN_LINE)
    figure = plt.figure(figsize=(3.1 * PANELS_IN_LINE, 2.7 * n_lines * len(prices) + 0.6), layout="constrained")
    blocks = figure.subfigures(len(prices), 1, squeeze=False)[:, 0]
    for block, (price, title) in zip(blocks, prices.items(), strict=True):
        grid = block.subplots(n_lines, PANELS_IN_LINE).ravel()
        for ax, (data, scores) in zip(grid, table.items(), strict=False):
            draw_families(ax, scores, families, measure, price)
            ax.set_title(data, fontsize="medium")
        for ax in grid[len(table) :]:
            ax.set_axis_off()
        block.supylabel(title, fontsize="medium")
        block.supxlabel(name, fontsize="medium")
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(families))
    return figure


def draw_families(ax: Axes, scores: Scores, families: Mapping[str, Family], measure: str, price: str) -> None:
    for family, methods in families.items():
        colour, marker = STYLES[family]
        points = np.array([[scores[method][measure], scores[method][price]] for method in methods])
        ax.plot(
            *points.T, color=colour, marker=marker, markersize=13 if marker == "*" else 5, linewidth=1.4, label=family
        )
        where = BESIDE.get(family, (5, 4))
        ax.annotate(
            list(methods.values())[-1], points[-1], textcoords="offset points", xytext=where, fontsize=8, color=colour
        )
    ax.margins(0.18)
    ax.tick_params(labelsize="small")
    ax.spines[["top", "right"]].set_visible(False)


def side_by_side(
    maps: Mapping[str, Mapping[str, np.ndarray]], labels: Mapping[str, np.ndarray], methods: Sequence[str]
) -> Figure:
    """A line for each set, a column for each method; every panel holds all points of its map."""
    figure, grid = plt.subplots(
        len(maps), len(methods), figsize=(2.1 * len(methods), 2.1 * len(maps)), squeeze=False, layout="constrained"
    )
    for line, (data, of_methods) in zip(grid, maps.items(), strict=True):
        colours = colours_of(labels[data])
        order = np.random.default_rng(0).permutation(len(colours))
        for ax, method in zip(line, methods, strict=True):
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set_color("#cccccc")
            if method not in of_methods:
                ax.text(0.5, 0.5, "not drawn", ha="center", va="center", transform=ax.transAxes, fontsize="small")
                continue
            ax.scatter(*of_methods[method][order].T, c=colours[order], s=200 / len(order) ** 0.65, linewidths=0)
            ax.set_aspect("equal", adjustable="datalim")
            ax.margins(0.03)
        line[0].set_ylabel(data, fontsize="medium")
    for ax, method in zip(grid[0], methods, strict=True):
        ax.set_title(method, fontsize="medium")
    return figure


def colours_of(labels: np.ndarray) -> np.ndarray:
    """A colour for each row: hues in turn light and dark, so that neighbours in the list differ in more than hue."""
    names, codes = np.unique(labels, return_inverse=True)
    hues = plt.get_cmap("turbo")(np.linspace(0.03, 0.97, len(names)))[:, :3]
    shades = np.where(np.arange(len(names)) % 2, 0.62, 1.0)
    return np.array([to_hex(hue * shade) for hue, shade in zip(hues, shades, strict=True)])[codes]
