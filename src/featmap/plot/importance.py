"""Which features are important: of some rows as bars, of groups as a table of colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties

from ..errors import InvalidParameterError
from .canvas import FAINT_INK, INK, PLAIN_TEXT, axes_or_new, size_in_points
from .checks import check_model, checked_count, checked_rows
from .labels import Categories, read_labels
from .legends import attached_bar
from .names import names_of_features, shortened
from .palette import COLOURS
from .sample import some_of

if TYPE_CHECKING:
    from .checks import Model

ROWS_AT_ONCE = 500
ROWS_OF_A_GROUP = 500
MOST_COLUMNS = 100
CELL_INCHES = 0.3
BAR_INCHES = 0.27
LINE = 1.35  # distance of two lines of text, in font sizes


def importance_bar(
    model: Model,
    rows: Any,
    *,
    k: int = 10,
    feature_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the importance of the ``k`` most important features as bars.

    ``rows`` is one row or whatever indexes several; of several rows the mean is drawn, of more than 5,000 that of a
    random sample.
    """
    chosen = checked_rows("importance_bar", model, rows)
    k = checked_count("importance_bar", k)
    mean = mean_importance(model, some_of(chosen))
    top = np.argsort(-mean, kind="stable")[:k]
    names = names_of_features("importance_bar", model, feature_names, top)
    ax = axes_or_new(ax, (6.4, max(3.0, 1.2 + BAR_INCHES * len(top))))
    ax.barh(range(len(top)), mean[top], height=0.7, color=COLOURS[0])
    name_lines(ax, names)
    ax.set_xlim(0, float(mean[top].max()) * 1.05 or 1)
    ax.set_xlabel("feature importance" if len(chosen) == 1 else "mean feature importance")
    whose = f"row {chosen[0]}" if len(chosen) == 1 else f"{len(chosen):,} rows"
    ax.set_title(f"Most important features of {whose}")
    return ax


def importance_heatmap(
    model: Model,
    labels: Any,
    *,
    k: int = 30,
    feature_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean importance of features (columns) in groups of rows (lines).

    The ``k`` features are those most important to each group, taken in turns, and stand in the order of the group to
    which they matter most. Rows without a label are left out; of a large group a random sample of 500 rows counts.
    """
    check_model("importance_heatmap", model)
    k = checked_count("importance_heatmap", k, MOST_COLUMNS)
    groups = read_labels("importance_heatmap", labels, len(model.embedding_))
    if not isinstance(groups, Categories) or not groups.names:
        raise InvalidParameterError("importance_heatmap(labels=...): must name the group of each row")
    means = np.array(
        [
            mean_importance(model, some_of(np.flatnonzero(groups.codes == code), ROWS_OF_A_GROUP))
            for code in range(len(groups.names))
        ]
    )
    features = leading_features(means, k)
    names = names_of_features("importance_heatmap", model, feature_names, features)
    size = (max(5.0, CELL_INCHES * len(features) + 2.5), max(3.0, CELL_INCHES * len(groups.names) + 2.0))
    ax = axes_or_new(ax, size)
    table = means[:, features]
    shown = ax.imshow(table, cmap="viridis", vmin=0, vmax=table.max() or 1, aspect="auto", interpolation="nearest")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_xticks(range(len(names)), [shortened(name) for name in names], rotation=90, fontsize="small", **PLAIN_TEXT)
    groups_shown = [shortened(name) for name in groups.names]
    ax.set_yticks(range(len(groups_shown)), groups_shown, fontsize="small", **PLAIN_TEXT)
    ax.set_ylabel(groups.title or "", **PLAIN_TEXT)
    ax.set_title("Feature importance by group")
    attached_bar(ax, shown, "mean feature importance")
    return ax


def mean_importance(model: Model, rows: np.ndarray) -> np.ndarray:
    """The mean over some rows, held for a few of them at a time: (features,)."""
    total = np.zeros(model.n_features_in_)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        block = model.feature_importance(rows[start : start + ROWS_AT_ONCE])
        total += block.sum(axis=0, dtype=np.float64)
    return total / len(rows)


def leading_features(means: np.ndarray, k: int) -> np.ndarray:
    """The first of every group, then the second of every group, … until there are k; by the group they lead in."""
    in_turns = np.argsort(-means, axis=1, kind="stable").T.ravel()
    chosen = np.array(list(dict.fromkeys(in_turns.tolist()))[:k])
    best = means[:, chosen].argmax(axis=0)
    return chosen[np.lexsort((-means[best, chosen], best))]


def name_lines(ax: Axes, names: Sequence[str]) -> None:
    """Name the lines of a chart from top to bottom, and take away what does not help to read it."""
    room = size_in_points(ax)[1] / (len(names) * LINE)
    size = min(FontProperties(size="small").get_size_in_points(), room)
    ax.set_yticks(range(len(names)), [shortened(name) for name in names], fontsize=size, color=INK, **PLAIN_TEXT)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(axis="x", color=FAINT_INK, linewidth=0.5)
    ax.set_axisbelow(True)
