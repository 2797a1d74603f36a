"""Blocks, threads, and the limits on other libraries' threads."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from featmap.parallel import Workers, one_library_thread


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 4, -1])
def test_every_row_once_in_the_same_blocks(n_jobs):
    counts = np.zeros(1000, int)
    blocks = []

    def task(start, stop):
        counts[start:stop] += 1
        blocks.append((start, stop))

    with Workers(n_jobs) as workers:
        workers.over_rows(1000, task, block=64)
    assert (counts == 1).all()
    assert sorted(blocks) == [(start, min(start + 64, 1000)) for start in range(0, 1000, 64)]


def test_an_error_stops_the_others_and_is_raised():
    done = []

    def task(start, stop):
        if start == 0:
            raise ValueError("first block")
        time.sleep(0.01)
        done.append(start)

    with Workers(2) as workers, pytest.raises(ValueError, match="first block"):
        workers.over_rows(1000, task, block=1)
    assert len(done) < 10
    settled = len(done)
    time.sleep(0.05)
    assert len(done) == settled


def test_no_more_threads_than_blocks():
    before = threading.active_count()
    most = []

    def task(start, stop):
        time.sleep(0.05)
        most.append(threading.active_count())

    with Workers(200) as workers:
        workers.over_rows(3, task, block=1)
    assert max(most) <= before + 3


def test_no_threads_are_left():
    before = threading.active_count()
    with Workers(4) as workers:
        workers.over_rows(100, lambda start, stop: None, block=1)
        assert threading.active_count() > before
    assert threading.active_count() == before


def test_library_threads_are_given_back():
    before = blas_threads()
    with Workers(2):
        assert blas_threads() == {1}
    assert blas_threads() == before


def test_library_threads_of_overlapping_fits():
    """Two that enter and leave crosswise: held while either is inside, given back after the last."""
    before = blas_threads()
    first, second = one_library_thread(), one_library_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert blas_threads() == {1}
    second.__exit__(None, None, None)
    assert blas_threads() == before
