"""Blocks, threads, and the limits on other libraries' threads."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from featmap import FeatMAP, InvalidParameterError
from featmap.run import threads
from featmap.run.threads import Threads, one_library_thread


def pool_threads():
    """Those of featMAP's pools; threads of other tests come and go."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("featmap_")}


def library_threads():
    """Of all libraries, as the calling thread sees them."""
    return {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()}


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 4, -1])
def test_every_row_once_in_the_same_blocks(n_jobs):
    counts = np.zeros(1000, int)
    blocks = []

    def task(start, stop):
        counts[start:stop] += 1
        blocks.append((start, stop))

    with Threads(n_jobs) as pool:
        pool.over_rows(1000, task, block=64)
    assert (counts == 1).all()
    assert sorted(blocks) == [(start, min(start + 64, 1000)) for start in range(0, 1000, 64)]


@pytest.mark.parametrize("failing", [0, 1])
def test_an_error_stops_the_others_and_is_raised(failing):
    """Whichever thread it comes up in. There are so many blocks that only the error can end them."""
    both, begun, deadline = threading.Barrier(2), [], time.monotonic() + 60

    def task(start, stop):
        begun.append(start)
        if start < 2:
            both.wait(timeout=60)
        if start == failing:
            raise ValueError("a block fails")
        assert time.monotonic() < deadline, "the other thread goes on"

    with Threads(2) as pool:
        with pytest.raises(ValueError, match="a block fails"):
            pool.over_rows(10**12, task, block=1)
        n_begun = len(begun)
        pool.over_rows(2, lambda start, stop: None, block=1)
        assert len(begun) == n_begun


def test_no_more_threads_than_blocks_and_the_calling_thread_is_one_of_them():
    together = threading.Barrier(3)  # all three blocks are under way at once
    before, seen = pool_threads(), set()

    def task(start, stop):
        together.wait(timeout=60)
        seen.add(threading.current_thread())

    with Threads(200) as pool:
        pool.over_rows(3, task, block=1)
        assert seen == (pool_threads() - before) | {threading.current_thread()}
    assert len(seen) == 3


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_reports_rise_to_the_number_of_rows_in_the_calling_thread(n_jobs):
    heard, callers = [], set()

    def report(done):
        heard.append(done)
        callers.add(threading.get_ident())

    with Threads(n_jobs) as pool:
        pool.over_rows(1000, lambda start, stop: None, 64, report)
    assert heard == sorted(heard)
    assert heard[-1] == 1000
    assert callers == {threading.get_ident()}


def test_an_error_of_the_report_stops_the_threads():
    """It is raised in the calling thread while the other works, which does not work on."""
    both, stopped, caller = threading.Barrier(2), threading.Event(), threading.get_ident()
    begun, finished, deadline = [], [], time.monotonic() + 60

    def task(start, stop):
        begun.append(start)
        if start < 2:
            both.wait(timeout=60)
        if threading.get_ident() != caller:
            assert stopped.wait(timeout=60)
            assert time.monotonic() < deadline, "the other thread goes on"
        finished.append(start)

    def report(done):
        stopped.set()
        raise KeyboardInterrupt

    with Threads(2) as pool:
        with pytest.raises(KeyboardInterrupt):
            pool.over_rows(10**12, task, 1, report)
        n_begun = len(begun)
        assert len(finished) == n_begun
        pool.over_rows(2, lambda start, stop: None, block=1)
        assert len(begun) == n_begun


@pytest.mark.parametrize("fails", [False, True])
def test_a_task_may_go_over_rows_itself(fails):
    """In a thread of its own, so that a deadlock ends the test and not the tests."""
    begun, errors = [], []

    def inner(start, stop):
        begun.append(start)
        if fails:
            raise ValueError

    def outer():
        try:
            with Threads(2) as pool:
                pool.over_rows(6, lambda start, stop: pool.over_rows(4, inner, block=1), block=1)
        except ValueError as error:
            errors.append(error)

    own = threading.Thread(target=outer, daemon=True)
    own.start()
    own.join(timeout=60)
    assert not own.is_alive()
    assert len(errors) == fails
    assert fails or sorted(begun) == sorted(6 * [0, 1, 2, 3])


def test_a_pool_has_threads_while_it_is_entered_even_if_it_was_asked_too_early():
    pool, before = Threads(4), pool_threads()
    pool.over_rows(100, lambda start, stop: None, block=1)
    assert pool_threads() == before
    with pool:
        pool.over_rows(100, lambda start, stop: None, block=1)
        own = pool_threads() - before
    assert own
    assert not own & pool_threads()


def test_library_threads_are_given_back():
    before = library_threads()
    with Threads(2):
        assert set(library_threads().values()) == {1}
    assert library_threads() == before


def test_library_threads_of_overlapping_fits():
    """Two that enter and leave crosswise: held while either is inside, given back after the last."""
    with threadpool_limits(2):
        before = library_threads()
        first, second = one_library_thread(), one_library_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(library_threads().values()) == {1}
        second.__exit__(None, None, None)
        assert library_threads() == before


def test_threads_of_a_pool_are_held_too():
    seen = []
    with threadpool_limits(2), Threads(2) as pool:
        pool.over_rows(2, lambda start, stop: seen.append(library_threads()), block=1)
    assert [set(seen_there.values()) for seen_there in seen] == [{1}, {1}]


def test_limits_that_others_give_back_in_the_meantime_stay():
    """Somebody's own limits end while another thread is inside, which had seen them when it entered."""
    before = library_threads()
    with ThreadPoolExecutor(1) as other:
        held = one_library_thread()
        with threadpool_limits(3):
            other.submit(held.__enter__).result()
            assert {1} == set(other.submit(library_threads).result().values())
        other.submit(held.__exit__, None, None, None).result()
    assert library_threads() == before


def test_nothing_is_kept_of_those_that_have_left():
    def enter_and_leave(_):
        with one_library_thread():
            pass

    def kept():
        return [
            len(part) for held in (threads._held_in_process, threads._held_in_thread) for part in vars(held).values()
        ]

    nothing = kept()
    with threadpool_limits(2), one_library_thread(), ThreadPoolExecutor(4) as others:
        of_one = kept()
        list(others.map(enter_and_leave, range(20)))
        assert kept() == of_one
    assert sum(of_one) > sum(nothing) == 0
    assert kept() == nothing


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two"])
def test_wrong_numbers_of_threads_are_refused(n_jobs, rng):
    """Also where they were set after a fit."""
    X = rng.normal(size=(20, 3))
    model = FeatMAP(n_epochs=1, n_neighbors=5).fit(X).set_params(n_jobs=n_jobs)
    with pytest.raises(InvalidParameterError, match="n_jobs="):
        model.transform(X)
