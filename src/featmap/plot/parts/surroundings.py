"""The part of a map around one row, with arrows of the features that change across it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from ...explanation.regression import default_neighbors
from .arrows import ARROW, ARROW_STYLE
from .canvas import FAINT_INK, HALO, INK, PALE_INK, name_dimensions, show_part, without_ticks
from .labels import Categories, Numbers
from .marks import draw_rings
from .model import Model, map_behind
from .names import name_of_row, shortened
from .palette import NEUTRAL
from .placed_labels import Label, PlacedLabels
from .shown import ShownArrows

NEAR = 0.5  # the zoomed part reaches to this part of the rows that arrows are fitted to
ROOM = 1.2  # and by this factor further
REACH = 0.78  # length of the longest arrow, in radii of the zoomed part
POINT = 22.0  # area of a point, in square points
FREE = 25  # places along each arrow that names should not cover


def radius_around(model: Model, row: int) -> float:
    """Return how far the surroundings of a row reach on the map: about half of the rows that arrows are fitted to."""
    places = whole_map(model)[:, :2]
    distances = np.sort(np.linalg.norm(places - model.embedding_[row, :2], axis=1))
    near = max(int(NEAR * default_neighbors(len(places))), 1)
    positive = distances[distances > 0]
    return float(ROOM * (distances[min(near, len(distances) - 1)] or (positive[0] if len(positive) else 1.0)))


def whole_map(model: Model) -> np.ndarray:
    """Return the map that the points lie on: for new rows, that of the fit."""
    behind = map_behind(model)
    return model.embedding_ if behind is None else behind


def draw_surroundings(
    ax: Axes, model: Model, row: int, shown: ShownArrows, names: Sequence[str], labels: Categories | Numbers | None
) -> float:
    """Draw the points around the row, and an arrow for each feature. Return the drawn length of a slope of 1.

    ``names`` are those of the features that are shown.
    """
    without_ticks(ax)
    name_dimensions(ax, model.embedding_.shape[1])
    ax.set_aspect("equal", adjustable="datalim")
    centre, radius = model.embedding_[row, :2].astype(float), radius_around(model, row)
    _draw_points(ax, model, centre, radius, labels)
    is_row = np.arange(len(model.embedding_)) == row
    ax.scatter(
        centre[0], centre[1], s=POINT, linewidths=0, zorder=4.5, gid="row itself", **_colours(labels, is_row)
    )  # above arrows
    draw_rings(ax, centre[None])
    lengths = np.linalg.norm(shown.arrows, axis=1)
    scale = float(REACH * radius / lengths.max()) if lengths.any() else 0.0
    if scale:
        _draw_arrows(ax, centre, scale * shown.arrows, shown.opacity, names)
    else:
        _write_why_no_arrows(ax, model, row, len(shown.columns) > 0)
    show_part(ax, np.array([centre - radius, centre + radius]))
    return scale


def draw_zoomed_part(ax: Axes, model: Model, row: int) -> None:
    """Draw a square on the whole map around the part that `draw_surroundings` shows."""
    radius = radius_around(model, row)
    x, y = model.embedding_[row, :2].tolist()
    ax.add_patch(
        Rectangle(
            (x - radius, y - radius), 2 * radius, 2 * radius, fill=False, edgecolor=INK, linewidth=0.8, gid="zoomed"
        )
    )


def _draw_points(
    ax: Axes, model: Model, centre: np.ndarray, radius: float, labels: Categories | Numbers | None
) -> None:
    behind = map_behind(model)
    positions = model.embedding_[:, :2]
    if behind is not None:
        x, y = behind[_near(behind, centre, radius)][:, :2].T
        ax.scatter(x, y, s=POINT, c=FAINT_INK, linewidths=0, zorder=0.8)
    near = _near(positions, centre, radius)
    x, y = positions[near].T
    ax.scatter(x, y, s=POINT, linewidths=0, alpha=0.55, **_colours(labels, near))


def _near(embedding: np.ndarray, centre: np.ndarray, radius: float) -> np.ndarray:
    """Return which points may be seen: a panel may be up to four times as wide as high."""
    return (np.abs(embedding[:, :2] - centre) < 4 * radius).all(axis=1)


def _colours(labels: Categories | Numbers | None, near: np.ndarray) -> dict[str, Any]:
    if isinstance(labels, Categories):
        return {"c": np.array([*labels.colours, NEUTRAL])[labels.codes[near]]}
    if isinstance(labels, Numbers) and np.isfinite(labels.values).any():
        limits = np.nanmin(labels.values), np.nanmax(labels.values)
        return {
            "c": labels.values[near],
            "cmap": "viridis",
            "vmin": limits[0],
            "vmax": limits[1],
            "plotnonfinite": True,
        }
    return {"c": NEUTRAL}


def _draw_arrows(ax: Axes, centre: np.ndarray, steps: np.ndarray, opacity: np.ndarray, names: Sequence[str]) -> None:
    colours = np.tile(to_rgba(ARROW), (len(steps), 1))
    colours[:, 3] = opacity
    tails = np.tile(centre, (len(steps), 1))
    ax.quiver(*tails.T, *steps.T, color=colours, scale=1, width=0.03, minlength=0.1, **(ARROW_STYLE | {"zorder": 4}))
    heads = centre + steps
    labels = [
        Label(shortened(name), tuple(head), ARROW, clear=2.0, away=tuple(step / np.linalg.norm(step)), gid="feature")
        for name, head, step in zip(names, heads, steps, strict=True)
        if step.any()
    ]
    along = np.linspace(0, 1, FREE)[:, None, None]
    PlacedLabels(ax, labels, visible=(centre + along * steps).reshape(-1, 2))


def _write_why_no_arrows(ax: Axes, model: Model, row: int, any_beats_chance: bool) -> None:
    name = name_of_row(model, row)
    text = "no feature changes across the map here\nmore than by chance"
    if any_beats_chance:
        text = "no arrows here: they would have no length,\nthe map tells too little of the features"
    if not model.intrinsic_dim_[row]:
        text = f"no directions here:\n{name} has no neighbours, or all are equal to it"
    ax.text(
        0.5,
        0.12,
        text,
        transform=ax.transAxes,
        ha="center",
        color=PALE_INK,
        zorder=6,
        gid="nothing",
        path_effects=[HALO],
    )
