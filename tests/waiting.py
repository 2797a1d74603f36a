"""Tests wait for events, never for time, and nothing is waited for without an end."""

from __future__ import annotations

import os
import socket
import threading
import time
from contextlib import contextmanager, suppress

PATIENCE = 120.0  # seconds; a busy machine is slow


def wait_until(condition, what, pause=lambda: time.sleep(0.02)):
    """Wait until something is so. ``what`` names it, or is a function that does if it has not happened."""
    end = time.monotonic() + PATIENCE
    while not condition():
        late = time.monotonic() > end
        assert not late, f"{what() if callable(what) else what} did not happen"
        pause()


def started(task, n_threads):
    """Threads that call ``task`` with their numbers."""
    threads = [threading.Thread(target=task, args=(number,), daemon=True) for number in range(n_threads)]
    for thread in threads:
        thread.start()
    return threads


def ended(threads):
    """Wait for the ends of threads."""
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


@contextmanager
def ending(process):
    """A process that ends with its block, and earlier if it takes too long."""
    limit = threading.Timer(PATIENCE, process.kill)
    limit.start()
    try:
        with process:
            try:
                yield process
            finally:
                process.kill()
    finally:
        limit.cancel()


def lasting_port():
    """A free port that no system gives to those who ask for any, so that nobody takes it when it is free again."""
    for port in range(20_000 + os.getpid() % 10_000, 30_000):
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")
