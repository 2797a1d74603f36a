"""Run a task over fixed blocks of rows on threads.

Blocks never depend on the number of threads, and a task writes only the rows it is given, so neither do results.
Libraries that bring thread pools of their own are held to one thread: OpenMP pools hang a process that forks
later, and a BLAS sum has other bits on two threads than on one.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from types import TracebackType

from joblib import effective_n_jobs
from threadpoolctl import threadpool_limits

Task = Callable[[int, int], None]

BLOCK = 2048

_limits_lock = threading.Lock()
_limits_held = 0
_limits = ExitStack()

if hasattr(os, "register_at_fork"):
    # A process that forks while another thread has the lock would leave its child waiting for it for ever.
    os.register_at_fork(
        before=_limits_lock.acquire, after_in_parent=_limits_lock.release, after_in_child=_limits_lock.release
    )


@contextmanager
def one_library_thread() -> Iterator[None]:
    """Hold BLAS and OpenMP to one thread while any caller, in any thread, is inside.

    Such limits belong to the whole process: two fits that each saved and restored them would undo each other's.
    """
    global _limits_held
    is_inside = False
    try:
        with _limits_lock:
            is_inside = True
            _limits_held += 1
            # Entered anew each time, since a library may have been loaded after the last one.
            _limits.enter_context(threadpool_limits(1))
        yield
    finally:
        with _limits_lock:
            _limits_held -= is_inside
            if _limits_held == 0:
                _limits.close()


def _limit_own_thread() -> None:
    """OpenMP keeps its limit per thread, BLAS per process: a thread that an interrupt left late must not set it."""
    with _limits_lock:
        if _limits_held:
            threadpool_limits(1)


class Workers:
    """The threads of one fit. Made per fit, because a pool of threads does not survive a fork."""

    def __init__(self, n_jobs: int | None) -> None:
        self.n_threads = 1 if n_jobs is None else effective_n_jobs(n_jobs)
        self._pool: ThreadPoolExecutor | None = None
        self._resources = ExitStack()

    def __enter__(self) -> Workers:
        self._resources.enter_context(one_library_thread())
        if self.n_threads > 1:
            self._pool = ThreadPoolExecutor(self.n_threads, "featmap", initializer=_limit_own_thread)
            self._resources.callback(self._pool.shutdown, cancel_futures=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resources.close()
        self._pool = None

    def over_rows(self, n_rows: int, task: Task, block: int = BLOCK) -> None:
        """Call ``task(start, stop)`` for every block of rows, in any order."""
        starts = itertools.count(0, block)
        stopped = threading.Event()

        def work() -> None:
            while not stopped.is_set() and (start := next(starts)) < n_rows:
                task(start, min(start + block, n_rows))

        if self._pool is None or n_rows <= block:
            work()
            return
        n_blocks = -(-n_rows // block)
        futures: list[Future[None]] = []
        try:
            futures.extend(self._pool.submit(work) for _ in range(min(self.n_threads, n_blocks)))
            for future in futures:
                future.result()
        finally:
            # After an error or an interrupt no thread may still be writing into the arrays of this call.
            stopped.set()
            wait(futures)
