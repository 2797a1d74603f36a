"""The map as a cloud of points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from .canvas import axes_or_new
from .checks import check_model
from .cloud import Cloud, key
from .labels import read_labels
from .legends import widen_by_legend

if TYPE_CHECKING:
    from .checks import Model


def embedding(model: Model, *, labels: Any = None, ax: Axes | None = None) -> Axes:
    """Draw the map, one point per row.

    ``labels`` colours the points: text, booleans and a few different integers name categories (with a legend
    beside the map), floats and many different integers are numbers (with a colour bar). A label that is missing
    is grey. A map of one dimension is drawn as points piled up along it, a map of more than two by its first two.
    """
    check_model("embedding", model)
    meaning = None if labels is None else read_labels("embedding", labels, len(model.embedding_))
    is_new = ax is None
    ax = axes_or_new(ax)
    cloud = Cloud(ax, model.embedding_, meaning)
    key(ax, meaning, cloud.draw_meaning(meaning))
    cloud.furnish()
    if is_new:
        widen_by_legend(ax)
    return ax
