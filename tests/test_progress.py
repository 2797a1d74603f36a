"""What a user sees and can stop."""

from __future__ import annotations

import io
import time

import pytest

from featmap.errors import FitStopped
from featmap.run.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run(progress, n_steps=3):
    with progress.stage("neighbors"):
        time.sleep(0.01)
    with progress.stage("layout", n_steps):
        for done in range(1, n_steps + 1):
            progress.step(done)


@pytest.mark.parametrize("n_steps", [1, 3])
def test_callback_hears_every_stage_and_step_once(n_steps):
    heard = []
    run(Progress(lambda *call: heard.append(call)), n_steps)
    assert heard == [
        ("neighbors", 0, 1),
        ("neighbors", 1, 1),
        *(("layout", done, n_steps) for done in range(n_steps + 1)),
    ]


def test_reports_have_time_and_memory():
    progress = Progress()
    run(progress)
    assert [report.stage for report in progress.reports] == ["neighbors", "layout"]
    first = progress.reports[0]
    assert 0.01 <= first.seconds < 1
    assert first.peak_memory_mb > 10
    assert "neighbors" in str(first)
    assert "CPU s" in str(first)


@pytest.mark.parametrize("at", [0, 1])
def test_stopping_before_there_is_a_map(at):
    progress = Progress(lambda stage, done, total: done == at)
    with pytest.raises(FitStopped, match="'neighbors'"), progress.stage("neighbors"):
        pass


def test_only_true_stops():
    run(Progress(lambda *call: "carry on"))


def test_an_error_of_the_callback_passes_through():
    def callback(stage, done, total):
        raise KeyError(stage)

    with pytest.raises(KeyError, match="neighbors"):
        run(Progress(callback))


def test_bar_on_a_terminal_shows_stage_and_time_left():
    stream = Terminal()
    progress = Progress(verbose=True, stream=stream)
    with progress.stage("layout", 10):
        time.sleep(0.15)
        progress.step(5)
    text = stream.getvalue()
    assert text.startswith("\r")
    assert "layout" in text
    assert "s left" in text
    assert text.endswith("\n")


def test_a_finished_stage_shows_what_it_took():
    for stream in (Terminal(), io.StringIO()):
        run(Progress(verbose=True, stream=stream))
        last = stream.getvalue().splitlines()[-1]
        assert "layout" in last
        assert "CPU s" in last
        assert "MB peak" in last


def test_elsewhere_one_line_per_stage():
    stream = io.StringIO()
    run(Progress(verbose=True, stream=stream))
    assert len(stream.getvalue().splitlines()) == 2
    assert "\r" not in stream.getvalue()


def test_silent_unless_asked(capsys):
    run(Progress())
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
