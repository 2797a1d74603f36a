"""All there is to see of one point, on one page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from ..errors import InvalidParameterError
from .canvas import INK
from .checks import check_kind, check_two_dimensions, checked_count, checked_row
from .frame import local_frame
from .importance import importance_bar
from .labels import read_labels
from .legends import widen_by_legend
from .names import names_of_features
from .panels import empty_stage
from .pixels import checked_images, checked_shape, saliency
from .points import embedding

if TYPE_CHECKING:
    from .checks import Model

SIZE = (9.0, 7.5)
# The map is at the right, with room for its legend beside it; so is the saliency, with its bar.
LOCAL_FRAME, MAP = (0, 0.52, 0.54, 0.48), (0.58, 0.5, 0.42, 0.5)
BARS, WIDE_BARS, PIXELS = (0.08, 0, 0.42, 0.38), (0.08, 0, 0.92, 0.38), (0.58, 0, 0.42, 0.38)


def explain_point(
    model: Model,
    row: int,
    *,
    k: int = 10,
    kind: str = "tangent",
    image_shape: tuple[int, ...] | None = None,
    image: Any = None,
    labels: Any = None,
    feature_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one row on a page: its local frame, its place on the map, its most important features.

    Where the features are the pixels of images of ``image_shape``, their importance is drawn as an image too, with
    the row's own ``image`` outlined. The other parameters are those of `local_frame` and `embedding`. The panels are
    ``child_axes`` of the Axes returned.
    """
    row = checked_row("explain_point", model, row)
    _check("explain_point", model, k, kind, labels, feature_names)
    _check_image("explain_point", model, image_shape, image)
    is_new = ax is None
    ax = empty_stage(ax, SIZE)
    local_frame(model, row, k=k, kind=kind, feature_names=feature_names, ax=ax.inset_axes(LOCAL_FRAME))
    the_map = embedding(model, labels=labels, ax=ax.inset_axes(MAP))
    _mark(the_map, model, row)
    bars = ax.inset_axes(WIDE_BARS if image_shape is None else BARS)
    importance_bar(model, row, k=k, feature_names=feature_names, ax=bars).set_title("")
    if image_shape is not None:
        pixels = ax.inset_axes(PIXELS)
        saliency(model, row, image_shape=image_shape, image=image, ax=pixels).set_title("")
    if is_new:
        widen_by_legend(the_map)
    return ax


def _check(caller: str, model: Model, k: Any, kind: Any, labels: Any, names: Any) -> None:
    """Before anything is drawn, and in the name of the function that was called."""
    check_two_dimensions(caller, model)
    check_kind(caller, kind)
    checked_count(caller, k)
    names_of_features(caller, model, names, [])
    if labels is not None:
        read_labels(caller, labels, len(model.embedding_))


def _check_image(caller: str, model: Model, image_shape: Any, image: Any) -> None:
    if image_shape is None and image is not None:
        raise InvalidParameterError(f"{caller}(image_shape=None): must be given where an image is")
    if image_shape is not None:
        shape = checked_shape(caller, image_shape, model.n_features_in_)
        checked_images(caller, "image", image, 1, shape)


def _mark(ax: Axes, model: Model, row: int) -> None:
    """A ring around the point, with a white rim so that it is seen on any colour."""
    x, y = model.embedding_[row, :2]
    for colour, width in (("white", 4.5), (INK, 2.0)):
        ax.scatter(x, y, s=160, facecolors="none", edgecolors=colour, linewidths=width, zorder=4, gid="mark")
    ax.set_title(f"Row {row} on the map")
