"""Fits on a cluster whose processes are killed at random times. ``make test-kills`` prints what happened."""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra dask is not installed")

import dask.array as da
from distributed import Client, LocalCluster

import featmap
from featmap.dask import FeatMAP
from lab.data.manifolds import curved_sheets
from test_dask import assert_same

# Killed workers leave sockets of distributed open, which it notices when they are collected.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SETTINGS = {"random_state": 3, "n_epochs": 60, "n_jobs": 1}
N_KILLS, SEED = 40, 1
LONGEST = 300  # seconds of a fit, which takes 3 to 14 in peace; then everything ends, and all threads are shown


@pytest.fixture(autouse=True)
def no_time_limit_afterwards():
    yield
    faulthandler.cancel_dump_traceback_later()


class Killer(threading.Thread):
    """Kills a worker every 0.2 to 8 seconds, be it computing or just starting, and prints each kill."""

    def __init__(self, n_kills):
        super().__init__(daemon=True)
        self.n_left, self.stopped, self.random = n_kills, threading.Event(), random.Random(SEED)
        self.stage, self.began = "", time.monotonic()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.join()

    def note(self, stage, done, total):
        """The callback of the fits."""
        self.stage = f"{stage} {done}"

    def run(self):
        while self.n_left and not self.stopped.wait(self.random.uniform(0.2, 8.0)):
            with suppress(IndexError, ProcessLookupError):  # there is none, or it ends by itself
                worker = self.random.choice(processes_of_workers())
                os.kill(worker, signal.SIGKILL)
                self.n_left -= 1
                moment = time.monotonic() - self.began
                print(f"  {moment:.1f} s: worker {worker} killed, after {self.stage or 'nothing'}", flush=True)


def processes_of_workers():
    """Those that are just starting have not told the cluster of themselves yet, so the system is asked."""
    children = " ".join(map(text_of, Path("/proc/self/task").glob("*/children"))).split()
    return sorted(int(child) for child in children if "spawn_main" in text_of(Path(f"/proc/{child}/cmdline")))


def text_of(file):
    with suppress(OSError):  # the thread or process has ended meanwhile
        return file.read_text()
    return ""


@pytest.mark.skipif(sys.platform != "linux", reason="processes that are starting are found in /proc")
def test_fits_end_with_the_same_bytes_however_workers_are_killed(tmp_path):
    """All workers are lost for good again and again, since Dask gives up those that die while they start."""
    X, seconds = curved_sheets(6_000, 12)[0], []
    model, local = FeatMAP(**SETTINGS), featmap.FeatMAP(**SETTINGS).fit(X)
    blocks = da.from_array(X, chunks=(2_000, 12))
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster),
        Killer(N_KILLS) as killer,
    ):
        while killer.n_left:
            assert killer.is_alive()
            began, left = time.monotonic(), killer.n_left
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            model.fit(blocks, path=tmp_path / "a.featmap", force=True, n_partitions=4, callback=killer.note)
            seconds.append(time.monotonic() - began)
            print(f"fit {len(seconds)}: {seconds[-1]:.1f} s, {left - killer.n_left} workers killed", flush=True)
            assert_same(model, local)
    assert killer.n_left == 0
