"""The answer about one row as a picture: its place on the map, and where it stands in the features that are named."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch

from ..answers.asking import MapAnswers
from ..answers.values import Difference, Why
from .parts.canvas import INK, PALE_INK, PLAIN_TEXT, axes_for_panels, shortened, without_ticks, write_caption
from .parts.cloud import RING, Cloud, draw_rings
from .parts.colours import COLOURS, NEUTRAL, Categories, Numbers, RowLabels, colour_bar, labels_of, name_groups
from .parts.pixels import draw_differences
from .parts.placed_labels import Label, PlacedLabels
from .parts.strips import Lane, Strip, draw_strip, in_words

SIZE = (11.0, 5.6)
MAP, BESIDE_A_BAR = (0.0, 0.1, 0.55, 0.84), (0.0, 0.1, 0.44, 0.84)
STRIPS, HIGHEST_STRIP, GAP = (0.66, 0.08, 0.34, 0.86), 0.2, 0.13
IMAGES = (0.58, 0.02, 0.42, 0.94)
MOST_STRIPS, MOST_NEAREST = 3, 10
WIDEST_TITLE = 100  # letters
BESIDE_RING: dict[str, Any] = {"weight": "bold", "clear": 7.0, "away": (1.0, 0.3), "gid": "row"}


def draw_answer(model: Any, row: int, ax: Axes | None) -> Axes:
    """Draw the answer about a row of a map that knows its table."""
    why, answers = model.why(row), model._map_answers()
    ax = axes_for_panels(ax, SIZE)
    sentence = f"{_capital(why.unit)} {why.name}: {why.sentence}"
    ax.set_title(textwrap.fill(sentence, WIDEST_TITLE), fontsize="medium", loc="left", **PLAIN_TEXT)
    colours = labels_of("why", model, model.known.label)
    nearest = answers.ground.places.data[row]
    _draw_map(ax.inset_axes(BESIDE_A_BAR if isinstance(colours, Numbers) else MAP), model, why, nearest, colours)
    if answers.table.image_shape is not None:
        _draw_images(ax, answers, why, nearest)
    else:
        _draw_strips(ax, answers, why, colours)
    return ax


def _draw_map(ax: Axes, model: Any, why: Why, nearest: np.ndarray, colours: RowLabels | None) -> None:
    """Draw the map with the row, lines to its nearest rows in the data, and where it would move."""
    cloud = Cloud.of(ax, model, colours)
    shown = cloud.draw_labelled(colours)
    at = cloud.positions[why.row]
    for other in cloud.positions[nearest]:
        ax.plot(*zip(at, other, strict=True), "--", color=INK, linewidth=0.7, alpha=0.6, zorder=4, gid="nearest")
    x, y = cloud.positions[nearest].T
    ax.scatter(x, y, s=22, facecolors="none", edgecolors=INK, linewidths=0.8, zorder=4.5)
    draw_rings(ax, at[None])
    cloud.finish_axes()
    if why.move is not None and cloud.n_dimensions > 1:
        _draw_move(ax, at, np.array(why.move.place[:2]))
    names = [Label(shortened(f"{why.unit} {why.name}"), at, **BESIDE_RING)]
    if isinstance(colours, Categories):
        name_groups(ax, cloud.positions, colours, names, at[None])
        ax.set_xlabel("")
    else:
        PlacedLabels(ax, names, at[None])
    if isinstance(colours, Numbers):
        colour_bar(ax, shown, colours.title or "label")
    rest = "" if model.known.image_shape is not None else str(why)[len(why.sentence) :].strip()
    write_caption(ax, [f"Dashed: its {len(nearest)} nearest in the data. {rest}"])


def _draw_move(ax: Axes, at: np.ndarray, to: np.ndarray) -> None:
    """Draw a ghost where the changed row would lie, and the way to it."""
    ax.scatter(to[:1], to[1:], s=RING, facecolors="white", edgecolors=INK, linestyles=":", linewidths=1.8, zorder=5)
    bent: dict[str, Any] = {"connectionstyle": "arc3,rad=0.15", "arrowstyle": "-|>", "mutation_scale": 12}
    arrow = FancyArrowPatch(tuple(at), tuple(to), color=INK, shrinkA=7, shrinkB=7, linewidth=1.4, zorder=5, **bent)
    arrow.set_gid("move")
    ax.add_patch(arrow)


# Strips


def _draw_strips(ax: Axes, answers: MapAnswers, why: Why, colours: RowLabels | None) -> None:
    strips, lanes = list(strips_of(answers, why))[:MOST_STRIPS], _lanes(answers, why, colours)
    left, bottom, width, height = STRIPS
    step = HIGHEST_STRIP + GAP
    for number, strip in enumerate(strips):
        panel = ax.inset_axes((left, bottom + height - HIGHEST_STRIP - number * step, width, HIGHEST_STRIP))
        draw_strip(panel, strip, lanes, f"this {why.unit}")
    if strips:
        circle = "after the move" if why.move is not None else f"usual {_beside(answers, why)}"
        panel.set_xlabel(f"○ {circle}", fontsize="small", color=INK, **PLAIN_TEXT)
    else:
        ax.text(left, 0.6, "No single feature sets it apart.", fontsize="small", color=PALE_INK)


def strips_of(answers: MapAnswers, why: Why) -> Iterator[Strip]:
    """The features that a move changes, then those in which the row differs, each once."""
    table, said = answers.table, set()
    for change in () if why.move is None else why.move.changes:
        said |= {change.feature, *change.alike}
        more = f" (and {len(change.alike)} more)" if change.alike else ""
        words = f"{in_words(change.value, change.spread)} → {in_words(change.to, change.spread)}"
        yield _strip(table, change.feature, f"{shortened(change.feature)}{more}: {words}", change.value, change.to)
    for one in (*why.differences, *why.details):
        if one.feature not in said and one.feature in table.names:
            said.add(one.feature)
            yield _strip(table, one.feature, _title(answers, one, why), one.value, one.around)


def _title(answers: MapAnswers, difference: Difference, why: Why) -> str:
    """The value of the row, with what is typical of its own group and around."""
    beside = _beside(answers, why).removeprefix("of ").removesuffix(" it")
    typical = [(why.place.label, difference.own_group), (beside, difference.around)]
    words = [f"{name} {in_words(value, difference.spread)}" for name, value in typical if name and value is not None]
    own = in_words(difference.value, difference.spread)
    return f"{shortened(difference.feature)} {own} ({'; '.join(words)})"


def _is_among_others(answers: MapAnswers, why: Why) -> bool:
    """Whether the row is compared with the other label around it, rather than with all others."""
    return answers.compared is not None and bool(answers.compared.is_odd[why.row])


def _beside(answers: MapAnswers, why: Why) -> str:
    """What the row is compared with."""
    if why.place.label is None:
        return "around it"
    return f"of {why.place.around}" if _is_among_others(answers, why) else "of others"


def _strip(table: Any, feature: str, title: str, own: Any, other: Any) -> Strip:
    column = table.names.index(feature)
    values = table.values[:, [column]]
    values = values.toarray() if sp.issparse(values) else values
    levels = table.levels[column] if table.levels else None
    return Strip(title, np.asarray(values, np.float64).ravel(), own, other, levels)


def _lanes(answers: MapAnswers, why: Why, colours: RowLabels | None) -> list[Lane]:
    """Rows of its own label, of the label around, and all others; without labels the rows around and all others."""
    m, labels = answers.table.shape[0], answers.labels
    if labels is None or why.place.label is None:
        around = answers.ground.places.near[why.row]
        others = np.setdiff1d(np.arange(m), [*around, why.row])
        return [Lane("around it", around, COLOURS[0]), Lane("all others", others, NEUTRAL)]
    named = [name for name in (why.place.label, why.place.around if _is_among_others(answers, why) else None) if name]
    codes = [labels.names.index(name) for name in named]
    groups = [np.flatnonzero(labels.codes == code) for code in codes]
    lanes = [
        Lane(name, rows, _colour(colours, rows, number))
        for number, (name, rows) in enumerate(zip(named, groups, strict=True))
    ]
    rest = np.flatnonzero(~np.isin(labels.codes, codes))
    return [*lanes, Lane("others", rest, NEUTRAL)] if len(rest) else lanes


def _colour(colours: RowLabels | None, rows: np.ndarray, number: int) -> str:
    """The colour of these rows on the map."""
    if isinstance(colours, Categories) and len(rows) and colours.codes[rows[0]] >= 0:
        return colours.colours[colours.codes[rows[0]]]
    return COLOURS[number]


# Images


def _draw_images(ax: Axes, answers: MapAnswers, why: Why, nearest: np.ndarray) -> None:
    """Draw the image of the row, of its nearest rows in the data, of the rows around, and what differs."""
    left, bottom, width, height = IMAGES
    around, label = images_of(answers, answers.ground.places.on_map[why.row]).mean(axis=0), why.place.label
    own = images_of(answers, [why.row])[0]
    limits = {"vmin": float(own.min()), "vmax": float(max(own.max(), around.max()))}
    for number, (title, image) in enumerate([("this " + why.unit, own), ("mean around it", around)]):
        _show(ax.inset_axes(_large(number)), image, title, **limits)
    if label is not None and answers.labels is not None:
        group = answers.labels.codes == answers.labels.names.index(label)
        group[why.row] = False
        difference = (own - images_of(answers, np.flatnonzero(group)).mean(axis=0)).reshape(*own.shape[:2], -1)
        panel = ax.inset_axes(_large(2))
        draw_differences(panel, difference.mean(axis=2), None)
        panel.set_title(shortened(f"less {label}'s mean"), fontsize="small", **PLAIN_TEXT)
    ax.text(left, bottom + 0.52 * height, "Its nearest in the data:", fontsize="small", color=INK)
    for number, image in enumerate(images_of(answers, nearest[:MOST_NEAREST])):
        down, across = divmod(number, MOST_NEAREST // 2)
        place = (left + across * width / 5, bottom + (0.27 - 0.26 * down) * height, width / 5.6, 0.18 * height)
        _show(ax.inset_axes(place), image, _label(answers, nearest[number]), **limits)


def _large(number: int) -> tuple[float, float, float, float]:
    """The place of one of three large images side by side."""
    left, bottom, width, height = IMAGES
    return left + number * width / 3, bottom + 0.6 * height, width / 3.4, 0.32 * height


def images_of(answers: MapAnswers, rows: Any) -> np.ndarray:
    """The images of some rows."""
    values = answers.table.values[np.asarray(rows)]
    values = values.toarray() if sp.issparse(values) else np.asarray(values)
    return values.reshape(len(values), *(answers.table.image_shape or ()))


def _label(answers: MapAnswers, row: int) -> str:
    codes = None if answers.labels is None else answers.labels.codes
    return "" if codes is None or answers.labels is None or codes[row] < 0 else answers.labels.names[codes[row]]


def _show(ax: Axes, image: np.ndarray, title: str, vmin: float, vmax: float) -> None:
    without_ticks(ax)
    if image.ndim == 3:
        ax.imshow(np.clip((image - vmin) / ((vmax - vmin) or 1.0), 0, 1))
    else:
        ax.imshow(image, cmap="gray_r", vmin=vmin, vmax=vmax)
    ax.set_title(shortened(title), fontsize="small", **PLAIN_TEXT)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
