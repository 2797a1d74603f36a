"""Strips: where a row stands in one feature, among the rows of its own group, those around it, and all others."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from ...answers.numbers import plain
from ...answers.values import Value
from .canvas import FAINT_INK, INK, PLAIN_TEXT, shortened
from .model import some_of

MOST_TICKS = 600  # of a lane
SEEN = (0.005, 0.995)  # quantiles of all rows between which a strip is drawn, and wherever the row is
MARGIN = 0.04
WIDEST_TITLE = 52  # letters
MOST_LEVELS_NAMED, LONGEST_LEVEL, LONGEST_LANE = 6, 12, 20
JITTER = 0.3  # of levels, which would else lie on each other


@dataclass(frozen=True)
class Lane:
    """Some rows of a strip, in one colour."""

    name: str
    rows: np.ndarray
    colour: str


@dataclass(frozen=True)
class Strip:
    """A feature with the value of one row, and the value beside which it is drawn."""

    title: str
    values: np.ndarray  # (m,) of all rows, NaN where one is missing
    own: Value
    other: Value
    levels: tuple[str, ...] | None = None


def draw_strip(ax: Axes, strip: Strip, lanes: Sequence[Lane], row: str) -> None:
    """Draw the row as a dot and the other value as a circle, and below them all rows as ticks, lane by lane."""
    rng = np.random.default_rng(0)
    for height, lane in enumerate(lanes, start=1):
        rows = some_of(lane.rows, MOST_TICKS)
        x = strip.values[rows]
        if strip.levels is not None:
            x = x + rng.uniform(-JITTER, JITTER, len(x))
        clear = 0.35 if len(rows) > 100 else 0.7
        y = np.full(len(x), float(height))
        ax.scatter(x, y, s=90, marker="|", color=lane.colour, alpha=clear, linewidths=0.8, gid="ticks")
    own, other = (_place(strip, value) for value in (strip.own, strip.other))
    if own is not None and other is not None:
        ax.plot([own, other], [0, 0], ":", color=INK, linewidth=1.2, zorder=3)
    if other is not None:
        ax.plot(other, 0, "o", markersize=9, markerfacecolor="white", markeredgecolor=INK, zorder=4, gid="other")
    if own is not None:
        ax.plot(own, 0, "o", markersize=9, color=INK, markeredgecolor="white", zorder=5, gid="own")
    _finish(ax, strip, [row, *(lane.name for lane in lanes)], [place for place in (own, other) if place is not None])


def _place(strip: Strip, value: Value) -> float | None:
    if value is None:
        return None
    if isinstance(value, str):
        return float(strip.levels.index(value)) if strip.levels and value in strip.levels else None
    return float(value)


def _finish(ax: Axes, strip: Strip, names: list[str], places: list[float]) -> None:
    known = strip.values[np.isfinite(strip.values)]
    if strip.levels is not None:
        low, high = -0.5, len(strip.levels) - 0.5
        _name_levels(ax, strip.levels)
    else:
        low, high = (float(value) for value in np.quantile(known, SEEN)) if len(known) else (0.0, 1.0)
        low, high = min([low, *places]), max([high, *places])
        ax.locator_params(axis="x", nbins=5)
    margin = MARGIN * (high - low) or 1.0
    ax.set_xlim(low - margin, high + margin)
    ax.set_ylim(len(names) - 0.4, -0.6)
    shown = [shortened(name, LONGEST_LANE) for name in names]
    ax.set_yticks(range(len(names)), shown, fontsize="x-small", color=INK, **PLAIN_TEXT)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize="x-small", colors=INK)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT_INK)
    title = textwrap.fill(strip.title, WIDEST_TITLE)
    ax.set_title(title, fontsize="small", loc="left", **PLAIN_TEXT)


def _name_levels(ax: Axes, levels: tuple[str, ...]) -> None:
    """Levels by name if there are few."""
    if len(levels) <= MOST_LEVELS_NAMED:
        ax.set_xticks(range(len(levels)), [shortened(level, LONGEST_LEVEL) for level in levels], **PLAIN_TEXT)
    else:
        ax.set_xticks([])


def in_words(value: Value, spread: float) -> str:
    """A value as answers write it."""
    return "not given" if value is None else value if isinstance(value, str) else plain(value, spread)
