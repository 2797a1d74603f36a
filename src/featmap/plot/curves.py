"""Does importance mean something? How far points move when features are taken from them."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from ..errors import InvalidParameterError
from ..explanation.perturbation import Perturbation
from .canvas import FAINT_INK, axes_or_new
from .legends import legend
from .palette import COLOURS

# Colour and marker of each curve, and what it is called.
CURVES = {
    "most": (COLOURS[0], "o", "most important first"),
    "random": (COLOURS[9], "s", "in random order"),
    "least": (COLOURS[1], "^", "least important first"),
}


def perturbation(result: Perturbation, *, ax: Axes | None = None) -> Axes:
    """Draw how far points move on the map as ever more of their features are replaced, in three orders.

    The shaded area between the curves of the most important and of random features is what importance is worth: its
    size, relative to the area below the random curve, is in the title.
    """
    if not isinstance(result, Perturbation):
        raise InvalidParameterError(f"perturbation(result=…): must be a Perturbation; got {type(result).__name__}")
    ax = axes_or_new(ax, (7.5, 4.2))
    for name, (colour, marker, _) in CURVES.items():
        moves = getattr(result, name)
        # Markers of moves near 0 lie half below the axis.
        ax.plot(result.fractions, moves, color=colour, marker=marker, markersize=5, clip_on=False, gid=name)
    ax.fill_between(result.fractions, result.random, result.most, color=COLOURS[0], alpha=0.15, linewidth=0)
    legend(
        ax,
        [(colour, marker) for colour, marker, _ in CURVES.values()],
        [said for _, _, said in CURVES.values()],
        None,
    )
    ax.set_xlim(0, float(result.fractions[-1]) * 1.03)
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_xlabel("features replaced by the mean of the neighbourhood")
    ax.set_ylabel("mean move on the map\n(1: distance between neighbours)")
    ax.set_title(f"Moves by importance: area {result.area:+.2f}")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color=FAINT_INK, linewidth=0.5)
    ax.set_axisbelow(True)
    return ax
