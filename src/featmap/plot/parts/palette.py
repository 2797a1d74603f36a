"""Colours and markers for categories that readers with any colour vision can tell apart."""

from __future__ import annotations

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
MARKERS = ("o", "^", "s", "v", "D", "P", "X", "<", ">", "*", "p", "h")
NEUTRAL = "#b8b8b8"

N_STYLES = len(COLOURS) * len(MARKERS)


def style(code: int) -> tuple[str, str]:
    """Return colour and marker of a category: all colours with the first marker, then all with the next."""
    if code < 0:
        return NEUTRAL, MARKERS[0]
    marker, colour = divmod(code, len(COLOURS))
    return COLOURS[colour], MARKERS[marker]
