"""Compute delayed tasks and return their results in order, even if workers die.

What a dead worker held is computed again by the others. A fit whose workers are all gone would wait for ever. So the
waiting thread looks at the workers every few seconds, asks the cluster to start them again, and gives up after a time
that the user can set.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import dask
from dask.delayed import Delayed, delayed
from dask.utils import parse_timedelta

from ..errors import ClusterError, InvalidParameterError

# How often a task whose workers died is started again. Before, the scheduler itself tries it four times by default.
MOST_RESTARTS = 20
# A look costs the scheduler a message with a few hundred bytes for each worker.
SECONDS_BETWEEN_LOOKS = 2.0
# How long the scheduler may take to answer. It answers in milliseconds, unless its machine is overloaded or gone.
SECONDS_FOR_ANSWER = 10.0
# How long a fit waits while no worker can run tasks. Cloud machines take minutes to start and batch queues may take
# hours; set a longer time there.
PATIENCE_KEY, PATIENCE = "featmap.wait-for-workers", "10 minutes"
# Why a client cancels futures when its scheduler is gone, or another scheduler has taken its place.
REASONS_OF_LOSS = ("scheduler-connection-lost", "lost dependencies")


def each(values: Sequence[Delayed], function: Callable[..., Any], *arguments: Any) -> list[Delayed]:
    """Return a task ``function(value, *arguments)`` for every value."""
    call = delayed(function, pure=True)
    return [call(value, *arguments) for value in values]


def persisted(values: Sequence[Delayed]) -> list[Delayed]:
    """Start to compute values. Workers keep them as long as the returned ones are referenced."""
    with _lost_connection_named(values):
        return list(dask.persist(*values))


def sent_once(value: Any) -> Delayed:
    """Send a value to the workers that many tasks take. As a plain argument it would be sent with each of them."""
    return persisted([delayed(value, pure=True)])[0]


def results(values: Sequence[Delayed], n_ahead: Callable[[], int | None] | None = None) -> Iterator[Any]:
    """Compute delayed values and yield them in order.

    All are started at once. If ``n_ahead`` is given, at most ``n_ahead()`` are started but not yet fetched, which
    bounds what workers hold; None means all. It is asked again for each value, since workers come and go.
    """
    remaining, started = deque(values), deque[Delayed]()

    def start() -> None:
        limit = n_ahead() if n_ahead else None
        n_more = len(remaining) if limit is None else min(limit - len(started), len(remaining))
        started.extend(persisted([remaining.popleft() for _ in range(n_more)]))

    start()
    while started:
        value = _fetched(started.popleft())  # without the reference, workers can forget it
        start()
        yield value


def n_threads() -> int | None:
    """Return how many tasks the workers can run at the same time, or None if Dask computes in this process."""
    if "distributed" not in sys.modules:  # no client has been made
        return None
    from distributed import default_client

    try:
        client = default_client()
    except ValueError:
        return None
    workers = client.sync(_workers, client) or {}
    return max(1, sum(worker["nthreads"] for worker in workers.values()))


def patience() -> float | None:
    """Return how many seconds a fit waits while no worker can run tasks, or None if it waits for ever."""
    value = dask.config.get(PATIENCE_KEY, PATIENCE)
    try:
        seconds: float | None = parse_timedelta(value)
    except (ValueError, LookupError, AttributeError) as error:
        raise InvalidParameterError(
            f"dask.config.set({{{PATIENCE_KEY!r}: {value!r}}}): must be a time such as '10 minutes', a number of "
            "seconds, or None to wait for ever"
        ) from error
    return seconds


def _fetched(value: Any) -> Any:
    if "distributed" not in sys.modules:  # no client has been made, so threads or this process compute
        return value.compute()
    from distributed import futures_of

    futures = futures_of(value)
    if not futures:
        return value.compute()
    with _lost_connection_named([value]):
        return futures[0].client.sync(_gathered, futures[0].client, futures[0])


async def _gathered(client: Any, future: Any) -> Any:
    """Gather the result of a future. If its workers died, start it again."""
    n_restarts = 0
    while True:
        try:
            return await _watched(client, future)
        except Exception as error:
            if not _is_of_dead_workers(error):
                raise
            if n_restarts == MOST_RESTARTS:
                raise ClusterError(
                    f"fit(X): a task was started again {n_restarts} times, and its workers died each time: {error} "
                    "If they have too little memory, give them more, or fit with more n_partitions. A fit with a "
                    "checkpoint resumes from what it has kept"
                ) from error
        n_restarts += 1
        await _start_again(client)


async def _start_again(client: Any) -> None:
    """Ask the scheduler to run all tasks whose workers died once more, and the tasks before them that failed.

    All at once, since the scheduler lets a task wait for ever if only some of the tasks before it are run again.
    Futures are reset before that. ``client.retry`` resets them after the scheduler has answered, and would lose a
    message that comes earlier.
    """
    failed = {key: state for key, state in client.futures.items() if state.status == "error"}
    keys = [key for key, state in failed.items() if _is_of_dead_workers(state.exception)]
    for key in keys:
        failed[key].retry()
    await client.scheduler.retry(keys=keys, client=client.id)


def _is_of_dead_workers(error: Exception | None) -> bool:
    """Return whether workers died, and not a task failed.

    While tasks are run again, the scheduler may report one as failed whose exception it has already deleted. The
    client has None for it, and raises an AttributeError.
    """
    from distributed import KilledWorker

    is_deleted = isinstance(error, AttributeError) and error.obj is None and error.name == "with_traceback"
    return error is None or is_deleted or isinstance(error, KilledWorker)


async def _watched(client: Any, future: Any) -> Any:
    """Gather the result of a future, as long as some worker can compute it."""
    limit, now = patience(), asyncio.get_running_loop().time
    result, last_worked = asyncio.ensure_future(client.gather(future)), now()
    try:
        while not (await asyncio.wait([result], timeout=SECONDS_BETWEEN_LOOKS))[0]:
            if client.status == "closed":  # which cancels its futures, but not those that were made just after
                raise ConnectionError("the client has closed")
            workers = await _workers(client)
            if any(_can_work(worker) for worker in (workers or {}).values()):
                last_worked = now()
            elif limit is not None and now() - last_worked >= limit and not result.done():
                raise ClusterError(_without_workers(limit, workers, await lost_workers(client)))
            else:
                _ask_again(client.cluster)
        return result.result()
    finally:
        result.cancel()


async def _workers(client: Any) -> dict[str, Any] | None:
    """Return what the scheduler knows of the workers, by address, or None if it does not answer."""
    if client.scheduler is None:  # the client has closed
        return None
    try:
        return (await asyncio.wait_for(client.scheduler.identity(), SECONDS_FOR_ANSWER))["workers"]
    except OSError:  # TimeoutError is one
        return None


def _can_work(worker: dict[str, Any]) -> bool:
    """Return whether a worker runs tasks. A paused one, whose memory is nearly full, finishes those it has begun."""
    return worker["status"] == "running" or bool(worker["metrics"].get("task_counts", {}).get("executing"))


def _ask_again(cluster: Any) -> None:
    """Start the workers that the cluster should have. Dask itself gives up a worker that dies while it starts."""
    from distributed import SpecCluster, Status

    if isinstance(cluster, SpecCluster):  # other clusters start their workers again themselves
        for name, worker in list(cluster.workers.items()):
            if getattr(worker, "status", None) in (Status.closed, Status.failed):
                del cluster.workers[name]
        cluster.scale(len(cluster.plan))


async def lost_workers(client: Any) -> list[str]:
    """Return the addresses of workers that have left, in order, as far as the scheduler remembers."""
    try:
        events = await asyncio.wait_for(client.get_events("all"), SECONDS_FOR_ANSWER)
    except OSError:
        return []
    # Users may log events of other types there.
    removed = (event for _, event in events if isinstance(event, dict) and event.get("action") == "remove-worker")
    return [event["worker"] for event in removed]


def _without_workers(seconds: float, workers: dict[str, Any] | None, gone: list[str]) -> str:
    by_status: dict[str, list[str]] = {}
    for address, worker in (workers or {}).items():
        by_status.setdefault(worker["status"], []).append(address)
    faults, remedies = [], []
    if "paused" in by_status:
        faults.append(f"workers were paused, since their memory is full: {', '.join(by_status.pop('paused'))}")
        remedies.append("give them more memory or fit with more n_partitions")
    faults += [f"workers had the status {status!r}: {', '.join(names)}" for status, names in by_status.items()]
    if workers is None:
        faults.append("the scheduler did not answer")
    elif not workers:
        faults.append("the cluster had no worker" + (f"; the last that left is {gone[-1]}" if gone else ""))
    return (
        f"fit(X): for {seconds / 60:g} minutes {', and '.join(faults)}. To resume, "
        f"{' and '.join(remedies) or 'start workers'} and call fit again: a fit with a checkpoint resumes from what "
        "it has kept. If workers only take longer to start, let the fit wait for them: "
        f"dask.config.set({{{PATIENCE_KEY!r}: '1 hour'}})"
    )


@contextmanager
def _lost_connection_named(values: Sequence[Delayed]) -> Iterator[None]:
    """Turn errors into one that tells of the lost connection, if the client of the values has lost it.

    Dask raises many kinds: cancelled futures, closed connections, and missing tasks where the client has closed.
    """
    try:
        yield
    except ClusterError:
        raise
    except Exception as error:
        if "distributed" not in sys.modules:
            raise
        from distributed import futures_of

        is_lost = getattr(error, "reason", None) in REASONS_OF_LOSS
        if not is_lost and all(future.client.status == "running" for future in futures_of(list(values))):
            raise
        raise ClusterError(
            "fit(X): the connection to the scheduler was lost. Connect a client to a running scheduler and "
            "call fit again: a fit with a checkpoint resumes from what it has kept"
        ) from error
