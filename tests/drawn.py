"""Read a picture: its artists, their positions and colours, and whether texts overlap."""

from __future__ import annotations

import copy
import itertools

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.text import Text


def with_embedding(model, embedding):
    """Return a copy of the model that has another map."""
    other = copy.copy(model)
    other.embedding_ = np.asarray(embedding, np.float32)
    return other


def shown_columns(model, row, k):
    """Return the column numbers of at most k features that the map shows best around a row, beyond chance."""
    factors = model.backing().factors
    order = np.argsort(-model.explained_variance([row])[0] * factors, kind="stable")
    return order[(model.significant_arrows([row])[0] & (factors > 0))[order]][:k]


def pixels(ax):
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba())[..., :3]


def texts(ax, gid):
    """Return the texts of one kind, those included that find their places when the figure is drawn."""
    return ax.findobj(lambda artist: isinstance(artist, Text) and artist.get_gid() == gid)


def lines(ax, gid):
    (found,) = [one for one in ax.collections if one.get_gid() == gid]
    return np.array(found.get_segments())


def only(ax, kind):
    (found,) = [one for one in ax.collections if isinstance(one, kind)]
    return found


def scatters(ax):
    return [one for one in ax.collections if isinstance(one, PathCollection) and len(one.get_offsets())]


def colour_at(ax, position):
    """Return the colour of the point that is drawn at this position."""
    for points in scatters(ax):
        (found,) = np.nonzero((np.asarray(points.get_offsets()) == position).all(axis=1))
        if len(found):
            colours = points.get_facecolors()
            return tuple(colours[found[0] % len(colours)])
    raise AssertionError(f"nothing is drawn at {position}")


def legend_names(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def overlapping(boxes):
    return [(a, b) for a, b in itertools.combinations(boxes, 2) if a.overlaps(b)]
