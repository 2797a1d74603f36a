"""Fits on a cluster whose processes are killed at random times. ``make test-kills`` prints what happened."""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed", reason="the extra dask is not installed")

import dask.array as da
from distributed import Client, LocalCluster

import featmap
from featmap.dask import FeatMAP
from lab.data.manifolds import curved_sheets

# Killed workers leave sockets of distributed open, which it notices when they are collected.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SETTINGS = {"random_state": 3, "n_epochs": 60, "n_jobs": 1}
N_KILLS, SEED = 40, 1
LONGEST = 300  # seconds of a fit, which takes 3 to 14 in peace; then everything ends, and all threads are shown


@pytest.fixture(scope="module")
def X():
    return curved_sheets(6_000, 12)[0]


@pytest.fixture(scope="module")
def local(X):
    return featmap.FeatMAP(**SETTINGS).fit(X)


@pytest.fixture
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster:
        yield cluster


class Killer(threading.Thread):
    """Kills a worker every 0.2 to 8 seconds, be it computing or just starting."""

    def __init__(self, n_kills):
        super().__init__(daemon=True)
        self.n_left, self.stopped, self.random = n_kills, threading.Event(), random.Random(SEED)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.join()

    def run(self):
        while self.n_left and not self.stopped.wait(self.random.uniform(0.2, 8.0)):
            workers = processes_of_workers()
            if workers:
                os.kill(self.random.choice(workers), signal.SIGKILL)
                self.n_left -= 1


def processes_of_workers():
    """Those that are just starting have not told the cluster of themselves yet, so the system is asked."""
    children = " ".join(file.read_text() for file in Path("/proc/self/task").glob("*/children")).split()
    return sorted(int(child) for child in children if b"spawn_main" in command_of(child))


def command_of(process):
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:  # it has ended meanwhile
        return b""


@pytest.mark.skipif(sys.platform != "linux", reason="processes that are starting are found in /proc")
def test_fits_end_with_the_same_bytes_however_workers_are_killed(cluster, X, local, tmp_path):
    """All workers are lost for good again and again, since Dask gives up those that die while they start."""
    model, seconds = FeatMAP(**SETTINGS), []
    with Client(cluster), Killer(N_KILLS) as killer:
        while killer.n_left:
            began, left = time.monotonic(), killer.n_left
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            model.fit(da.from_array(X, chunks=(2_000, 12)), path=tmp_path / "a.featmap", force=True, n_partitions=4)
            faulthandler.cancel_dump_traceback_later()
            seconds.append(time.monotonic() - began)
            print(f"fit {len(seconds)}: {seconds[-1]:.1f} s, {left - killer.n_left} workers killed", flush=True)
            np.testing.assert_array_equal(model.embedding_, local.embedding_)


CLIENT = """
import sys, dask.array as da
from distributed import Client
from featmap.dask import FeatMAP
import featmap.store.checkpoints as checkpoint
from lab.data.manifolds import curved_sheets
if __name__ == "__main__":
    def tell(stage, done, total):
        print(stage, done, flush=True)
        if stage == "layout" and done == 20:
            sys.stdin.read()  # until this process is killed
    checkpoint.SECONDS_BETWEEN, checkpoint.MOST_OF_THE_TIME = 0.0, 1e9  # so that every epoch is kept
    X = da.from_array(curved_sheets(6_000, 12)[0], chunks=(2_000, 12))
    with Client(sys.argv[1]):
        FeatMAP(**{settings!r}).fit(X, path=sys.argv[2], checkpoint=sys.argv[3], force=True, callback=tell)
"""


def test_a_client_that_is_killed_resumes_on_the_same_cluster(cluster, X, local, tmp_path):
    script = tmp_path / "client.py"
    script.write_text(CLIENT.replace("{settings!r}", repr(SETTINGS)))
    paths = tmp_path / "a.featmap", tmp_path / "a.checkpoint"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, script, cluster.scheduler_address, *paths]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as client:
        assert any(line == "layout 20\n" for line in client.stdout)
        client.kill()
    epochs = []
    with Client(cluster):
        model = FeatMAP(**SETTINGS).fit(
            da.from_array(X, chunks=(2_000, 12)),
            path=paths[0],
            checkpoint=paths[1],
            force=True,
            callback=lambda stage, done, total: epochs.append(done) if stage == "layout" and done else None,
        )
    assert epochs[0] >= 20, "the epochs before are not run again"
    np.testing.assert_array_equal(model.embedding_, local.embedding_)
