"""Every question about the rows of one map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .table import Drawn, Table
from .values import Findings, Move, Region, Rule, Why

if TYPE_CHECKING:
    from pandas import DataFrame


class MapAnswers:
    """Answers about the rows of one map, by the values and labels that a person knows them by.

    Parameters
    ----------
    table : Table
        The values of the rows.
    drawn : Drawn
        The map of the rows.
    labels : array-like of shape (m,) or None, default=None
        A label for each row; None or NaN where it is not known. Numbers are cut into fifths.
    n_jobs : int or None, default=-1
        The number of threads. Answers never depend on it.
    """

    def __init__(self, table: Table, drawn: Drawn, labels: Any = None, n_jobs: int | None = -1) -> None:
        self.table = table
        self.drawn = drawn
        self.labels = labels
        self.n_jobs = n_jobs

    def labelled(self, labels: Any) -> MapAnswers:
        """The same map with other labels. What does not depend on labels is not computed again."""
        raise NotImplementedError

    def why(self, rows: Any, *, target: Any = None, verify: bool = False) -> Why | Region:
        """Why a row lies where it lies; of several rows, what they have in common."""
        raise NotImplementedError

    def rule(self, rows: Any) -> Rule | None:
        """What tells some rows from all others, or None if no rule holds."""
        raise NotImplementedError

    def counterfactual(self, row: int, *, target: Any = None, verify: bool = False) -> Move | None:
        """What would move a row among others, or None if no change of up to three groups does."""
        raise NotImplementedError

    def findings(self) -> Findings:
        """The regions of the map, doubtful rows, and what to know about columns."""
        raise NotImplementedError

    def to_frame(self) -> DataFrame:
        """One line for every row: kind, place, and the first difference."""
        raise NotImplementedError
