"""The three orders of the features of a point: what sets it apart, what the map shows there, what varies there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..data.units import joined
from ..errors import InvalidParameterError
from ..run import Run
from ..values import DoubleArray, IntArray
from .apart import Comparison
from .backing import backing
from .regression import default_neighbors

if TYPE_CHECKING:
    from .answers import Answers

# Makes the scores of some rows, (rows, n); the largest is the first.
Score = Callable[[IntArray], np.ndarray]

ROWS_AT_ONCE = 32
BYTES_OF_SCORES = 2**22


def by_apart(answers: Answers) -> Score:
    """|z|·f: how far the rows around a row are from the mean of all."""
    points = answers.points
    k = default_neighbors(len(points.mapped.embedding))
    block = int(np.clip(BYTES_OF_SCORES // (8 * answers.data.shape[1]), 1, ROWS_AT_ONCE))
    with Run(answers.n_jobs) as run:
        comparison = Comparison.of(points.mapped, run)

    def score(chosen: IntArray) -> DoubleArray:
        def body(start: int, stop: int) -> tuple[DoubleArray]:
            return (np.abs(comparison.apart(points, chosen[start:stop], k).score),)

        with Run(answers.n_jobs) as run:
            return run.by_blocks(len(chosen), body, block)[0]

    return score


def by_shown(answers: Answers) -> Score:
    """R²·f: the part of the local variance that the map shows."""
    with Run(answers.n_jobs) as run:
        factors = backing(answers.points.mapped, run).factors
    return lambda chosen: answers.explained_variance(chosen, None, None) * factors


def by_varies(answers: Answers) -> Score:
    """Importance: local variation, noise included."""
    return lambda chosen: joined(answers.feature_importance(chosen), answers.data.groups)


ORDERS = {"apart": by_apart, "shown": by_shown, "varies": by_varies}


def checked_order(by: str) -> Callable[[Answers], Score]:
    if not isinstance(by, str) or by not in ORDERS:
        raise InvalidParameterError(f"top_features(by={by!r}): by must be one of {', '.join(map(repr, ORDERS))}")
    return ORDERS[by]
