"""Does the map keep local density? The radii of neighbourhoods in the data against those on the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from ..errors import InvalidParameterError
from .canvas import INK, size_in_points
from .checks import check_model
from .palette import COLOURS
from .panels import empty_stage

if TYPE_CHECKING:
    from ..estimator import FeatMAP

MOST_DOTS = 2_000  # from here on points are counted in hexagons
MOST_PANELS = 4
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def density(model: FeatMAP, *, ax: Axes | None = None) -> Axes:
    """Draw the local radii on the map against those in the data, for each of the map's directions.

    Points along a rising line mean that what is spread out in the data is spread out on the map; the correlation is
    that of ``density_correlation_``. Many points are counted in hexagons. The panels are ``child_axes`` of the Axes
    returned; of a map of many directions the first four are drawn.
    """
    check_model("density", model)
    if not hasattr(model, "embedding_radii_"):
        raise InvalidParameterError(
            f"density(model=…): must be a fitted FeatMAP, which knows the radii on its map; "
            f"got {type(model).__name__}"
        )
    n_panels = min(model.radii_.shape[1], MOST_PANELS)
    ax = empty_stage(ax, (3.6 * n_panels, 3.6))
    gap = min(36 / size_in_points(ax)[0], 0.3 / n_panels)
    step = (1 + gap) / n_panels
    for direction in range(n_panels):
        panel = ax.inset_axes((direction * step, 0, step - gap, 1))
        _draw_radii(panel, model.radii_[:, direction], model.embedding_radii_[:, direction])
        name = f"v{direction + 1}".translate(SUBSCRIPTS)
        panel.set_title(f"{name}: correlation {model.density_correlation_[direction]:.2f}", fontsize="medium")
        panel.set_ylabel("" if direction else "log radius on the map")
    return ax


def _draw_radii(ax: Axes, in_data: np.ndarray, on_map: np.ndarray) -> None:
    if len(in_data) <= MOST_DOTS:
        ax.scatter(in_data, on_map, s=6, color=COLOURS[0], alpha=0.4, linewidths=0)
    else:
        ax.hexbin(in_data, on_map, gridsize=50, bins="log", mincnt=1, cmap="Blues", linewidths=0.1)
    _draw_line(ax, in_data, on_map)
    ax.set_xlabel("log radius in the data")
    ax.spines[["top", "right"]].set_visible(False)


def _draw_line(ax: Axes, x: np.ndarray, y: np.ndarray) -> None:
    """The line of least squares, as far as there are points."""
    if not np.ptp(x) > 0:
        return
    ends = np.array([x.min(), x.max()])
    slope = np.cov(x, y)[0, 1] / np.var(x, ddof=1)
    ax.plot(ends, y.mean() + slope * (ends - x.mean()), color=INK, linewidth=1.5, gid="regression")
