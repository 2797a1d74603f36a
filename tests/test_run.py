"""What a stage is run with: blocks are joined in order, stages are timed, reported and kept."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from featmap.run import Checkpoint, Run
from featmap.run.progress import Progress


class KeptInMemory(Checkpoint):
    """In the place of a checkpoint's file."""

    def __init__(self):
        self.made, self.given = {}, {}

    def kept(self, name, make, **given):
        self.given[name] = given
        return self.made[name] if name in self.made else self.made.setdefault(name, make())


def squares(start, stop):
    numbers = np.arange(start, stop)
    return numbers**2, np.stack([numbers, -numbers], axis=1).astype(np.float32)


@pytest.mark.parametrize("with_progress", [False, True])
@pytest.mark.parametrize("n_jobs", [None, 1, 2, 5])
@pytest.mark.parametrize("block", [1, 7, 100, 5000])
def test_blocks_are_joined_in_order(with_progress, n_jobs, block):
    expected = squares(0, 100)
    with Run(n_jobs) as run:
        joined = run.by_blocks(100, squares, block, with_progress=with_progress)
    for found, part in zip(joined, expected, strict=True):
        assert np.array_equal(found, part)
        assert found.dtype == part.dtype


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_rows_of_blocks_go_to_their_places(n_jobs):
    places = np.random.default_rng(0).permutation(100)
    with Run(n_jobs) as run:
        joined = run.by_blocks(100, squares, 7, places)
    for found, part in zip(joined, squares(0, 100), strict=True):
        assert np.array_equal(found[places], part)


def test_the_order_in_which_blocks_are_ready_does_not_matter():
    """The first of four blocks waits until the others are ready."""
    others = threading.Semaphore(0)

    def body(start, stop):
        if start == 0:
            for _ in range(3):
                assert others.acquire(timeout=60)
        else:
            others.release()
        return squares(start, stop)

    with Run(2) as run:
        joined = run.by_blocks(40, body, 10)
    assert np.array_equal(joined[0], np.arange(40) ** 2)


def test_no_rows_are_one_empty_block(run):
    first, second = run.by_blocks(0, squares)
    assert first.shape == (0,)
    assert second.shape == (0, 2)


def test_blocks_with_progress_are_steps_of_the_stage():
    heard = []
    with Run(2, Progress(lambda *call: heard.append(call))) as run, run.timed("neighbors"):
        run.by_blocks(100, squares, 10, with_progress=True)
    assert heard[0] == ("neighbors", 0, 1)
    assert heard[-1] == ("neighbors", 100, 100)
    done = [call[1] for call in heard[1:]]
    assert done == sorted(done)
    assert {call[2] for call in heard[1:]} == {100}


def test_a_stage_is_called_with_its_arguments_and_the_run_and_is_reported():
    heard, progress = [], Progress(lambda *call: heard.append(call))

    def add(first, second, run):
        return first + second, run

    with Run(1, progress) as run:
        assert run.stage("graph", add, 2, 3) == (5, run)
    assert heard == [("graph", 0, 1), ("graph", 1, 1)]
    assert [report.stage for report in progress.report] == ["graph"]


def test_a_stage_is_kept_and_not_made_again():
    kept, progress = KeptInMemory(), Progress()
    with Run(1, checkpoint=kept) as run:
        assert run.stage("graph", lambda run: 5) == 5
    assert kept.made == {"graph": 5}
    with Run(1, progress, kept) as run:
        assert run.stage("graph", lambda run: pytest.fail("it was made again"), data=7) == 5
        assert run.kept("layout", lambda: 6) == 6
    assert kept.given == {"graph": {"data": 7}, "layout": {}}
    assert [report.stage for report in progress.report] == ["graph"]


def test_steps_are_passed_on_and_tell_whether_to_stop():
    with Run(1, Progress(lambda stage, done, total: done == 3)) as run, run.timed("layout"):
        assert [run.step(done, 5) for done in range(1, 5)] == [False, False, True, False]
