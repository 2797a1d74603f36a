"""One row on one page: where it is, what sets it apart, what changes around it, and what the map hides."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..checks.arguments import checked_count
from ..errors import InvalidParameterError
from ..explanation.why import SetApart, Why
from .answer import draw_answer
from .embedding import embedding
from .features_on_map import apart_scores
from .local_frame import (
    HOW_TO_READ,
    ShownArrows,
    draw_surroundings,
    draw_zoomed_part,
    longest_in_words,
    shown_arrows,
)
from .parts.canvas import INK, PLAIN_TEXT, axes_for_panels, name_bars, shortened, write_caption
from .parts.colours import COLOURS, colour_bar, read_labels, widen_by_legend
from .parts.model import (
    Model,
    ModelOrPipeline,
    Shape,
    check_kind,
    check_two_dimensions,
    checked_model,
    checked_row,
    checked_shape,
    documented,
    name_of_map,
    name_of_row,
    names_of_features,
    row_names_of,
)
from .parts.pixels import checked_images, draw_differences, number_pixels, outline_pixels

SIZE = (10.0, 9.0)
# The map and the pixels are on the right, where there is room for a legend or a colour bar.
SURROUNDINGS, MAP = (0, 0.5, 0.56, 0.48), (0.6, 0.5, 0.4, 0.46)
BARS, WIDE_BARS, PIXELS = (0.2, 0.06, 0.26, 0.28), (0.22, 0.06, 0.6, 0.28), (0.62, 0.03, 0.38, 0.31)
MOST_FEATURES = 15
MOST_NAMED = 3  # features that are named below the bars
HIGH, LOW = COLOURS[1], COLOURS[0]


@documented
def why(
    model: ModelOrPipeline,
    row: Any,
    *,
    k: int = 5,
    kind: str = "blend",
    image_shape: tuple[int, ...] | None = None,
    image: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw why one row is where it is: what ``model.why`` says, on a page.

    Of a map that knows its table, from `featmap.map_table` or ``model.labelled``, it is the answer in words, the map
    with dashed lines to the nearest rows in the data, and a strip for each of up to three features: all rows as ticks
    by their labels, this row as a dot, and a circle for what is usual around it, or for where it would move. Images
    are drawn as images. Only ``row`` and ``ax`` are read then. What follows is about other maps.

    The surroundings of the row are drawn large, with arrows of the features that change across them. Bars tell what
    sets the rows around it apart from all rows; below them is named what sets the row itself apart from these. Do not
    read the arrows if the sentence below them says that those of the map are poor, and do not take one row as an
    example of its whole group.

    Parameters
    ----------
    {model}
    row : int or name
        The number of the row, a negative number counts from the end; or its name, if the data had an index.
    k : int, default=5
        The largest number of features with an arrow, and with a bar, from 1 to 15.
    {kind}
    image_shape : tuple of int, default=None
        If the features are pixels: (height, width) or (height, width, channels). Pixels are named by row and column,
        and the page has an image of where the images around the row are darker and lighter than all images.
    image : array-like of n_features values, default=None
        The pixel values of the row, to be outlined. They need an ``image_shape``.
    labels : array-like of shape (n_samples,), default=None
        Colours of the map, as in `embedding`.
    {feature_names, ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, whose ``child_axes`` are the panels: surroundings of the row with arrows, map, bars of what sets it
        apart and, with an ``image_shape``, pixels.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X[:100])
    >>> ax = plot.why(model, 42, image_shape=(8, 8), image=X[42], labels=y[:100])
    >>> len(ax.child_axes)
    4
    """
    model = checked_model("why", model)
    row = checked_row("why", model, row)
    if hasattr(model, "known"):
        return draw_answer(model, row, ax)
    _check("why", model, k, kind, labels)
    names = names_of_features("why", model, feature_names, image_shape)
    shape = None if image_shape is None else checked_shape("why", image_shape, model.n_features_in_)
    outlined = _outlined("why", image, shape)
    is_new = ax is None
    ax = axes_for_panels(ax, SIZE)
    ax.set_title(f"Why is {name_of_row(model, row)} here?", **PLAIN_TEXT)
    answer, shown = model.why(row, k), shown_arrows(model, row, k, kind)
    _draw_arrows(ax.inset_axes(SURROUNDINGS), model, row, shown, names, kind, labels)
    map_panel = embedding(model, labels, rows=row, ax=ax.inset_axes(MAP))
    draw_zoomed_part(map_panel, model, row)
    map_panel.set_title(name_of_map(model), fontsize="small", **PLAIN_TEXT)
    _draw_bars(ax.inset_axes(WIDE_BARS if shape is None else BARS), answer, names)
    if shape is not None:
        _draw_pixels(ax.inset_axes(PIXELS), model, row, answer, shape, outlined)
    if is_new:
        widen_by_legend(map_panel)
    return ax


def _draw_arrows(
    ax: Axes, model: Model, row: int, shown: ShownArrows, names: list[str], kind: str, labels: ArrayLike | None
) -> None:
    colours = None if labels is None else read_labels("why", labels, len(model.embedding_))
    written = [shortened(names[column]) for column in shown.columns]
    scale = draw_surroundings(ax, model, row, shown, written, colours)
    ax.set_title("What changes across the map here", fontsize="small")
    write_caption(
        ax, [*HOW_TO_READ, *longest_in_words(kind, written, shown.arrows, scale, shown.units), model.trust().sentence]
    )


def _draw_bars(ax: Axes, answer: Why, names: list[str]) -> None:
    """Draw by how much the rows around differ from all rows, with the row itself as a dot; name other features."""
    lines = answer.apart
    ax.barh(range(len(lines)), [line.z for line in lines], height=0.7, color=[_colour(line) for line in lines])
    own = [(line.own - line.overall) / line.spread for line in lines]
    ax.plot(own, range(len(lines)), "o", color="white", markeredgecolor=INK, markersize=6, gid="own")
    ax.axvline(0, color=INK, linewidth=0.8)
    name_bars(ax, [names[line.column] for line in lines] or ["nothing: the middle of the data"])
    for height, line in enumerate(lines):
        ax.text(
            1.02, height, line.values, transform=ax.get_yaxis_transform(), va="center", fontsize="small", gid="values"
        )
    ax.set_title(f"What sets the {answer.n_around:.0f} rows around it apart from all rows", fontsize="small")
    caption = ["standard deviations from the mean of all rows (dots: the row itself); values: all rows → around it"]
    unlike = "; ".join(f"{shortened(names[line.column])}: {line.values}" for line in answer.unlike[:MOST_NAMED])
    if unlike:
        caption.append(f"The row itself is unlike them: {unlike}")
    hidden = ", ".join(shortened(names[line.column]) for line in answer.hidden[:MOST_NAMED])
    if hidden:
        caption.append(f"Vary here, but the map does not show it: {hidden}")
    write_caption(ax, caption)


def _colour(line: SetApart) -> str:
    return HIGH if line.z > 0 else LOW


def _draw_pixels(ax: Axes, model: Model, row: int, answer: Why, shape: Shape, outlined: np.ndarray | None) -> None:
    """Draw where the images around the row are above and below all images."""
    scores = apart_scores(model, "spread")(np.array([row]))[0].reshape(shape).mean(axis=2)
    drawn = draw_differences(ax, scores, outlined)
    number_pixels(ax)
    outline_pixels(ax, np.array([line.column for line in answer.apart], int), shape)
    ax.set_title("Every pixel: above and below all rows\n(squares: the pixels with a bar)", fontsize="small")
    colour_bar(ax, drawn, "standard deviations")


def _check(caller: str, model: Model, k: Any, kind: Any, labels: Any) -> None:
    """Check before anything is drawn, so that errors name the function that was called."""
    check_two_dimensions(caller, model)
    check_kind(caller, kind)
    checked_count(caller, "k", k, 1, MOST_FEATURES)
    if labels is not None:
        read_labels(caller, labels, len(model.embedding_), row_names_of(model))


def _outlined(caller: str, image: ArrayLike | None, shape: Shape | None) -> np.ndarray | None:
    if shape is None:
        if image is not None:
            raise InvalidParameterError(f"{caller}(image_shape=None): image_shape must be given together with image")
        return None
    return checked_images(caller, "image", image, 1, shape)[0]
