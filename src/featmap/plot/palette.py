"""Colours and markers for categories, told apart by readers with any kind of colour vision."""

from __future__ import annotations

# Okabe and Ito's colours, their yellow darkened for white paper, and three more that under simulated protanopia,
# deuteranopia and tritanopia (Machado et al. 2009) stay as far from all others as Okabe and Ito's from each other.
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
MARKERS = ("o", "^", "s", "v", "D", "P", "X", "<", ">", "*", "p", "h")
NEUTRAL = "#b8b8b8"

N_STYLES = len(COLOURS) * len(MARKERS)


def style(code: int) -> tuple[str, str]:
    """Colour and marker of a category: every colour with the first marker, then every colour with the next."""
    if code < 0:
        return NEUTRAL, MARKERS[0]
    turn, colour = divmod(code, len(COLOURS))
    return COLOURS[colour], MARKERS[turn]
