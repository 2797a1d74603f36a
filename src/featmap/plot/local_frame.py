"""The arrows of the features that change across the map around one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from ..checks.arguments import checked_count
from ..data.units import first_of_each
from ..explanation.regression import default_neighbors
from .parts.canvas import FAINT_INK, HALO, INK, PALE_INK, axes_for_panels, shortened, without_ticks, write_caption
from .parts.cloud import Cloud, draw_rings, name_dimensions, show_part
from .parts.colours import COLOURS, NEUTRAL, RowLabels
from .parts.model import (
    MOST_NAMES,
    Model,
    ModelOrPipeline,
    check_kind,
    check_two_dimensions,
    checked_model,
    checked_row,
    documented,
    map_behind,
    name_of_row,
    names_of_features,
    write_title,
)
from .parts.placed_labels import Label, PlacedLabels

SURROUNDINGS, MAP = (0, 0, 0.62, 1), (0.66, 0.3, 0.34, 0.7)
HOW_TO_READ = (
    "An arrow points to where its feature increases.",
    "The fainter it is, the less of the feature the map shows.",
)

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

NEAR_ROWS = 0.5  # the zoomed part reaches to this part of the rows that arrows are fitted to
ROOM = 1.2  # and by this factor further
LONGEST_ARROW = 0.78  # in radii of the zoomed part
POINT = 22.0  # area of a point, in square points
PLACES_ALONG = 25  # places along each arrow that names should not cover


@documented
def local_frame(
    model: ModelOrPipeline,
    row: Any,
    *,
    k: int = 10,
    kind: str = "blend",
    image_shape: tuple[int, ...] | None = None,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw which features change across the map around one row, and in which directions they increase.

    The surroundings of the row are drawn large, with the arrows at the row itself. Do not read the arrows if the
    sentence below says that those of the map are poor. A feature without an arrow may vary a lot around the row, but
    not with the place on the map.

    Parameters
    ----------
    {model}
    row : int or name
        The number of the row, a negative number counts from the end; or its name, if the data had an index.
    k : int, default=10
        How many features get an arrow and a name at most, from 1 to 40: those of whose variance the map shows most
        around the row. Features that vary with the place on the map no more than by chance get none.
    {kind, image_shape, feature_names, ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, whose ``child_axes`` are the panels: the surroundings of the row, and the whole map with the part
        that is drawn large. Of a map of more than two dimensions the first two are drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(load_digits().data[:100])
    >>> ax = plot.local_frame(model, 42, k=5, image_shape=(8, 8))
    >>> len(ax.child_axes)
    2
    """
    model = checked_model("local_frame", model)
    row = checked_row("local_frame", model, row)
    check_two_dimensions("local_frame", model)
    check_kind("local_frame", kind)
    k = checked_count("local_frame", "k", k, 1, MOST_NAMES)
    names = names_of_features("local_frame", model, feature_names, image_shape)
    shown = shown_arrows(model, row, k, kind)
    shown_names = [shortened(names[column]) for column in shown.columns]
    ax = axes_for_panels(ax, (9.0, 5.6))
    surroundings = ax.inset_axes(SURROUNDINGS)
    scale = draw_surroundings(surroundings, model, row, shown, shown_names, None)
    longest = longest_in_words(kind, shown_names, shown.arrows, scale, shown.units)
    write_caption(surroundings, [*HOW_TO_READ, *longest, model.trust().sentence])
    write_title(ax, model, f"What changes across the map around {name_of_row(model, row)}")
    whole_map = ax.inset_axes(MAP)
    cloud = Cloud.of(whole_map, model)
    cloud.draw(c=NEUTRAL)
    draw_rings(whole_map, cloud.positions[[row]])
    cloud.finish_axes()
    whole_map.set(xlabel="", ylabel="")
    draw_zoomed_part(whole_map, model, row)
    return ax


# Which arrows are drawn


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


def draw_surroundings(
    ax: Axes, model: Model, row: int, shown: ShownArrows, names: Sequence[str], labels: RowLabels | None
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
        why = _why_no_arrows(model, row, len(shown.columns) > 0)
        text = ax.text(0.5, 0.12, why, transform=ax.transAxes, ha="center", color=PALE_INK, zorder=6, gid="nothing")
        text.set_path_effects([HALO])
    show_part(ax, np.array([centre - radius, centre + radius]))
    return scale


def draw_zoomed_part(ax: Axes, model: Model, row: int) -> None:
    """Draw a square on the whole map around the part that `draw_surroundings` shows."""
    radius = radius_around(model, row)
    corner = model.embedding_[row, :2].astype(float) - radius
    ax.add_patch(Rectangle(tuple(corner), 2 * radius, 2 * radius, fill=False, edgecolor=INK, lw=0.8, gid="zoomed"))


def radius_around(model: Model, row: int) -> float:
    """Return how far the surroundings of a row reach on the map: about half of the rows that arrows are fitted to."""
    behind = map_behind(model)
    positions = (model.embedding_ if behind is None else behind)[:, :2]
    distances = np.sort(np.linalg.norm(positions - model.embedding_[row, :2], axis=1))
    near = max(int(NEAR_ROWS * default_neighbors(len(positions))), 1)
    positive = distances[distances > 0]
    return float(ROOM * (distances[min(near, len(distances) - 1)] or (positive[0] if len(positive) else 1.0)))


def _draw_points(ax: Axes, model: Model, row: int, radius: float, labels: RowLabels | None) -> None:
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


def _colours(labels: RowLabels | None, chosen: np.ndarray) -> dict[str, Any]:
    """Return the colours of the chosen points, as options of ``scatter``."""
    if labels is None or not labels.known.any():
        return {"c": NEUTRAL}
    return labels.style | {"c": labels.style["c"][chosen]}


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
