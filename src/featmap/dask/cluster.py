"""Results of delayed tasks, one after the other, also where workers die meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import dask
from dask.delayed import Delayed, delayed

# How often tasks are started again whose workers died again and again. The scheduler itself starts a task again three
# times by default.
MOST_RESTARTS = 20


def persisted(values: Sequence[Delayed]) -> list[Delayed]:
    """The same values, computed on the workers and kept there while somebody refers to them."""
    return list(dask.persist(*values))


def sent_once(value: Any) -> Delayed:
    """A value that many tasks take. As a plain argument it would travel with each of them."""
    return persisted([delayed(value, pure=True)])[0]


def results(values: Sequence[Delayed]) -> Iterator[Any]:
    """The values in their order. All are computed at the same time, and each is fetched when it is asked for."""
    waiting: list[Delayed | None] = list(persisted(values))
    for number, value in enumerate(waiting):
        yield _fetched(value)
        waiting[number] = None  # the workers can forget it


def _fetched(value: Any) -> Any:
    for _ in range(MOST_RESTARTS):
        try:
            return value.compute()
        except Exception as error:
            if type(error).__name__ != "KilledWorker":
                raise
            _start_again(value)
    return value.compute()


def _start_again(value: Delayed) -> None:
    """Ask the scheduler of distributed to forgive the tasks that this value waits for."""
    from distributed import default_client, futures_of

    default_client().retry(futures_of(value))
