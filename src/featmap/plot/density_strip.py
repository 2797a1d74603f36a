"""Maps with several density weights side by side."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from ..errors import InvalidParameterError
from ..estimator import FeatMAP
from .parts.map_panels import MOST_MAPS, draw_maps
from .parts.model import checked_density_model


def density_strip(
    models: Sequence[FeatMAP | Pipeline], labels: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw maps with several density weights, each with the agreement of sizes.

    The numbers are correlations, one for each local direction: how well the sizes of neighbourhoods on the map agree
    with those in the data. A larger weight raises them at the cost of the neighbourhoods, which this picture does not
    measure.

    Parameters
    ----------
    models : list of FeatMAP or Pipeline
        Up to 36 models fitted to the same rows, or scikit-learn pipelines that end in such models.
    labels : array-like of shape (n_samples,), default=None
        Colours of the points, as in `embedding`.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, whose ``child_axes`` are the panels, one for each model.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> models = [FeatMAP(n_epochs=10, density_weight=w, random_state=0).fit(X[:100]) for w in (0, 2)]
    >>> ax = plot.density_strip(models, y[:100])
    >>> [panel.get_title().split()[:3] for panel in ax.child_axes]
    [['density', 'weight', '0'], ['density', 'weight', '2']]
    """
    if not isinstance(models, Sequence) or not 1 <= len(models) <= MOST_MAPS:
        raise InvalidParameterError(
            f"density_strip(models=…): models must be a list of 1 to {MOST_MAPS} fitted FeatMAP"
        )
    fitted = [checked_density_model("density_strip", model, "models") for model in models]
    return draw_maps("density_strip", [_title(model) for model in fitted], [m.embedding_ for m in fitted], labels, ax)


def _title(model: FeatMAP) -> str:
    correlations = ", ".join(f"{value:.2f}" for value in model.density_correlation_)
    return f"density weight {model.density_weight:g}\nsizes agree by {correlations}"
