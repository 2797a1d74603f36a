"""Arrows of features: which are drawn, the surroundings of a row with its arrows, and what their lengths mean."""

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
from .canvas import FAINT_INK, HALO, INK, PALE_INK, shortened, without_ticks
from .cloud import draw_rings, name_dimensions, show_part
from .colours import COLOURS, NEUTRAL, Categories, Numbers
from .model import Model, in_blocks, map_behind, name_of_row
from .placed_labels import Label, PlacedLabels

ARROW = COLOURS[0]
# Arrows are as long as they are in the coordinates of the map. Shafts are in inches, heads in widths of the shaft.
ARROW_STYLE: dict[str, Any] = {
    "angles": "xy",
    "scale_units": "xy",
    "scale": 1,
    "units": "inches",
    "headwidth": 4.5,
    "headlength": 5.5,
    "headaxislength": 5,
    "zorder": 3,
    "gid": "arrows",
}
FAINTEST, SOLID = 0.25, 0.5  # arrows of features of which the map shows half or more are solid
SHARE_BY_CHANCE = 0.05  # share of arrows by chance among those that are drawn

NEAR_ROWS = 0.5  # the zoomed part reaches to this part of the rows that arrows are fitted to
ROOM = 1.2  # and by this factor further
LONGEST_ARROW = 0.78  # in radii of the zoomed part
POINT = 22.0  # area of a point, in square points
PLACES_ALONG = 25  # places along each arrow that names should not cover


@dataclass(frozen=True)
class ShownArrows:
    """The features of a row that have an arrow, first those that the map shows best."""

    columns: np.ndarray  # (n_shown,) column numbers
    arrows: np.ndarray  # (n_shown, 2) slopes on the map, of the columns of the fit: these can be compared
    units: np.ndarray  # (n_shown,) factors that turn slopes into the units of the user
    explained: np.ndarray  # (n_shown,) which part of each feature's local variance the map shows


def shown_arrows(model: Model, row: int, k: int, kind: str) -> ShownArrows:
    """Return the arrows of at most ``k`` features of a row: those that the map shows best, if they beat chance.

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
    explained = np.concatenate([model.explained_variance(block)[:, column] for block in in_blocks(rows)])
    points, chosen = model._points, np.asarray(rows, np.int32)
    k = default_neighbors(len(points.mapped.embedding))
    around = Neighborhoods.around(points, chosen, k, points.mapped.copies)
    return explained, feature_beats_chance(points, chosen, around, column, SHARE_BY_CHANCE) & (explained > 0)


def draw_arrows(ax: Axes, positions: np.ndarray, steps: np.ndarray, explained: np.ndarray, **style: Any) -> None:
    """Draw arrows on the map. The less of a feature's variance the map shows, the fainter is its arrow."""
    colours = np.tile(to_rgba(ARROW), (len(steps), 1))
    colours[:, 3] = FAINTEST + (1 - FAINTEST) * np.clip(explained / SOLID, 0, 1)
    ax.quiver(*positions.T, *steps.T, color=colours, **(ARROW_STYLE | style))


def longest_in_words(
    kind: str, names: Sequence[str], arrows: np.ndarray, scale: float, units: np.ndarray | None = None
) -> list[str]:
    """Write what the length of arrows means: how much the feature of the longest one rises from its tail to its head.

    ``scale`` is the drawn length of a slope of 1, and ``units`` turn slopes into the user's units. Arrows of the
    paper's frames have no unit, so nothing is written.
    """
    lengths = np.linalg.norm(arrows, axis=1)
    if kind == "frame" or not lengths.any():
        return []
    longest = int(lengths.argmax())
    rise = lengths[longest] ** 2 * scale * (1.0 if units is None else units[longest])
    return [f"Along the longest arrow, {names[longest]} rises by {rise:.2g}."]


# The surroundings of a row


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
    _draw_points(ax, model, row, radius, labels)
    draw_rings(ax, centre[None])
    lengths = np.linalg.norm(shown.arrows, axis=1)
    scale = float(LONGEST_ARROW * radius / lengths.max()) if lengths.any() else 0.0
    if scale:
        steps = scale * shown.arrows
        draw_arrows(ax, np.tile(centre, (len(steps), 1)), steps, shown.explained, width=0.03, minlength=0.1, zorder=4)
        _name_arrows(ax, centre, steps, names)
    else:
        style: dict[str, Any] = {
            "transform": ax.transAxes,
            "ha": "center",
            "color": PALE_INK,
            "zorder": 6,
            "path_effects": [HALO],
        }
        ax.text(0.5, 0.12, _why_no_arrows(model, row, len(shown.columns) > 0), gid="nothing", **style)
    show_part(ax, np.array([centre - radius, centre + radius]))
    return scale


def draw_zoomed_part(ax: Axes, model: Model, row: int) -> None:
    """Draw a square on the whole map around the part that `draw_surroundings` shows."""
    radius = radius_around(model, row)
    corner = model.embedding_[row, :2].astype(float) - radius
    style: dict[str, Any] = {"fill": False, "edgecolor": INK, "linewidth": 0.8, "gid": "zoomed"}
    ax.add_patch(Rectangle(tuple(corner), 2 * radius, 2 * radius, **style))


def radius_around(model: Model, row: int) -> float:
    """Return how far the surroundings of a row reach on the map: about half of the rows that arrows are fitted to."""
    behind = map_behind(model)
    positions = (model.embedding_ if behind is None else behind)[:, :2]
    distances = np.sort(np.linalg.norm(positions - model.embedding_[row, :2], axis=1))
    near = max(int(NEAR_ROWS * default_neighbors(len(positions))), 1)
    positive = distances[distances > 0]
    return float(ROOM * (distances[min(near, len(distances) - 1)] or (positive[0] if len(positive) else 1.0)))


def _draw_points(ax: Axes, model: Model, row: int, radius: float, labels: Categories | Numbers | None) -> None:
    """Draw the points that may be seen, since a panel may be up to four times as wide as high, and the row on top."""
    centre, behind = model.embedding_[row, :2], map_behind(model)
    if behind is not None:
        _scatter(ax, behind, (np.abs(behind[:, :2] - centre) < 4 * radius).all(axis=1), c=FAINT_INK, zorder=0.8)
    near = (np.abs(model.embedding_[:, :2] - centre) < 4 * radius).all(axis=1)
    _scatter(ax, model.embedding_, near, alpha=0.55, **_colours(labels, near))
    chosen = np.arange(len(model.embedding_)) == row
    _scatter(ax, model.embedding_, chosen, zorder=4.5, gid="row itself", **_colours(labels, chosen))  # above arrows


def _scatter(ax: Axes, embedding: np.ndarray, chosen: Any, **options: Any) -> None:
    x, y = embedding[chosen, :2].T
    ax.scatter(x, y, s=POINT, linewidths=0, **options)


def _colours(labels: Categories | Numbers | None, chosen: np.ndarray) -> dict[str, Any]:
    """Return the colours of the chosen points, as options of ``scatter``."""
    if isinstance(labels, Categories):
        return {"c": np.array([*labels.colours, NEUTRAL])[labels.codes[chosen]]}
    if isinstance(labels, Numbers) and np.isfinite(labels.values).any():
        limits = {"vmin": np.nanmin(labels.values), "vmax": np.nanmax(labels.values)}
        return {"c": labels.values[chosen], "cmap": "viridis", "plotnonfinite": True, **limits}
    return {"c": NEUTRAL}


def _name_arrows(ax: Axes, centre: np.ndarray, steps: np.ndarray, names: Sequence[str]) -> None:
    """Write the names beside the heads of their arrows, so that they do not cover any arrow."""
    labels = [
        Label(shortened(name), centre + step, ARROW, clear=2.0, away=step / np.linalg.norm(step), gid="feature")
        for name, step in zip(names, steps, strict=True)
        if step.any()
    ]
    along = np.linspace(0, 1, PLACES_ALONG)[:, None, None]
    PlacedLabels(ax, labels, visible=(centre + along * steps).reshape(-1, 2))


def _why_no_arrows(model: Model, row: int, any_beats_chance: bool) -> str:
    if not model.intrinsic_dim_[row]:
        return f"no directions here:\n{name_of_row(model, row)} has no neighbours, or all are equal to it"
    if any_beats_chance:
        return "no arrows here: they would have no length,\nthe map tells too little of the features"
    return "no feature changes across the map here\nmore than by chance"
