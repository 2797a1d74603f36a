"""Fits whose workers are killed at random times or have little memory. ``make test-kills`` prints what happened."""

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

import numpy as np
import pytest

pytest.importorskip("distributed", reason="the extra dask is not installed")

import dask.array as da
from distributed import Client, LocalCluster

import featmap
from featmap.dask import FeatMAP
from featmap.dask.cluster import lost_workers
from lab.data.manifolds import curved_sheets
from test_dask import assert_same, time_limit  # noqa: F401 - a fixture for all tests

# Killed workers leave sockets of distributed open, which it notices when they are collected.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SETTINGS = {"random_state": 3, "n_epochs": 60, "n_jobs": 1}
N_FITS, N_KILLS, SEED = 10, 4, 1  # kills in each fit
QUIET = {"dashboard_address": ":0", "silence_logs": 50}
LONGEST = 300  # seconds of a fit, which takes 3 to 14 in peace; then everything ends, and all threads are shown


class Killer(threading.Thread):
    """Kills a worker every 0.2 to 8 seconds, be it computing or just starting, and prints each kill."""

    def __init__(self, chance):
        super().__init__(daemon=True)
        self.chance, self.n_left, self.ended = chance, N_KILLS, threading.Event()
        self.step = ["it began"]  # what the callback of a fit was last told

    def run(self):
        began = time.monotonic()
        while self.n_left > 0 and not self.ended.wait(self.chance.uniform(0.2, 8.0)):
            with suppress(IndexError, ProcessLookupError):  # there is none, or it ends by itself
                worker = self.chance.choice(processes_of_workers())
                os.kill(worker, signal.SIGKILL)
                self.n_left -= 1
                print(f"  {time.monotonic() - began:.1f} s: worker {worker} killed, after", *self.step, flush=True)


def processes_of_workers():
    """Those that are just starting have not told the cluster of themselves yet, so the system is asked."""
    children = " ".join(map(text_of, Path("/proc/self/task").glob("*/children"))).split()
    return sorted(int(child) for child in children if "spawn_main" in text_of(Path(f"/proc/{child}/cmdline")))


def text_of(file):
    with suppress(OSError):  # the thread or process has ended meanwhile
        return file.read_text()
    return ""


def test_rows_of_twice_the_memory_of_a_worker_have_the_bytes_of_the_local_fit(tmp_path):
    """Workers write to the disk what does not fit in their memory: each has 600 MB, and the rows take 1.2 GB."""
    directions = np.random.default_rng(0).normal(size=(3, 10_000)).astype(np.float32)
    X = da.sin(da.random.default_rng(0).random((30_000, 3), np.float32, chunks=(600, 3)) @ directions)
    model, began = FeatMAP(**SETTINGS), time.monotonic()
    faulthandler.dump_traceback_later(12 * LONGEST, exit=True)
    limits = QUIET | {"memory_limit": "600MB", "local_directory": tmp_path}
    with LocalCluster(n_workers=2, threads_per_worker=1, **limits) as cluster, Client(cluster) as client:
        model.fit(X, path=tmp_path / "a.featmap", force=True, n_partitions=64)
        lost = len(client.sync(lost_workers, client))
    print(f"{X.nbytes / 1e9} GB: {time.monotonic() - began:.0f} s, {lost} workers lost", flush=True)
    assert_same(model, featmap.FeatMAP(**SETTINGS).fit(X.compute(scheduler="synchronous")))


@pytest.mark.skipif(sys.platform != "linux", reason="processes that are starting are found in /proc")
def test_fits_end_with_the_same_bytes_however_workers_are_killed(tmp_path):
    """All workers are lost for good again and again, since Dask gives up those that die while they start."""
    X, chance, n_kills, n_fits = curved_sheets(6_000, 12)[0], random.Random(SEED), 0, 0
    model, local = FeatMAP(**SETTINGS), featmap.FeatMAP(**SETTINGS).fit(X)
    blocks = da.from_array(X, chunks=(2_000, 12))
    options = {"path": tmp_path / "a.featmap", "force": True, "n_partitions": 4}
    with LocalCluster(n_workers=2, threads_per_worker=1, **QUIET) as cluster, Client(cluster):
        while n_kills < N_FITS * N_KILLS:
            killer, began = Killer(chance), time.monotonic()
            killer.start()
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            model.fit(blocks, callback=lambda *step, killer=killer: setattr(killer, "step", step), **options)
            killer.ended.set()
            killer.join()
            n_fits, n_kills = n_fits + 1, n_kills + N_KILLS - killer.n_left
            print(f"fit {n_fits}: {time.monotonic() - began:.1f} s, {n_kills} workers killed so far", flush=True)
            assert_same(model, local)
    assert n_fits >= N_FITS
