"""Arrows of the features around one row: which are drawn, how, and what their lengths mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from ...data.units import first_of_each
from ...explanation.chance import feature_beats_chance
from ...explanation.neighborhoods import Neighborhoods
from ...explanation.regression import default_neighbors
from .canvas import FAINT_INK, HALO, INK, PALE_INK, name_dimensions, shortened, show_part, without_ticks
from .cloud import draw_rings
from .colours import COLOURS, NEUTRAL, Categories, Numbers
from .model import Model, map_behind, name_of_row
from .placed_labels import Label, PlacedLabels

ARROW = COLOURS[0]

# Arrows are as long as they are in the coordinates of the map. Shafts are in inches, heads in widths of the shaft.
ARROW_STYLE: dict[str, Any] = {
    "angles": "xy",
    "scale_units": "xy",
    "units": "inches",
    "headwidth": 4.5,
    "headlength": 5.5,
    "headaxislength": 5,
    "zorder": 3,
    "gid": "arrows",
}


def longest_in_words(
    kind: str, names: Sequence[str], arrows: np.ndarray, scale: float, units: np.ndarray | None = None
) -> list[str]:
    """Write what the length of arrows means: how much the feature of the longest one rises from its tail to its head.

    ``scale`` is the drawn length of a slope of 1, and ``units`` lead from slopes to the user's units. Arrows of the
    paper's frames have no unit, so nothing is written.
    """
    lengths = np.linalg.norm(arrows, axis=1)
    if kind == "frame" or not lengths.any():
        return []
    longest = int(lengths.argmax())
    rise = lengths[longest] ** 2 * scale * (1.0 if units is None else units[longest])
    return [f"Along the longest arrow, {names[longest]} rises by {rise:.2g}."]


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


LEVEL = 0.05  # share of arrows by chance among those that are drawn
ROWS_AT_ONCE = 200  # rows of which all features are in memory at one time
FAINTEST, SOLID = 0.25, 0.5  # arrows of features of which the map shows half or more are solid


@dataclass(frozen=True)
class ShownArrows:
    """The features of a row that are drawn, the best shown first."""

    columns: np.ndarray  # (n_shown,) column numbers
    arrows: np.ndarray  # (n_shown, 2) slopes on the map, of the columns of the fit: these can be compared
    units: np.ndarray  # (n_shown,) what a slope is multiplied by to be in the units of the user
    explained: np.ndarray  # (n_shown,) which part of each feature's local variance the map shows

    @property
    def opacity(self) -> np.ndarray:
        """How solid each arrow is, from `FAINTEST` to 1."""
        return opacity_of(self.explained)


def shown_arrows(model: Model, row: int, k: int, kind: str) -> ShownArrows:
    """Return the at most ``k`` features of a row that the map shows best, without those that chance explains.

    As in ``model.why``, features that no other feature goes with are left out.
    """
    explained, factors = model.explained_variance([row])[0], model.backing().factors
    order = np.argsort(-explained * factors, kind="stable")
    counts = model.significant_arrows([row])[0] & (factors > 0)
    data = model._points.mapped.data
    columns = first_of_each(order[counts[order]], data.groups)[:k]
    arrows = model.arrows([row], kind)[0][columns, :2].astype(float)
    units = np.ones(len(columns)) if data.units is None or kind == "frame" else data.units.factor[columns]
    return ShownArrows(columns, arrows / units[:, None], units, explained[columns])


def explained_of_feature(model: Model, rows: np.ndarray, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which part of one feature's variance the map shows around each row, and where that beats chance."""
    explained = np.empty(len(rows))
    points = model._points
    k = default_neighbors(len(points.mapped.embedding))
    for start in range(0, len(rows), ROWS_AT_ONCE):
        block = slice(start, start + ROWS_AT_ONCE)
        explained[block] = model.explained_variance(rows[block])[:, column]
    chosen = np.asarray(rows, np.int32)
    around = Neighborhoods.around(points, chosen, k, points.mapped.copies)
    return explained, feature_beats_chance(points, chosen, around, column, LEVEL) & (explained > 0)


def opacity_of(explained: np.ndarray) -> np.ndarray:
    """Return how solid arrows are that stand for these parts of the variance."""
    return FAINTEST + (1 - FAINTEST) * np.clip(explained / SOLID, 0, 1)
