"""Several maps of the same data side by side, in the same colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.utils import check_array

from ..errors import InvalidParameterError
from .canvas import PLAIN_TEXT
from .checks import check_model
from .cloud import Cloud, key
from .labels import read_labels
from .legends import widen_by_legend
from .names import shortened
from .panels import panels_in_a_grid

if TYPE_CHECKING:
    from ..estimator import FeatMAP

MOST_MAPS = 36


def compare(maps: Mapping[str, Any], *, labels: Any = None, ax: Axes | None = None) -> Axes:
    """Draw several maps by their names: arrays of places, fitted models or explanations.

    ``labels`` are as in `embedding` and colour all maps alike; the maps must then have the same rows. The panels are
    ``child_axes`` of the Axes returned.
    """
    if not isinstance(maps, Mapping) or not 1 <= len(maps) <= MOST_MAPS:
        raise InvalidParameterError(f"compare(maps=…): must be a dict of 1 to {MOST_MAPS} maps by their names")
    titles = [shortened(str(name)) for name in maps]
    return _draw_panels("compare", titles, [_places_of(name, one) for name, one in maps.items()], labels, ax)


def density_strip(models: Sequence[FeatMAP], *, labels: Any = None, ax: Axes | None = None) -> Axes:
    """Draw maps made with several density weights, each with its λ and its density correlation along each direction.

    ``models`` are fitted `FeatMAP` of the same rows, ``labels`` as in `embedding`. The panels are ``child_axes`` of
    the Axes returned.
    """
    if not isinstance(models, Sequence) or not 1 <= len(models) <= MOST_MAPS:
        raise InvalidParameterError(f"density_strip(models=…): must be a list of 1 to {MOST_MAPS} fitted FeatMAP")
    titles = [_density_title(model) for model in models]
    return _draw_panels("density_strip", titles, [model.embedding_ for model in models], labels, ax)


def _draw_panels(caller: str, titles: list[str], maps: list[np.ndarray], labels: Any, ax: Axes | None) -> Axes:
    meanings = [None if labels is None else read_labels(caller, labels, len(places)) for places in maps]
    is_new = ax is None
    ax, panels = panels_in_a_grid(ax, len(maps), title_lines=2)
    for panel, title, places, meaning in zip(panels, titles, maps, meanings, strict=True):
        cloud = Cloud(panel, places, meaning)
        shown = cloud.draw_meaning(meaning)
        cloud.furnish()
        panel.set(xlabel="", ylabel="")  # there is no room between the panels
        remark = f"\n(2 of {cloud.n_dimensions} dimensions)" * (cloud.n_dimensions > 2 and "\n" not in title)
        panel.set_title(title + remark, fontsize="medium", **PLAIN_TEXT)
    key(ax, meanings[0], shown)
    if is_new:
        widen_by_legend(ax)
    return ax


def _density_title(model: Any) -> str:
    check_model("density_strip", model)
    if not hasattr(model, "density_correlation_"):
        raise InvalidParameterError(
            f"density_strip(models=…): must be fitted FeatMAP, with a density weight; got {type(model).__name__}"
        )
    correlations = ", ".join(f"{value:.2f}" for value in model.density_correlation_)
    return f"λ = {model.density_weight:g}\ncorrelation {correlations}"


def _places_of(name: str, one: Any) -> np.ndarray:
    if not isinstance(one, np.ndarray | list):
        check_model("compare", one)
        return one.embedding_
    try:
        return check_array(one, dtype=np.float64)
    except ValueError as error:
        raise InvalidParameterError(f"compare(maps={{{name!r}: …}}): must be finite places, one per row") from error
