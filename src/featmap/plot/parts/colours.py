"""Labels of rows as categories or as numbers, and their colours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.colors import to_hex, to_rgb

from ...checks.rows import check_order, label_values

MOST_INTEGER_CATEGORIES = 30  # more different integers are read as numbers, not as categories


@dataclass(frozen=True)
class Categories:
    """One category per row, as an index into ``names``; -1 for the other rows, which the legend calls ``rest``."""

    codes: np.ndarray
    names: list[str]
    rest: str
    title: str | None
    own_colours: tuple[str, ...] | None = None  # one for each name, where the user has chosen them

    @property
    def colours(self) -> list[str]:
        """One colour for each name."""
        return colours_for(len(self.names)) if self.own_colours is None else list(self.own_colours)


@dataclass(frozen=True)
class Numbers:
    """One number per row, not finite where it is missing."""

    values: np.ndarray
    title: str | None


def read_labels(caller: str, labels: Any, n_rows: int, names: np.ndarray | None = None) -> Categories | Numbers:
    """Read floats and many different integers as numbers, everything else as categories.

    Labels that have been read stay as they are.
    """
    if isinstance(labels, Categories | Numbers):
        return labels
    check_order("labels", labels, names)
    values, missing = label_values(caller, labels, n_rows)
    title = getattr(labels, "name", None)
    title = None if title is None else str(title)
    kind = values.dtype.kind
    if kind == "f" or (kind in "iu" and len(np.unique(values)) > MOST_INTEGER_CATEGORIES):
        return Numbers(np.where(missing, np.nan, values.astype(float)), title)
    texts = np.array([str(value) for value in values.tolist()], dtype=object)
    present = set(texts[~missing])
    known, rest = [name for name in _order(labels, values[~missing]) if name in present], "missing"
    if len(known) > MOST_COLOURS:
        counts = dict(zip(*np.unique(texts[~missing].astype(str), return_counts=True), strict=True))
        most_frequent = set(sorted(known, key=lambda name: -counts[name])[:MOST_COLOURS])
        known, rest = [name for name in known if name in most_frequent], "other"
    numbers = {name: number for number, name in enumerate(known)}
    codes = np.array([-1 if gone else numbers.get(text, -1) for text, gone in zip(texts, missing, strict=True)])
    return Categories(codes, known, rest, title)


def _order(labels: Any, values: np.ndarray) -> list[str]:
    """Return the names in the order of a pandas Categorical, else numbers by size and texts as people sort them."""
    declared = getattr(getattr(labels, "dtype", None), "categories", None)
    if declared is not None:
        return [str(name) for name in declared]
    if values.dtype.kind in "biu":
        return [str(value) for value in np.unique(values).tolist()]
    return sorted({str(value) for value in values.tolist()}, key=_natural)


def _natural(name: str) -> list[str | int]:
    """Return a key that sorts "cluster 2" before "cluster 10"."""
    parts: list[str | int] = list(re.split(r"(\d+)", name))
    parts[1::2] = [int(part) for part in parts[1::2]]
    return parts


# These are the colours of Okabe and Ito, with a darker yellow for white paper, and three more. Under simulated
# protanopia, deuteranopia and tritanopia (Machado et al. 2009) the three are as far from all others as the colours of
# Okabe and Ito are from each other.
COLOURS = (
    "#0072b2",  # blue
    "#e69f00",  # orange
    "#009e73",  # green
    "#d55e00",  # vermilion
    "#56b4e9",  # sky
    "#cc79a7",  # pink
    "#d9cf00",  # yellow
    "#3333cc",  # indigo
    "#8b1a1a",  # dark red
    "#222222",  # black
)
NEUTRAL = "#b8b8b8"

MOST_COLOURS = 120
COLOUR_STEPS = 18  # candidates for more colours are a grid of so many steps in red, green and blue
DARKEST, LIGHTEST = 0.38, 0.85  # of candidates, where black is 0 and white is 1

# Ottosson's OKLab, in which distances are differences seen: cones from linear RGB, then lightness and two hues.
TO_CONES = np.array([[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]])
TO_LAB = np.array([[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]])


def colours_for(n_categories: int) -> list[str]:
    """Return one colour for each category. Each colour is far from those before it."""
    return [*COLOURS, *_more_colours()][:n_categories]


def darkened(colour: str) -> str:
    """Return a colour in which text is legible on white paper, and which still belongs to the one given."""
    red, green, blue = to_rgb(colour)
    return to_hex((0.6 * red, 0.6 * green, 0.6 * blue))


@lru_cache(maxsize=1)
def _more_colours() -> list[str]:
    """Return the colours after the first ten. Each is the candidate furthest from those before, grey and white."""
    axis = np.linspace(0, 1, COLOUR_STEPS)
    candidates = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    seen = perceived(candidates)
    in_between = (seen[:, 0] > DARKEST) & (seen[:, 0] < LIGHTEST)
    candidates, seen = candidates[in_between], seen[in_between]
    taken = perceived(np.array([to_rgb(colour) for colour in (*COLOURS, NEUTRAL, "white")]))
    nearest = np.linalg.norm(seen[:, None] - taken, axis=2).min(axis=1)
    chosen = []
    for _ in range(MOST_COLOURS - len(COLOURS)):
        best = int(nearest.argmax())
        chosen.append(to_hex(candidates[best]))
        nearest = np.minimum(nearest, np.linalg.norm(seen - seen[best], axis=1))
    return chosen


def perceived(rgb: np.ndarray) -> np.ndarray:
    """Return sRGB colours as lightness and two hues of OKLab: shape (n_colours, 3)."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ TO_CONES.T) @ TO_LAB.T
