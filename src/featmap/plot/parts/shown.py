"""Which arrows of a row are drawn: those of the features that the map shows best, if they beat chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc
from scipy.stats import false_discovery_control

from ...explanation.regression import default_neighbors
from .model import Model

LEVEL = 0.05  # share of arrows by chance among those that are drawn
ROWS_AT_ONCE = 200  # rows of which all features are in memory at one time
FAINTEST, SOLID = 0.25, 0.5  # arrows of features of which the map shows half or more are solid


@dataclass(frozen=True)
class ShownArrows:
    """The features of a row that are drawn, the best shown first."""

    columns: np.ndarray  # (n_shown,) column numbers
    arrows: np.ndarray  # (n_shown, 2) slopes on the map
    explained: np.ndarray  # (n_shown,) which part of each feature's local variance the map shows

    @property
    def opacity(self) -> np.ndarray:
        """How solid each arrow is, from `FAINTEST` to 1."""
        return opacity_of(self.explained)


def shown_arrows(model: Model, row: int, k: int, kind: str) -> ShownArrows:
    """Return the at most ``k`` features of a row of which the map shows most, without those that chance explains."""
    explained = model.explained_variance([row])[0]
    columns = np.argsort(-explained, kind="stable")[:k]
    columns = columns[beats_chance(model, explained[None])[0, columns]]
    arrows = model.arrows([row], kind)[0][columns, :2].astype(float)
    return ShownArrows(columns, arrows, explained[columns])


def beats_chance(model: Model, explained: np.ndarray) -> np.ndarray:
    """Tell which features vary with the place on the map: shape (n_rows, n_features), as the R² given.

    The p-value of an R² is that of the F test of a linear regression on the map. Features of a row are tested
    together, with the false discovery rate of Benjamini and Hochberg.
    """
    n_near, dim = default_neighbors(len(model._points.mapped.embedding)), model.embedding_.shape[1]
    if n_near <= dim + 1:
        return np.zeros(explained.shape, bool)
    p_values = betainc((n_near - dim - 1) / 2, dim / 2, 1 - explained)
    return (false_discovery_control(p_values, axis=1) <= LEVEL) & (explained > 0)


def explained_of_feature(model: Model, rows: np.ndarray, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which part of one feature's variance the map shows around each row, and where that beats chance."""
    explained, beats = np.empty(len(rows)), np.empty(len(rows), bool)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        block = slice(start, start + ROWS_AT_ONCE)
        of_all = model.explained_variance(rows[block])
        explained[block], beats[block] = of_all[:, column], beats_chance(model, of_all)[:, column]
    return explained, beats


def opacity_of(explained: np.ndarray) -> np.ndarray:
    """Return how solid arrows are that stand for these parts of the variance."""
    return FAINTEST + (1 - FAINTEST) * np.clip(explained / SOLID, 0, 1)
