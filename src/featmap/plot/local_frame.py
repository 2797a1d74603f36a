"""One row on the map: the arrows of the features that change across the map around it."""

from __future__ import annotations

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..checks.arguments import checked_count
from .parts.arrows import draw_surroundings, draw_zoomed_part, longest_in_words, shown_arrows
from .parts.canvas import axes_for_panels, shortened, write_caption
from .parts.cloud import Cloud, draw_rings
from .parts.colours import NEUTRAL
from .parts.model import (
    MOST_NAMES,
    ModelOrPipeline,
    check_kind,
    check_two_dimensions,
    checked_model,
    checked_row,
    documented,
    map_behind,
    name_of_row,
    names_of_features,
    write_title,
)

SURROUNDINGS, MAP = (0, 0, 0.62, 1), (0.66, 0.3, 0.34, 0.7)
HOW_TO_READ = (
    "An arrow points to where its feature increases.",
    "The fainter it is, the less of the feature the map shows.",
)


@documented
def local_frame(
    model: ModelOrPipeline,
    row: int,
    *,
    k: int = 10,
    kind: str = "blend",
    image_shape: tuple[int, ...] | None = None,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw which features change across the map around one row, and in which directions they increase.

    The surroundings of the row are drawn large, with the arrows at the row itself. Do not read the arrows if the
    sentence below says that those of the map are poor. A feature without an arrow may vary a lot around the row, but
    not with the place on the map.

    Parameters
    ----------
    {model}
    row : int
        The number of the row; a negative number counts from the end.
    k : int, default=10
        How many features get an arrow and a name at most, from 1 to 40: those of whose variance the map shows most
        around the row. Features that vary with the place on the map no more than by chance get none.
    {kind, image_shape, feature_names, ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, whose ``child_axes`` are the panels: the surroundings of the row, and the whole map with the part
        that is drawn large. Of a map of more than two dimensions the first two are drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(load_digits().data[:100])
    >>> ax = plot.local_frame(model, 42, k=5, image_shape=(8, 8))
    >>> len(ax.child_axes)
    2
    """
    model = checked_model("local_frame", model)
    row = checked_row("local_frame", model, row)
    check_two_dimensions("local_frame", model)
    check_kind("local_frame", kind)
    k = checked_count("local_frame", "k", k, 1, MOST_NAMES)
    names = names_of_features("local_frame", model, feature_names, image_shape)
    shown = shown_arrows(model, row, k, kind)
    shown_names = [shortened(names[column]) for column in shown.columns]
    ax = axes_for_panels(ax, (9.0, 5.6))
    surroundings = ax.inset_axes(SURROUNDINGS)
    scale = draw_surroundings(surroundings, model, row, shown, shown_names, None)
    longest = longest_in_words(kind, shown_names, shown.arrows, scale, shown.units)
    write_caption(surroundings, [*HOW_TO_READ, *longest, model.trust().sentence])
    write_title(ax, model, f"What changes across the map around {name_of_row(model, row)}")
    whole_map = ax.inset_axes(MAP)
    cloud = Cloud(whole_map, model.embedding_, behind=map_behind(model))
    cloud.draw_behind()
    cloud.draw(c=NEUTRAL)
    draw_rings(whole_map, cloud.positions[[row]])
    cloud.finish_axes()
    whole_map.set(xlabel="", ylabel="")
    draw_zoomed_part(whole_map, model, row)
    return ax
