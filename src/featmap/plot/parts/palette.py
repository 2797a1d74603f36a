"""Colours for categories: ten that readers with any colour vision can tell apart, and many more."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from matplotlib.colors import to_hex, to_rgb

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
STEPS = 18  # candidates for more colours are a grid of so many steps in red, green and blue
DARKEST, LIGHTEST = 0.38, 0.85  # of candidates, where black is 0 and white is 1

# Ottosson's OKLab, in which distances are differences seen: cones from linear RGB, then lightness and two hues.
TO_CONES = np.array([[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]])
TO_LAB = np.array([[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]])


def colours_for(n_categories: int) -> list[str]:
    """Return one colour for each category: the ten, or as many more as needed, each far from all before it."""
    return [*COLOURS, *_more_colours()][:n_categories]


def darkened(colour: str) -> str:
    """Return a colour in which text is legible on white paper, and which still belongs to the one given."""
    red, green, blue = to_rgb(colour)
    return to_hex((0.6 * red, 0.6 * green, 0.6 * blue))


@lru_cache(maxsize=1)
def _more_colours() -> list[str]:
    """Return the colours after the first ten. Each is the candidate furthest from all chosen ones, grey and white."""
    axis = np.linspace(0, 1, STEPS)
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
