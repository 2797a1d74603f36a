"""Sentences below a picture, in lines that are no wider than it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties

from .canvas import PLAIN_TEXT, size_in_points

LETTER = 0.47  # mean width of a letter, in font sizes
FEWEST_LETTERS = 30


def write_caption(ax: Axes, sentences: Sequence[str]) -> None:
    """Write sentences below the Axes, under the label that is already there, each on lines of its own."""
    size = FontProperties(size="small").get_size_in_points()
    letters = max(int(size_in_points(ax)[0] / (LETTER * size)), FEWEST_LETTERS)
    lines = [line for sentence in sentences for line in textwrap.wrap(sentence, letters)]
    ax.set_xlabel("\n".join(filter(None, [ax.get_xlabel(), *lines])), fontsize="small", **PLAIN_TEXT)
