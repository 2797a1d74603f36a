"""Several maps side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from ..errors import InvalidParameterError
from .parts.canvas import PLAIN_TEXT, panels_in_a_grid, shortened
from .parts.cloud import Cloud
from .parts.colours import are_named_on_the_map, explain_colours, name_groups, read_labels, widen_by_legend
from .parts.model import ModelOrPipeline, documented, last_step

MOST_MAPS = 36
MOST_WITH_NAMES = 4  # more panels are too small for names on them


@documented
def compare(
    maps: Mapping[str, ArrayLike | ModelOrPipeline], labels: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw several maps side by side, in the same colours.

    Look at which labels are together and which are apart on each map. Position, rotation and size of a map have no
    meaning and may differ between maps that are equally good.

    Parameters
    ----------
    maps : dict of str to map
        Up to 36 maps by their titles. A map is an array-like of shape (n_samples, n_dimensions), a fitted model with
        an ``embedding_`` (`FeatMAP`, but also UMAP or scikit-learn's TSNE), a pipeline that ends in such a model, or
        an `Explanation`.
    labels : array-like of shape (n_samples,), default=None
        Colours of the points, as in `embedding`. All maps must have the same rows then.
    {ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, whose ``child_axes`` are the panels, one for each map.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.decomposition import PCA
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X[:100])
    >>> ax = plot.compare({"featMAP": model, "PCA": PCA(2).fit_transform(X[:100])}, y[:100])
    >>> [panel.get_title() for panel in ax.child_axes]
    ['featMAP', 'PCA']
    """
    if not isinstance(maps, Mapping) or not 1 <= len(maps) <= MOST_MAPS:
        raise InvalidParameterError(f"compare(maps=…): maps must be a dict of 1 to {MOST_MAPS} maps by their titles")
    titles = [shortened(str(title)) for title in maps]
    return draw_maps("compare", titles, [_embedding_of(title, one) for title, one in maps.items()], labels, ax)


def draw_maps(
    caller: str, titles: Sequence[str], embeddings: Sequence[np.ndarray], labels: ArrayLike | None, ax: Axes | None
) -> Axes:
    """Draw one panel per map. The panels are the ``child_axes`` of the Axes returned."""
    colours = [None if labels is None else read_labels(caller, labels, len(embedding)) for embedding in embeddings]
    named = are_named_on_the_map(colours[0]) and len(embeddings) <= MOST_WITH_NAMES
    is_new = ax is None
    ax, panels = panels_in_a_grid(ax, len(embeddings), title_lines=2)
    for panel, title, embedding, colour in zip(panels, titles, embeddings, colours, strict=True):
        cloud = Cloud(panel, embedding, colour)
        shown = cloud.draw_labelled(colour)
        cloud.finish_axes()
        if named and are_named_on_the_map(colour):
            name_groups(panel, cloud.positions, colour)
        panel.set(xlabel="", ylabel="")  # there is no room between the panels
        note = f"\n(2 of {cloud.n_dimensions} dimensions)" if cloud.n_dimensions > 2 and "\n" not in title else ""
        panel.set_title(title + note, fontsize="medium", **PLAIN_TEXT)
    if not named:
        explain_colours(ax, colours[0], shown)
    if is_new:
        widen_by_legend(ax)
    return ax


def _embedding_of(title: str, one: Any) -> np.ndarray:
    model = last_step(one)
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)
    try:
        return check_array(getattr(model, "embedding_", model), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"compare(maps={{{title!r}: …}}): a map must be finite numbers of shape (n_samples, n_dimensions), or a "
            f"fitted model with an embedding_; got {type(model).__name__}"
        ) from error
