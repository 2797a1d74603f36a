"""Which arrows of a row are drawn: those of the features that the map shows best, if they beat chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.units import first_of_each
from ...explanation.chance import feature_beats_chance
from ...explanation.neighborhoods import Neighborhoods
from ...explanation.regression import default_neighbors
from .model import Model

LEVEL = 0.05  # share of arrows by chance among those that are drawn
ROWS_AT_ONCE = 200  # rows of which all features are in memory at one time
FAINTEST, SOLID = 0.25, 0.5  # arrows of features of which the map shows half or more are solid


@dataclass(frozen=True)
class ShownArrows:
    """The features of a row that are drawn, the best shown first."""

    columns: np.ndarray  # (n_shown,) column numbers
    arrows: np.ndarray  # (n_shown, 2) slopes on the map, of the columns of the fit: these can be compared
    units: np.ndarray  # (n_shown,) what a slope is multiplied by to be in the units of the user
    explained: np.ndarray  # (n_shown,) which part of each feature's local variance the map shows

    @property
    def opacity(self) -> np.ndarray:
        """How solid each arrow is, from `FAINTEST` to 1."""
        return opacity_of(self.explained)


def shown_arrows(model: Model, row: int, k: int, kind: str) -> ShownArrows:
    """Return the at most ``k`` features of a row that the map shows best, without those that chance explains.

    As in ``model.why``, features that no other feature goes with are left out.
    """
    explained, factors = model.explained_variance([row])[0], model.backing().factors
    order = np.argsort(-explained * factors, kind="stable")
    counts = model.significant_arrows([row])[0] & (factors > 0)
    data = model._points.mapped.data
    columns = first_of_each(order[counts[order]], data.groups)[:k]
    arrows = model.arrows([row], kind)[0][columns, :2].astype(float)
    units = np.ones(len(columns)) if data.units is None or kind == "frame" else data.units.factor[columns]
    return ShownArrows(columns, arrows / units[:, None], units, explained[columns])


def explained_of_feature(model: Model, rows: np.ndarray, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which part of one feature's variance the map shows around each row, and where that beats chance."""
    explained = np.empty(len(rows))
    points = model._points
    k = default_neighbors(len(points.mapped.embedding))
    for start in range(0, len(rows), ROWS_AT_ONCE):
        block = slice(start, start + ROWS_AT_ONCE)
        explained[block] = model.explained_variance(rows[block])[:, column]
    chosen = np.asarray(rows, np.int32)
    around = Neighborhoods.around(points, chosen, k, points.mapped.copies)
    return explained, feature_beats_chance(points, chosen, around, column, LEVEL) & (explained > 0)


def opacity_of(explained: np.ndarray) -> np.ndarray:
    """Return how solid arrows are that stand for these parts of the variance."""
    return FAINTEST + (1 - FAINTEST) * np.clip(explained / SOLID, 0, 1)
