"""What a user sees, hears and can stop; and the report of what every stage took."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest

from featmap import FeatMAP
from featmap.errors import FeatmapError, FitStopped, InvalidParameterError
from featmap.run.progress import SHARES, FitReport, Progress, StageReport


class Terminal(io.StringIO):
    def isatty(self):
        return True


def report_two_stages(progress, n_steps=3):
    with progress.stage("neighbors"):
        pass
    with progress.stage("layout"):
        for done in range(1, n_steps + 1):
            progress.step(done, n_steps)


@pytest.fixture
def X(rng):
    return rng.normal(size=(600, 4))


@pytest.mark.parametrize("n_steps", [1, 3])
def test_callback_hears_every_stage_and_step_once(n_steps):
    heard = []
    report_two_stages(Progress(lambda *call: heard.append(call)), n_steps)
    assert heard == [
        ("neighbors", 0, 1),
        ("neighbors", 1, 1),
        ("layout", 0, 1),
        *(("layout", done, n_steps) for done in range(1, n_steps + 1)),
    ]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_callback_hears_movement_within_the_search(n_jobs, metric, X):
    heard = []
    FeatMAP(n_epochs=2, random_state=0, n_jobs=n_jobs, metric=metric).fit(
        X, callback=lambda *call: heard.append(call)
    )
    stages = list(dict.fromkeys(stage for stage, _, _ in heard))
    assert stages == list(SHARES)
    steps = [(done, total) for stage, done, total in heard if stage == "neighbors"]
    assert steps[0] == (0, 1)
    assert steps[-1] == (600, 600)
    assert {total for _, total in steps[1:]} == {600}
    done = [done for done, _ in steps[1:]]
    assert done == sorted(done)
    if n_jobs == 1:  # with threads it is told a few times a second
        assert done == [512, 600]


@pytest.mark.parametrize("at", [0, 1])
def test_stopping_before_there_is_a_map(at):
    progress = Progress(lambda stage, done, total: done == at)
    with pytest.raises(FitStopped, match="'neighbors'"), progress.stage("neighbors"):
        pass


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_stopping_within_the_search(n_jobs, X):
    with pytest.raises(FitStopped, match="'neighbors'"):
        FeatMAP(n_jobs=n_jobs).fit(X, callback=lambda stage, done, total: stage == "neighbors" and done > 1)


def test_only_true_stops():
    report_two_stages(Progress(lambda *call: "carry on"))


def test_an_error_of_the_callback_passes_through():
    def callback(stage, done, total):
        raise KeyError(stage)

    with pytest.raises(KeyError, match="neighbors"):
        report_two_stages(Progress(callback))


def test_a_callback_must_be_a_function():
    with pytest.raises(InvalidParameterError, match=r"fit\(callback='bell'\)"):
        Progress("bell")


@pytest.mark.parametrize("make", [io.StringIO, Terminal])
def test_one_bar_for_the_whole_fit(make):
    """It names the stages, never falls back, ends at 100 %, and every stage leaves a line of what it took."""
    stream = make()
    progress = Progress(verbose=True, stream=stream)
    for name in SHARES:
        with progress.stage(name):
            for done in range(1, 4):
                progress.step(done, 3)
    progress.close()
    text = stream.getvalue()
    parts = [int(part) for part in re.findall(r"(\d+)%\|", text)]
    assert parts[0] == 0
    assert parts == sorted(parts)
    assert parts[-1] == 100
    assert text.count("left") == len(parts)
    for name in SHARES:
        assert len(re.findall(rf"\r{name} +[\d.]+ s +[\d.]+ CPU s +\d+ MB peak\n", text)) == 1
    assert text.endswith("\n")


def test_a_bar_moves_within_stages():
    stream = Terminal()
    progress = Progress(verbose=True, stages=("neighbors", "layout"), stream=stream)
    with progress.stage("neighbors"):
        progress.step(1, 2)
        progress._bar._bar.refresh()  # a bar is drawn a few times a second at most
        progress.step(2, 2)
    progress.close()
    share = SHARES["neighbors"] / (SHARES["neighbors"] + SHARES["layout"])
    assert f"{100 * share / 2:3.0f}%|" in stream.getvalue()


def test_a_fit_shows_a_bar_if_asked(X, capsys):
    FeatMAP(n_epochs=2, random_state=0, verbose=True).fit(X)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "100%" in shown.err
    for name in SHARES:
        assert name in shown.err


def test_a_fit_that_ends_early_takes_its_bar_away(X, capsys):
    from tqdm import tqdm

    with pytest.raises(FitStopped):
        FeatMAP(verbose=True).fit(X, callback=lambda stage, done, total: stage == "graph")
    assert not [bar for bar in tqdm._instances if not bar.disable]
    assert "graph" in capsys.readouterr().err


def test_silent_unless_asked(X, capsys):
    FeatMAP(n_epochs=2, random_state=0).fit(X)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_reports_have_time_and_memory():
    progress = Progress()
    with progress.stage("neighbors"):
        sum(range(100_000))
    report_two_stages(progress)
    assert [report.stage for report in progress.report] == ["neighbors", "neighbors", "layout"]
    first = progress.report[0]
    assert first.seconds > 0
    assert first.cpu_seconds > 0
    assert first.peak_memory_mb > 10


@pytest.fixture
def report():
    return FitReport([StageReport("graph", 1.25, 2.5, 300.0), StageReport("layout", 2.0, 4.0, 200.0)])


def test_a_report_is_a_sequence_of_stages(report):
    assert len(report) == 2
    assert report[0].stage == "graph"
    assert [stage.stage for stage in report] == ["graph", "layout"]
    assert report == FitReport(list(report))
    assert report != FitReport(report[:1])
    assert report.total == StageReport("total", 3.25, 6.5, 300.0)


def test_a_report_prints_as_a_table(report):
    lines = repr(report).splitlines()
    assert [line.split()[0] for line in lines] == ["graph", "layout", "total"]
    assert len({len(line) for line in lines}) == 1
    assert "1.25 s" in lines[0]
    assert "2.50 CPU s" in lines[0]
    assert "300 MB peak" in lines[0]
    assert repr(FitReport()) == "FitReport()"


def test_a_report_is_a_table_in_notebooks(report):
    html = report._repr_html_()
    assert html.startswith("<table>")
    assert html.count("<tr>") == 4
    assert "<th>layout</th><td>2.00</td><td>4.00</td><td>200</td>" in html
    assert "<th>total</th><td>3.25</td>" in html


def test_a_report_as_a_frame(report):
    frame = report.to_frame()
    assert frame.index.tolist() == ["graph", "layout"]
    assert frame.loc["graph"].to_dict() == {"seconds": 1.25, "cpu_seconds": 2.5, "peak_memory_mb": 300.0}


def test_a_fitted_model_has_its_report(X):
    model = FeatMAP(n_epochs=2, random_state=0).fit(X)
    assert model.fit_report_.to_frame().index.tolist() == list(SHARES)
    assert np.isfinite(model.fit_report_.total.seconds)


@pytest.mark.parametrize("true", [True, np.True_])
def test_stopping_at_the_beginning_of_the_layout_is_heard(true, X):
    model = FeatMAP(n_epochs=10, random_state=0).fit(
        X, callback=lambda stage, done, total: true if stage == "layout" and not done else None
    )
    assert model.n_epochs_ == 1


def test_a_fit_that_is_refused_opens_no_bar(X, tmp_path, capsys):
    path = tmp_path / "other"
    path.write_bytes(b"not a checkpoint")
    with pytest.raises(FeatmapError, match="cannot be read"):
        FeatMAP(n_epochs=5, verbose=True).fit(X, checkpoint=path)
    assert capsys.readouterr().err == ""
