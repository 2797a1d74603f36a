"""Questions in a queue: a few threads answer them, and only so many may wait."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, Full, Queue

THREADS = 2
MOST_WAITING = 32

Work = Callable[[], bytes]


class QueueFull(Exception):
    """The queue is full, and the question is refused."""


class AnswerQueue:
    """Answers questions in threads of its own, which never keep Python from ending."""

    def __init__(self) -> None:
        self._waiting: Queue[tuple[Future[bytes], Work]] = Queue(MOST_WAITING)
        self._is_over = threading.Event()
        for number in range(THREADS):
            threading.Thread(target=self._work, name=f"featmap-answers-{number}", daemon=True).start()

    async def answered(self, work: Work) -> bytes:
        """What ``work`` returns. If whoever waits for it gives up, it is not begun."""
        future: Future[bytes] = Future()
        try:
            self._waiting.put_nowait((future, work))
        except Full as error:
            raise QueueFull("Too many questions are being asked; ask again.") from error
        return await asyncio.wrap_future(future)  # cancelling it cancels the future

    def end(self) -> None:
        """Begin no further question."""
        self._is_over.set()

    def _work(self) -> None:
        while not self._is_over.is_set():
            try:
                future, work = self._waiting.get(timeout=0.5)
            except Empty:
                continue
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
