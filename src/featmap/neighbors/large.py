"""Search in large data. What it needs is built when it is first used."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

from ..data.sparse import Matrix
from ..run import Run
from ..values import SearchReport
from .exact import ExactSearch
from .list_search import ListSearch, UnfilledSearch
from .search import Found
from .widening import ThisMachine, search_wide_enough

LISTS_KEPT_UP_TO = 100_000  # rows; in a fit of more, their coordinates are given up until the map is made


@dataclass
class LargeSearch:
    """A search that finds enough of the k nearest rows."""

    matrix: Matrix
    k: int
    chosen: ListSearch | ExactSearch | UnfilledSearch | None = None

    @property
    def report(self) -> SearchReport | None:
        return None if self.chosen is None else self.chosen.report

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        return self._built(run).nearest(queries, k, run)

    def give_up_lists(self) -> None:
        """Give up the lists of very many rows, and keep what they are filled by."""
        if isinstance(self.chosen, ListSearch) and self.matrix.shape[0] > LISTS_KEPT_UP_TO:
            self.chosen = self.chosen.unfilled()

    @property
    def gave_up_lists(self) -> bool:
        return isinstance(self.chosen, UnfilledSearch)

    def fill_lists(self, run: Run) -> None:
        """Fill lists that were given up. They have the bytes that they had."""
        if self.gave_up_lists:
            self._built(run)

    def _built(self, run: Run) -> ListSearch | ExactSearch:
        if self.chosen is None or isinstance(self.chosen, UnfilledSearch):
            with _building:
                self.chosen = self._build(self.chosen, run)
        return self.chosen

    def _build(self, chosen: ListSearch | ExactSearch | UnfilledSearch | None, run: Run) -> ListSearch | ExactSearch:
        """The search itself. Another thread may have built it in the meantime."""
        if isinstance(chosen, UnfilledSearch):
            return chosen.filled(self.matrix, run)
        if chosen is None:
            found = search_wide_enough(ThisMachine(self.matrix), self.k, run)
            return ExactSearch(self.matrix) if found is None else found
        return chosen


_building = threading.Lock()


def _after_fork_in_child() -> None:
    """The thread that held the lock is not in the child, and would never release it."""
    global _building
    _building = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
