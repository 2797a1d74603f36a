"""How far points move on the map when features are replaced."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from ..errors import InvalidParameterError
from ..explanation.perturbation import Perturbation
from .parts.canvas import FAINT_INK, INK, PALE_INK, axes_or_new
from .parts.colours import COLOURS, legend
from .parts.model import documented

# Colour, marker and name of each curve.
CURVES = {
    "most": (COLOURS[0], "o", "most important first"),
    "floor": (INK, "_", "noise floor"),
    "random": (PALE_INK, "s", "in random order"),
    "least": (COLOURS[1], "^", "least important first"),
}


@documented
def perturbation(result: Perturbation, *, ax: Axes | None = None) -> Axes:
    """Draw how far points move on the map as more and more of their features are replaced.

    Any change moves a point. The floor tells how far points move when as many random features change by as much in
    all as the most important ones. What the curve of the most important features has above the floor is due to which
    features they are. The curves are means over few rows by default, and say nothing about a single row.

    Parameters
    ----------
    result : Perturbation
        What ``metrics.perturbation(model)`` returns.
    {ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes with three curves and the floor. The shaded area is that between the curve of the most important
        features and the floor. The title gives its size relative to the area below the floor.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, metrics, plot
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(load_digits().data[:100])
    >>> ax = plot.perturbation(metrics.perturbation(model, fractions=(0.1, 0.5)))
    >>> len(ax.lines)
    4
    """
    if not isinstance(result, Perturbation):
        raise InvalidParameterError(
            f"perturbation(result=…): result must be a Perturbation, as metrics.perturbation(model) returns; "
            f"got {type(result).__name__}"
        )
    ax = axes_or_new(ax, (7.5, 4.2))
    for name, (colour, marker, _) in CURVES.items():
        # Markers near 0 are half below the axis, so they are not clipped.
        moves, style = getattr(result, name), "--" if name == "floor" else "-"
        ax.plot(result.fractions, moves, style, color=colour, marker=marker, markersize=5, clip_on=False, gid=name)
    ax.fill_between(result.fractions, result.floor, result.most, color=COLOURS[0], alpha=0.15, linewidth=0)
    styles = [(colour, marker) for colour, marker, _ in CURVES.values()]
    legend(ax, styles, [name for _, _, name in CURVES.values()], None)
    ax.set_xlim(0, float(result.fractions[-1]) * 1.03)
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_xlabel("features replaced by the mean of the neighbourhood")
    ax.set_ylabel("mean move on the map\n(1: distance between neighbours)")
    above = "above" if result.area >= 0 else "below"
    ax.set_title(f"Most important features: {abs(result.area):.0%} {above} the floor", fontsize="medium")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color=FAINT_INK, linewidth=0.5)
    ax.set_axisbelow(True)
    return ax
