"""The map that explains itself: its regions with their names and rules, and rows whose label is doubtful."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.offsetbox import AnnotationBbox, OffsetImage

from ..answers.asking import MapAnswers
from ..answers.report import difference_of_region
from ..answers.values import Findings, Region
from .answer import images_of
from .parts.canvas import INK, axes_or_new, write_caption
from .parts.cloud import Cloud, draw_rings
from .parts.colours import Categories, RowLabels, colours_for, explain_colours, labels_of, widen_by_legend
from .parts.model import ModelOrPipeline, checked_model, documented
from .parts.placed_labels import Label, PlacedLabels, densest_place

SIZE = (8.0, 6.4)
MOST_REGIONS, MOST_ROWS = 8, 8
WIDEST_LINE = 34  # letters
INCHES_OF_IMAGE = 0.45
PALE = 0.45


@documented
def findings(model: ModelOrPipeline, *, ax: Axes | None = None) -> Axes:
    """Draw the map with its findings: its regions by name and rule, and rows whose label is doubtful.

    A map from `featmap.map_table` or ``model.labelled(labels)`` knows its labels. Regions of other maps are named by
    their rules.

    Parameters
    ----------
    {model, ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the map. Of images, each region has its mean image.

    Examples
    --------
    >>> import featmap
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> species = iris.target_names[iris.target]
    >>> found = featmap.map_table(iris.data, species, unit="flower", n_epochs=50)
    >>> ax = featmap.plot.findings(found)
    """
    checked: Any = checked_model("findings", model)
    table_map = checked if hasattr(checked, "findings") else checked.labelled()
    found: Findings = table_map.findings()
    is_new = ax is None
    ax = axes_or_new(ax, SIZE)
    colours = labels_of("findings", table_map, table_map.known.label) or _by_region(found, len(table_map))
    cloud = Cloud.of(ax, table_map, colours)
    shown = cloud.draw_labelled(colours)
    for dots in ax.collections:
        dots.set_alpha(PALE)  # names are legible on them
    doubtful = cloud.positions[[why.row for why in found.rows[:MOST_ROWS]]]
    draw_rings(ax, doubtful)
    cloud.finish_axes()
    regions = [(region, densest_place(cloud.positions[region.rows])) for region in found.regions[:MOST_REGIONS]]
    _name_regions(ax, regions, table_map._map_answers(), doubtful)
    if table_map.known.label is not None:
        explain_colours(ax, colours, shown)
    write_caption(ax, list(_caption(found)))
    if is_new:
        widen_by_legend(ax)
    return ax


def _by_region(found: Findings, n_rows: int) -> RowLabels:
    codes = np.full(n_rows, -1)
    for number, region in enumerate(found.regions):
        codes[region.rows] = number
    names = [region.name for region in found.regions]
    return Categories(codes, names, "no region", None, colours_for(len(names)))


def _name_regions(
    ax: Axes, regions: Sequence[tuple[Region, np.ndarray]], answers: MapAnswers, doubtful: np.ndarray
) -> None:
    """Write each region's name at its densest place, with its rule, or beside its mean image."""
    are_images = answers.table.image_shape is not None
    if are_images:
        for region, at in regions:
            _draw_mean_image(ax, images_of(answers, region.rows).mean(axis=0), at)
    style: dict[str, Any] = {"weight": "bold", "size": 0.95, "gid": "region"}
    style |= {"clear": INCHES_OF_IMAGE * 36 + 3, "away": (0.0, -1.0)} if are_images else {}
    names = [Label(_text(region, not are_images), at, **style) for region, at in regions]
    PlacedLabels(ax, names, doubtful)


def _text(region: Region, with_rule: bool) -> str:
    """The name of a region, and below it its rule or its largest difference."""
    if not with_rule:
        return region.name
    lines = [region.name]
    if region.rule is not None and region.rule.text != region.name:
        lines.append(region.rule.text)
    elif region.rule is None and region.differences:
        lines.append(difference_of_region(region.differences[0]))
    return "\n".join(piece for line in lines for piece in textwrap.wrap(line, WIDEST_LINE))


def _caption(found: Findings) -> list[str]:
    kept = f"Around a typical {found.unit} the map keeps {found.kept} of its {found.n} nearest."
    if not found.rows:
        return [kept]
    n_ringed = min(MOST_ROWS, len(found.rows))
    which = (
        "the doubtful ones"
        if n_ringed == found.n_doubtful
        else f"the first {n_ringed} of {found.n_doubtful} doubtful"
    )
    return [f"{kept} Rings: {which}."]


def _draw_mean_image(ax: Axes, image: np.ndarray, at: np.ndarray) -> None:
    low, high = float(image.min()), float(image.max())
    pixels = (image - low) / ((high - low) or 1.0)
    zoom = INCHES_OF_IMAGE * 72 / max(image.shape[:2])
    drawn = OffsetImage(pixels if image.ndim == 3 else 1 - pixels, zoom=zoom, cmap="gray")
    box = AnnotationBbox(drawn, tuple(at), frameon=True, pad=0.1, bboxprops={"edgecolor": INK, "linewidth": 0.6})
    box.set(zorder=4.5, gid="mean image")
    ax.add_artist(box)
