"""Run a task over fixed blocks of rows on threads.

Blocks never depend on the number of threads, and a task writes only the rows it is given, so results do not depend on
it either. Libraries with thread pools of their own are limited to one thread: OpenMP pools hang a process that forks
later, and the bits of a BLAS sum on two threads differ from those on one.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from functools import cached_property, lru_cache
from types import TracebackType
from typing import Any

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from ..checks.arguments import is_integer
from ..errors import InvalidParameterError
from ..values import Task

# One thread fits 10,000 rows of MNIST as fast with 256 or 16,384. Large blocks leave threads idle if rows are few.
BLOCK = 2048
SECONDS_BETWEEN_REPORTS = 0.1  # a bar moves smoothly to the eye


class _Held:
    """Limits libraries to one thread from the entry of the first caller until the last one has left."""

    def __init__(self) -> None:
        self.callers: set[object] = set()
        self.before: dict[str, tuple[Any, int]] = {}

    def enter(self, caller: object, libraries: list[Any]) -> None:
        self.callers.add(caller)
        for library in libraries:
            n_threads = library.num_threads
            if n_threads != 1:
                self.before[library.filepath] = library, n_threads
                _set_threads(library, 1)

    def leave(self, caller: object) -> None:
        self.callers.discard(caller)
        if self.callers:
            return
        for library, n_threads in self.before.values():
            # A limit that other code has set in the meantime is left as it is.
            if library.num_threads == 1:
                _set_threads(library, n_threads)
        self.before.clear()


class _HeldInThread(_Held, threading.local):
    """`_Held` with a record of its own in each thread."""


_held_in_process = _Held()
_held_in_thread = _HeldInThread()
_limits_lock = threading.Lock()


def _after_fork_in_child() -> None:
    """Forget callers in other threads, which did not survive the fork. The next caller to leave restores limits."""
    _held_in_process.callers &= _held_in_thread.callers
    _limits_lock.release()


if hasattr(os, "register_at_fork"):
    # If a process forked while another thread held the lock, its child would wait for the lock for ever.
    os.register_at_fork(
        before=_limits_lock.acquire, after_in_parent=_limits_lock.release, after_in_child=_after_fork_in_child
    )


@contextmanager
def one_library_thread() -> Iterator[None]:
    """Limit BLAS and OpenMP to one thread while any caller, in any thread, is inside.

    Limits of the process are restored by the last caller to leave: if each fit saved and restored them, fits would
    undo the limits of each other. Limits of a thread can be restored in that thread only.
    """
    caller = object()
    try:
        with _limits_lock:
            of_process, of_thread = _libraries()
            _held_in_process.enter(caller, of_process)
            _held_in_thread.enter(caller, of_thread)
        yield
    finally:
        with _limits_lock:
            _held_in_thread.leave(caller)
            _held_in_process.leave(caller)


def _limit_own_thread() -> None:
    """Set the limits of this thread, never those of the process: after an interrupt a thread may outlive its fit."""
    with _limits_lock:
        for library in _libraries()[1]:
            library.set_num_threads(1)


def _libraries() -> tuple[list[Any], list[Any]]:
    """Loaded libraries whose limits belong to the process, and those whose limits belong to the calling thread."""
    of_process: list[Any] = []
    of_thread: list[Any] = []
    for library in _loaded_libraries(len(sys.modules)):
        (of_process if _is_limited_by_process(library) else of_thread).append(library)
    return of_process, of_thread


@lru_cache(maxsize=1)
def _loaded_libraries(n_modules: int) -> list[Any]:
    """All libraries with threads. The search takes milliseconds, so it is repeated only after new imports."""
    return ThreadpoolController().lib_controllers


def _is_limited_by_process(library: Any) -> bool:
    """True for OpenBLAS with its own threads, FlexiBLAS, which may call it, and the OpenMP of Microsoft."""
    if library.internal_api in ("openblas", "flexiblas"):
        return getattr(library, "threading_layer", None) != "openmp"
    return library.prefix == "vcomp"


def _set_threads(library: Any, n_threads: int) -> None:
    """Since threadpoolctl 3.8 one thread controls OpenBLAS; others are ignored until that control is cleared."""
    clear_control = getattr(library, "clear_controlling_thread", lambda force: None)
    clear_control(force=True)
    library.set_num_threads(n_threads)
    # Control is cleared again, so that the thread that had it can take it back and restore its limits.
    clear_control(force=True)


class Threads:
    """The calling thread and a pool of others. Every fit makes its own, because a pool does not survive a fork."""

    def __init__(self, n_jobs: int | None) -> None:
        if n_jobs is not None and (not is_integer(n_jobs, -(2**31)) or n_jobs == 0):
            raise InvalidParameterError(
                f"n_jobs={n_jobs!r}: must be a number of threads, -1 for all, or None for one"
            )
        self._n_jobs = n_jobs
        self._is_entered = False
        self._pool: ThreadPoolExecutor | None = None
        self._resources = ExitStack()

    def __enter__(self) -> Threads:
        self._resources.enter_context(one_library_thread())
        self._is_entered = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resources.close()
        self._is_entered, self._pool = False, None

    @cached_property
    def n_threads(self) -> int:
        return 1 if self._n_jobs is None else effective_n_jobs(self._n_jobs)

    def _others(self) -> ThreadPoolExecutor | None:
        """The other threads, started when there is more than one block: a question about one row needs none."""
        if self._pool is None and self._is_entered and self.n_threads > 1:
            self._pool = ThreadPoolExecutor(self.n_threads - 1, "featmap", initializer=_limit_own_thread)
            self._resources.callback(self._pool.shutdown, cancel_futures=True)
        return self._pool

    def over_rows(
        self, n_rows: int, task: Task, block: int = BLOCK, report: Callable[[int], object] | None = None
    ) -> None:
        """Call ``task(start, stop)`` for every block of rows, in any order.

        ``report`` is called in the calling thread with the number of rows done: after every block of this thread, and
        a few times a second while it waits for others.
        """
        starts = itertools.count(0, block)
        finished: list[int] = []
        stopped = threading.Event()

        def work(after_block: Callable[[], object]) -> None:
            try:
                while not stopped.is_set() and (start := next(starts)) < n_rows:
                    task(start, min(start + block, n_rows))
                    finished.append(start)
                    after_block()
            except BaseException:
                stopped.set()  # no thread needs to begin another block
                raise

        def tell() -> None:
            if report is not None:
                report(min(len(finished) * block, n_rows))

        others = None if n_rows <= block else self._others()
        if others is None:
            work(tell)
            return
        n_blocks = -(-n_rows // block)
        futures: list[Future[None]] = []
        try:
            n_others = min(self.n_threads, n_blocks) - 1
            futures.extend(others.submit(work, lambda: None) for _ in range(n_others))
            # The calling thread works too: waking another one and waiting for it takes longer than a short block.
            work(tell)
            begun = _begun(futures)
            while report is not None and wait(begun, SECONDS_BETWEEN_REPORTS).not_done:
                tell()
            for future in begun:
                future.result()
            tell()
        finally:
            # After an error or an interrupt no thread may still be writing into the arrays of this call.
            stopped.set()
            wait(_begun(futures))


def _begun(futures: list[Future[None]]) -> list[Future[None]]:
    """Cancel the futures that no thread has begun, and return the others.

    Inside a task of the same pool, one that has not begun would wait for the thread that waits for it.
    """
    return [future for future in futures if not future.cancel()]
