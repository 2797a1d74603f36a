"""Connections of the local server: so many at a time, and none waits for a request for long.

Connections on which nothing is being answered, or whose answers are not read, make room for new ones, the oldest
first. So nobody can lock others out by opening connections and leaving them.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 256
SECONDS_FOR_HEAD = 10.0  # in which the head of a request must have come


class GuardedConnection(H11Protocol):
    """A connection that is closed if it says nothing of use, or if room is needed."""

    _deadline: asyncio.TimerHandle | None = None
    is_ended = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Open the connection, and close another one if there are too many."""
        super().connection_made(transport)
        self._opened = self.loop.time()
        self._expect_head()
        _make_room([one for one in self.connections if isinstance(one, GuardedConnection)])

    def data_received(self, data: bytes) -> None:
        """Read on. The deadline for a head does not move while parts of it come in."""
        super().data_received(data)
        if self.is_answering():
            self._forget_deadline()
        elif self._deadline is None:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting for a head."""
        self._forget_deadline()
        super().connection_lost(exc)

    def is_answering(self) -> bool:
        """Whether a request has come that is not answered yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def is_busy(self) -> bool:
        """Whether something is being answered to someone who reads it."""
        return self.is_answering() and not self.flow.write_paused

    def end(self) -> None:
        """Close at once, also if there is something left that nobody reads."""
        self.is_ended = True
        self.transport.abort()

    def _expect_head(self) -> None:
        self._deadline = self.loop.call_later(SECONDS_FOR_HEAD, self._end_if_waiting)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end_if_waiting(self) -> None:
        self._deadline = None
        if not self.is_answering():
            self.end()


def _make_room(connections: list[GuardedConnection]) -> None:
    """End the oldest connection that is not busy, or the newest one if all are."""
    alive = [one for one in connections if not one.is_ended]
    if len(alive) > MOST_CONNECTIONS:
        idle = [one for one in alive if not one.is_busy()]
        oldest_first = sorted(idle or alive, key=lambda one: one._opened)
        oldest_first[0 if idle else -1].end()
