"""Results of delayed tasks, one after the other, also where workers die meanwhile.

What a dead worker had is computed again by the others. A fit whose workers have all gone would wait for ever: the
thread that waits looks at the workers every few seconds, asks the cluster to start them again, and gives up after a
time that the user can set.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import dask
from dask.delayed import Delayed, delayed
from dask.utils import format_time, parse_timedelta

from ..errors import ClusterError

# How often tasks are started again whose workers died again and again. The scheduler itself starts a task again three
# times by default.
MOST_RESTARTS = 20
# A look costs the scheduler a message with a few hundred bytes for each worker.
SECONDS_BETWEEN_LOOKS = 2.0
# How long a fit goes on without a worker that works. Machines of a cloud take minutes to come, and a batch system may
# queue for hours: there the user says more.
PATIENCE_KEY, PATIENCE = "featmap.wait-for-workers", "10 minutes"


def each(values: Sequence[Delayed], function: Callable[..., Any], *arguments: Any) -> list[Delayed]:
    """``function(value, *arguments)`` of every value."""
    call = delayed(function, pure=True)
    return [call(value, *arguments) for value in values]


def persisted(values: Sequence[Delayed]) -> list[Delayed]:
    """The same values, computed on the workers and kept there while they are referred to."""
    return list(dask.persist(*values))


def sent_once(value: Any) -> Delayed:
    """A value that many tasks take. As a plain argument it would travel with each of them."""
    return persisted([delayed(value, pure=True)])[0]


def results(values: Sequence[Delayed], n_ahead: int | None = None) -> Iterator[Any]:
    """The values in their order, each fetched when it is asked for.

    All are computed at the same time, or only the next ``n_ahead``, which bounds what the workers hold.
    """
    n_ahead = len(values) if n_ahead is None else n_ahead
    waiting = deque(persisted(values[:n_ahead]))
    for number in range(len(values)):
        value = _fetched(waiting.popleft())  # the workers can forget it
        waiting.extend(persisted(values[number + n_ahead : number + n_ahead + 1]))
        yield value


def n_threads() -> int | None:
    """How many tasks the workers compute at the same time; None if there are no workers but this process."""
    if "distributed" not in sys.modules:  # no client has been made
        return None
    from distributed import default_client

    try:
        return max(1, sum(default_client().nthreads().values()))
    except ValueError:
        return None


def _fetched(value: Any) -> Any:
    if "distributed" not in sys.modules:  # no client has been made, so threads or this process compute
        return value.compute()
    from distributed import futures_of

    futures = futures_of(value)
    if not futures:
        return value.compute()
    client, n_restarts = futures[0].client, 0
    while True:
        try:
            return client.sync(_watched, client, futures[0])
        except Exception as error:
            if not _is_of_dead_workers(error):
                raise
            if n_restarts == MOST_RESTARTS:
                raise ClusterError(
                    f"fit(X): a task was started again {n_restarts} times, and its workers died each time: {error} "
                    "If they have too little memory, give them more, or fit with more n_partitions. A fit with a "
                    "checkpoint goes on from what it has kept"
                ) from error
        with suppress(KeyError):  # Dask looks for the future of the task that failed, which may be one before
            client.retry(futures)
        time.sleep(SECONDS_BETWEEN_LOOKS)  # until the client knows that the task is no longer failed
        n_restarts += 1


def _is_of_dead_workers(error: Exception) -> bool:
    """Whether workers died, and not the task failed.

    Just after tasks were started again Dask may take one for failed whose exception it has already forgotten.
    """
    from distributed import KilledWorker

    is_forgotten = isinstance(error, AttributeError) and error.obj is None and error.name == "with_traceback"
    return is_forgotten or isinstance(error, KilledWorker)


async def _watched(client: Any, future: Any) -> Any:
    """The value of a future, as long as some worker can compute it."""
    patience = parse_timedelta(dask.config.get(PATIENCE_KEY, PATIENCE))
    answer, now = asyncio.ensure_future(client.gather(future)), asyncio.get_running_loop().time
    last_worked = now()
    try:
        while not (await asyncio.wait([answer], timeout=SECONDS_BETWEEN_LOOKS))[0]:
            workers = await _workers(client)
            if any(_can_work(worker) for worker in workers.values()):
                last_worked = now()
            elif patience is not None and now() - last_worked >= patience:
                raise ClusterError(_without_workers(patience, list(workers), await _gone(client)))
            else:
                _ask_again(client.cluster)
        return answer.result()
    finally:
        answer.cancel()


async def _workers(client: Any) -> dict[str, Any]:
    """What the scheduler knows of the workers, by their addresses. Empty if it does not answer."""
    try:
        return (await client.scheduler.identity())["workers"]
    except OSError:
        return {}


def _can_work(worker: dict[str, Any]) -> bool:
    """A worker whose memory is nearly full is paused: it ends the tasks that it has begun and takes no others."""
    return worker["status"] == "running" or bool(worker["metrics"].get("task_counts", {}).get("executing"))


def _ask_again(cluster: Any) -> None:
    """Start the workers that the cluster should have. Dask itself gives up a worker that dies while it starts."""
    from distributed import SpecCluster, Status

    if isinstance(cluster, SpecCluster):  # others start their workers again themselves
        for name, worker in list(cluster.workers.items()):
            if getattr(worker, "status", None) in (Status.closed, Status.failed):
                del cluster.workers[name]
        cluster.scale(len(cluster.plan))


async def _gone(client: Any) -> list[str]:
    """The addresses of workers that have left, in their order, as far as the scheduler remembers."""
    try:
        events = await client.get_events("all")
    except OSError:
        return []
    return [event["worker"] for _, event in events if dict(event).get("action") == "remove-worker"]


def _without_workers(patience: float, paused: list[str], gone: list[str]) -> str:
    if paused:
        fault = f"the workers of the cluster are paused, since their memory is full: {', '.join(paused)}"
        remedy = "give them more memory or fit with more n_partitions"
    else:
        fault = "the cluster has no worker" + (f"; the last that left is {gone[-1]}" if gone else "")
        remedy = "start workers"
    return (
        f"fit(X): for {format_time(patience)} {fault}. To resume, {remedy} and call fit again: a fit with a "
        "checkpoint goes on from what it has kept. If workers only take longer to come, let it wait for them: "
        f"dask.config.set({{{PATIENCE_KEY!r}: '1 hour'}})"
    )
