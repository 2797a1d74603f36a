"""What a stage runs with: threads over blocks of rows, progress reports, and a checkpoint."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Any

import numpy as np

from .progress import Progress
from .threads import BLOCK, Task, Threads

# The arrays of the rows start:stop, each with one entry for every row.
Body = Callable[[int, int], tuple[np.ndarray, ...]]


class Run:
    """Runs the stages of a fit: times them, reports them, keeps their results, and gives them threads.

    A stage passes a function of a block of rows. The run calls it for every block. The function knows neither threads
    nor bars nor files, and blocks never depend on the number of threads.

    Parameters
    ----------
    n_jobs : int or None
        The number of threads; -1 for all cores, None for one.
    progress : Progress, optional
        Where progress is reported. By default nowhere.
    checkpoint : Checkpoint, optional
        Where results of stages are kept. By default nowhere.
    """

    def __init__(
        self, n_jobs: int | None, progress: Progress | None = None, checkpoint: Checkpoint | None = None
    ) -> None:
        self._threads = Threads(n_jobs)
        self._progress = progress or Progress()
        self._checkpoint = checkpoint or Checkpoint()

    def __enter__(self) -> Run:
        self._threads.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.__exit__(kind, error, trace)
        self._progress.close()

    def stage(self, name: str, verb: Callable[..., Any], *arguments: Any, **given: Any) -> Any:
        """Return ``verb(*arguments, run)``, timed and reported, or the result that the checkpoint has.

        Fields of the result that are ``given`` are not kept in the checkpoint.
        """
        with self.timed(name):
            return self._checkpoint.kept(name, lambda: verb(*arguments, self), **given)

    def timed(self, name: str) -> AbstractContextManager[None]:
        """Time and report a stage that calls `kept` itself, for the parts of its result that the checkpoint has."""
        return self._progress.stage(name)

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """Return ``make()``, or the result that the checkpoint has."""
        return self._checkpoint.kept(name, make)

    def keep(self) -> None:
        """Write the checkpoint if it is due. To be called where a fit could be resumed."""
        self._checkpoint.keep()

    def step(self, done: int, total: int) -> bool:
        """Report ``done`` of ``total`` steps of the current stage. True if the user asks to stop."""
        return self._progress.step(done, total)

    def over_rows(self, n_rows: int, task: Task, block: int = BLOCK) -> None:
        """Call ``task(start, stop)`` for every block of rows, in any order. A task writes only its own rows."""
        self._threads.over_rows(n_rows, task, block)

    def by_blocks(
        self,
        n_rows: int,
        body: Body,
        block: int = BLOCK,
        places: np.ndarray | None = None,
        *,
        with_progress: bool = False,
    ) -> tuple[np.ndarray, ...]:
        """The arrays that ``body(start, stop)`` returns for every block of rows, joined.

        Row i goes to ``places[i]`` of the arrays, by default to i. With progress every row is reported as a step of
        the current stage.
        """
        joined: list[np.ndarray] = []
        lock = threading.Lock()

        def task(start: int, stop: int) -> None:
            parts = body(start, stop)
            with lock:
                if not joined:  # the first block to be ready tells the shapes
                    joined.extend(np.empty((n_rows, *part.shape[1:]), part.dtype) for part in parts)
            here = slice(start, stop) if places is None else places[start:stop]
            for whole, part in zip(joined, parts, strict=True):
                whole[here] = part

        if n_rows == 0:
            return body(0, 0)
        report = (lambda done: self.step(done, n_rows)) if with_progress else None
        self._threads.over_rows(n_rows, task, block, report)
        return tuple(joined)


class Checkpoint:
    """Keeps nothing: every stage makes its result. The checkpoint of `store.checkpoints` keeps them in a file."""

    def kept(self, name: str, make: Callable[[], Any], **given: Any) -> Any:
        """The result that ``make`` makes. Fields of it that are ``given`` need not be kept."""
        return make()

    def keep(self) -> None:
        """Write the results so far, if it is time. To be called where a fit could be resumed from them."""

    def finish(self) -> None:
        """Remove what was kept. To be called when the fit has ended."""


SERIAL = Run(None)  # in the calling thread alone, without reports


def return_free_memory() -> None:
    """Give memory that the allocator holds free back to the system, where the C library has a function for it.

    That of Linux keeps freed blocks of up to 32 MB for later. After a stage of a million rows these are hundreds of
    megabytes that lie between arrays still in use, and the large arrays of the next stage do not fit into them.
    """
    with suppress(OSError, TypeError, AttributeError):  # Windows has no library of this name, others no such function
        ctypes.CDLL(None).malloc_trim(0)
