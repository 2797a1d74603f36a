"""What a picture is of, in the words of its title."""

from __future__ import annotations

from matplotlib.axes import Axes

from ...checks.directions import n_components_of
from ...estimator import FeatMAP
from .canvas import PLAIN_TEXT
from .model import Model, is_part_of_a_map


def write_title(ax: Axes, model: Model, what: str | None = None) -> None:
    """Write above the Axes what is drawn, and below that, of which map."""
    if what is None:
        ax.set_title(name_of_map(model), fontsize="medium", **PLAIN_TEXT)
    else:
        ax.set_title(f"{what}\n{name_of_map(model)}", fontsize="medium", **PLAIN_TEXT)


def name_of_map(model: Model) -> str:
    """Return what kind of map it is, its number of rows and, for a model of ours, the settings that shaped it."""
    n_rows = len(model.embedding_)
    if isinstance(model, FeatMAP):
        return f"featMAP of {_rows(n_rows)} · {settings_of(model)}"
    if not is_part_of_a_map(model):
        return f"Map of {_rows(n_rows)}"
    n_mapped = len(model._points.mapped.embedding)
    kind = "new " if (model._points.rows < 0).any() else ""
    return f"{n_rows:,} {kind}{'row' if n_rows == 1 else 'rows'} on the map of {n_mapped:,}"


def settings_of(model: FeatMAP) -> str:
    """Return the settings that shaped a map, those at their defaults left out if they seldom change."""
    n_components = n_components_of(model.pca)
    components = "" if n_components is None else f", {n_components} principal components"
    metric = "" if model.metric == "euclidean" else f", {_name_of_metric(model.metric)}"
    return f"{model.n_neighbors} neighbors, density {model.density_weight:g}{components}{metric}"


def _name_of_metric(metric: object) -> str:
    return metric if isinstance(metric, str) else getattr(metric, "__name__", "own metric")


def _rows(n_rows: int) -> str:
    return f"{n_rows:,} rows" if n_rows != 1 else "1 row"
