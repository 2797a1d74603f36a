"""What a notebook shows of a map: its points as a small drawing, and what is known of it already."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np

from ..values import DoubleArray, FloatArray
from .points import Points
from .trust import Trust

MOST_POINTS = 2000  # of each layer: a saved notebook stays small
SIDE, MARGIN = 1000, 20  # of the drawing, in its own units
PIXELS = 260
NOT_ASKED = "How far to trust its arrows has not been measured yet: ask trust()."
# Colours are those of the text around, which a notebook knows to be dark or light.
PAGE = """<div style="display: flex; flex-wrap: wrap; gap: 1em; align-items: center">
{drawing}
<div style="flex: 1; min-width: 16em">
{text}
</div>
</div>"""
DRAWING = (
    f'<svg role="img" aria-label="{{label}}" viewBox="0 0 {SIDE} {SIDE}" width="{PIXELS}" height="{PIXELS}" '
    'fill="none" stroke="currentColor" stroke-linecap="round">{layers}</svg>'
)
FAINT, STRONG = 0.2, 0.75


def html_of(title: str, points: Points, facts: Iterable[str], trust: Trust | None) -> str:
    """The points of a map with what is known of them. Nothing is computed that takes time."""
    lines = [_extent(points), *facts, NOT_ASKED if trust is None else trust.sentence]
    text = [f'<p><code style="white-space: pre-wrap">{escape(title)}</code></p>']
    return PAGE.format(drawing=_drawing(points), text="\n".join(text + [f"<p>{escape(line)}</p>" for line in lines]))


def density_fact(correlation: float) -> str:
    """How well density was kept, in words."""
    return f"Density: distances to neighbours on the map and in the data correlate by {correlation:.2f} (1 is best)."


def _extent(points: Points) -> str:
    n_features, n_components = points.mapped.data.shape[1], points.embedding.shape[1]
    where = f" on the map of {len(points.mapped.embedding):,}" if points.is_part_of_map else ""
    drawn = f"; the first two of {n_components} dimensions are drawn" if n_components > 2 else ""
    return f"{_counted(len(points), 'row')}{where}, {_counted(n_features, 'feature')}{drawn}."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _drawing(points: Points) -> str:
    ground = [points.mapped.embedding] if points.is_part_of_map else []
    layers = [_on_plane(_sampled(embedding)) for embedding in (*ground, points.embedding)]
    everything = np.concatenate(layers)
    middle = (everything.min(axis=0) + everything.max(axis=0)) / 2
    size = np.ptp(everything, axis=0).max()
    scale = (SIDE - 2 * MARGIN) / size if size > 0 else 0.0
    opacities = [FAINT] * len(ground) + [STRONG]
    drawn = (
        _layer((layer - middle) * scale * (1, -1) + SIDE / 2, opacity)
        for layer, opacity in zip(layers, opacities, strict=True)
    )
    return DRAWING.format(label=f"A map of {_counted(len(points), 'row')}", layers="".join(drawn))


def _sampled(embedding: FloatArray) -> FloatArray:
    """At most so many random points, always the same."""
    if len(embedding) <= MOST_POINTS:
        return embedding
    return embedding[np.sort(np.random.default_rng(0).choice(len(embedding), MOST_POINTS, replace=False))]


def _on_plane(embedding: FloatArray) -> DoubleArray:
    """The first two dimensions; a map of one dimension is a line."""
    plane = np.zeros((len(embedding), 2))
    plane[:, : embedding.shape[1]] = embedding[:, :2]
    return plane


def _layer(positions: DoubleArray, opacity: float) -> str:
    """One path with a dot at each position: lines of length 0 with round ends."""
    dots = "".join(f"M{x} {y}h0" for x, y in positions.round().astype(int).tolist())
    width = round(np.clip(450 / np.sqrt(max(len(positions), 1)), 9, 24))
    return f'<path d="{dots}" stroke-width="{width}" stroke-opacity="{opacity}"/>'
