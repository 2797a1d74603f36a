"""Targets and report of the benchmarks, on made-up results; nothing is timed here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from benchmarks.bench import still_good
from benchmarks.methods import METHODS
from benchmarks.pictures import BY_METHOD, BY_ROWS
from benchmarks.plan import FIRST_EVER, FRESH, Job, full_plan, quick_plan
from benchmarks.process import command_of, output_of, reason
from benchmarks.publish import BEGIN, END, publish
from benchmarks.records import Results, load_results, save_results
from benchmarks.report import as_markdown, write_report
from benchmarks.targets import all_targets

PEERS = ("UMAP", "densMAP", "PaCMAP", "TriMap", "h-NNE", "openTSNE", "featuremap (authors)")
QUALITY = {"accuracy_of_10": 0.971, "trustworthiness": 0.952, "continuity": 0.963, "density_correlation": None}


def run(job, cpu, **more):
    figures = {"cpu": cpu, "wall": cpu / 2, "process_wall": cpu + 1, "peak_mb": 900.0, "interpreter_mb": 100.0}
    return {**asdict(job), "code": None, **figures, "stages": {}, **more}


def failure(job, why):
    return {**asdict(job), "code": None, "failed": why}


def results_of(*runs):
    imports = {"import featmap": 0.1, "from featmap import FeatMAP": 1.1, "import sklearn.base": 1.0}
    return Results({"processor": "made up"}, imports, {f"run {number}": run for number, run in enumerate(runs)})


@pytest.fixture
def good():
    """Every target reached."""
    stages = {"neighbors": 10.0, "layout": 15.0}
    ours = {"stages": stages, "quality": QUALITY, "importance_cpu": 3.0}
    return results_of(
        run(Job("featMAP", "digits", start=FIRST_EVER), 5.0),
        run(Job("UMAP", "digits", start=FIRST_EVER), 40.0),
        run(Job("featMAP", "digits", start=FRESH), 2.0),
        run(Job("featMAP", "mnist"), 24.0, **ours),
        run(Job("featMAP", "mnist", round=2), 26.0, **ours),
        run(Job("featMAP", "mnist", jobs=1), 25.0, wall=24.0),
        run(Job("featMAP", "mnist", jobs=2), 25.0, wall=13.0),
        run(Job("featMAP (unseeded)", "mnist"), 25.0),
        run(Job("UMAP (seeded)", "mnist", jobs=1), 125.0, wall=125.0),
        *(run(Job(method, "mnist"), 125.0, quality=QUALITY) for method in PEERS),
        *(run(Job("featMAP", str(10**power), 200), 10.0 ** (power - 4)) for power in (3, 4, 5, 6)),
        run(Job("UMAP", "1000000", 200), 400.0),
    )


def without(results, method):
    return Results(
        results.machine, results.imports, {key: r for key, r in results.runs.items() if r["method"] != method}
    )


def measured(results, words):
    return next(target for target in all_targets(results) if words in target.what)


def test_good_results_reach_every_target(good):
    assert [target.what for target in all_targets(good) if not target.reached] == []


def test_the_median_of_rounds_counts(good):
    assert measured(good, "against UMAP").measured == "0.20"


@pytest.mark.parametrize(
    ("words", "job", "more"),
    [
        ("CPU seconds against UMAP", Job("featMAP", "mnist"), {"cpu": 80.0}),
        ("against densMAP", Job("featMAP", "mnist"), {"cpu": 60.0}),
        ("2 threads against 1", Job("featMAP", "mnist", jobs=2), {"wall": 20.0}),
        ("seeded against unseeded", Job("featMAP", "mnist"), {"cpu": 30.0}),
        ("fresh process", Job("featMAP", "digits", start=FRESH), {"process_wall": 5.0}),
        ("first fit ever", Job("featMAP", "digits", start=FIRST_EVER), {"cpu": 20.0}),
        ("beyond the interpreter", Job("featMAP", "mnist"), {"peak_mb": 1100.0}),
        ("exponent", Job("featMAP", "1000000"), {"cpu": 1000.0}),
        ("1,000,000 × 50: peak", Job("featMAP", "1000000"), {"peak_mb": 7000.0}),
        ("1,000,000 × 50, 200 epochs", Job("featMAP", "1000000"), {"cpu": 300.0}),
        ("importance", Job("featMAP", "mnist"), {"importance_cpu": 6.0}),
        ("every peer", Job("h-NNE", "mnist"), {"cpu": 10.0}),
    ],
)
def test_a_worse_figure_misses_its_target(good, words, job, more):
    same = ("method", "data", "jobs", "start")
    for record in good.runs.values():
        if all(record[name] == getattr(job, name) for name in same):
            record.update(more)
    assert measured(good, words).reached is False


def test_seeds_of_umap_stand_beside_ours(good):
    assert measured(good, "seeded").measured == "1.00 (UMAP, wall: 2.00)"


def test_slow_imports_miss_their_targets(good):
    good.imports.update({"import featmap": 0.6, "from featmap import FeatMAP": 1.4})
    assert measured(good, "`import featmap`").reached is False
    assert measured(good, "`from featmap").reached is False


def test_what_was_not_run_is_not_measured():
    targets = all_targets(Results())
    assert {(target.measured, target.reached) for target in targets} == {("not measured", None)}
    assert len(targets) == 14


def test_a_peer_that_fails_is_behind_and_one_that_never_ran_leaves_it_open(good):
    rest = without(good, "TriMap").runs
    failed = Results(runs={**rest, "failed": failure(Job("TriMap", "mnist"), "more than 15 minutes")})
    assert measured(failed, "every peer").reached is True
    absent = Results(runs={**rest, "failed": failure(Job("TriMap", "mnist"), "not installed")})
    assert measured(absent, "every peer").reached is None
    assert "not measured: TriMap" in measured(absent, "every peer").measured


def test_a_million_rows_that_umap_does_not_finish(good):
    job = Job("UMAP", "1000000", 200)
    rest = {key: r for key, r in good.runs.items() if (r["method"], r["data"]) != (job.method, job.data)}
    target = measured(Results(runs={**rest, "failed": failure(job, "out of memory")}), "1,000,000 × 50, 200")
    assert (target.measured, target.reached) == ("UMAP: out of memory", None)


def test_results_survive_the_file(good, tmp_path):
    save_results(good, tmp_path / "results.json")
    assert load_results(tmp_path / "results.json") == good
    assert load_results(tmp_path / "absent.json") == Results()
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def failing():
    return results_of(
        failure(Job("featMAP", "mnist"), "a | b"),
        failure(Job("UMAP", "mnist"), "more than 15 minutes"),
        failure(Job("UMAP", "1000", 200), "out of memory"),
        run(Job("featMAP", "1000", 200), 1.0),
    )


@pytest.mark.parametrize("results", [Results(), failing()], ids=["nothing yet", "failures"])
def test_report_of_partial_results(results, tmp_path):
    write_report(results, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"results.md", "time_by_method.png", "time_by_rows.png"}


def test_report_shows_reasons():
    text = as_markdown(failing())
    assert "more than 15 minutes" in text
    assert "a \\| b" in text
    assert "out of memory" in text


def test_rows_of_a_table_have_as_many_cells_as_its_head(good):
    for text in (as_markdown(good), as_markdown(failing())):
        tables = [part.replace("\\|", "") for part in text.split("\n\n") if part.startswith("|")]
        assert len(tables) == 5
        for table in tables:
            assert len({line.count("|") for line in table.splitlines()}) == 1


def test_the_quality_of_a_map_is_in_the_table(good):
    line = next(line for line in as_markdown(good).splitlines() if line.startswith("| densMAP | all "))
    assert line.endswith("| 0.971 | 0.952 | 0.963 | – |")


def test_publishing_replaces_what_was_published(good, tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text(f"before {BEGIN} was there {END} after")
    (tmp_path / "images").mkdir()
    save_results(good, tmp_path / "results.json")
    for name in (BY_METHOD, BY_ROWS):
        (tmp_path / name).touch()
    publish(tmp_path, readme, tmp_path / "images")
    text = readme.read_text()
    assert text.startswith("before")
    assert text.endswith("after")
    assert "was there" not in text
    assert "](../docs/images/bench_time_by_rows.png)" in text
    assert len(list((tmp_path / "images").iterdir())) == 2


def test_the_readme_has_a_place_for_results():
    text = (Path(__file__).parent.parent / "benchmarks" / "README.md").read_text()
    assert (text.count(BEGIN), text.count(END)) == (1, 1)


@pytest.mark.parametrize("plan", [full_plan(), quick_plan()], ids=["full", "quick"])
def test_jobs_of_a_plan_have_their_own_names(plan):
    assert len({job.key for job in plan}) == len({job.file_name for job in plan}) == len(plan)


@pytest.mark.parametrize("plan", [full_plan(), quick_plan()], ids=["full", "quick"])
def test_every_job_has_a_method(plan):
    assert {job.method for job in plan} <= set(METHODS)


def test_a_job_runs_in_its_own_process(tmp_path):
    """The smallest job there is, so that the command and its output are tried once."""
    job = Job("featMAP", "digits", epochs=5, jobs=1, start=FRESH)
    code, output, errors = output_of(command_of(job, tmp_path), dict(os.environ), limit=300)
    assert code == 0, errors
    assert {"cpu", "wall", "peak_mb", "importance_cpu"} <= set(json.loads(output.splitlines()[-1]))
    assert np.load(tmp_path / job.file_name).shape == (1797, 2)


def test_what_is_kept_when_a_run_goes_on():
    ours, peer, absent = Job("featMAP", "mnist"), Job("UMAP", "mnist"), Job("h-NNE", "mnist")
    runs = {
        ours.key: {"code": "old"},
        peer.key: {"code": None, "failed": "more than 15 minutes"},
        absent.key: {"code": None, "failed": "not installed"},
        "of another plan": {"code": None},
    }
    assert set(still_good(Results(runs=runs), [ours, peer, absent], "new")) == {peer.key}
    assert set(still_good(Results(runs=runs), [ours, peer, absent], "old")) == {ours.key, peer.key}


def test_a_process_cut_short_leaves_no_children(tmp_path):
    mark = tmp_path / "child was here"
    child = f"import time; time.sleep(1); open({str(mark)!r}, 'w')"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    with pytest.raises(subprocess.TimeoutExpired):
        output_of([sys.executable, "-c", parent], {}, limit=0.4)
    time.sleep(1)
    assert not mark.exists()


def test_reasons_of_failures():
    assert (
        reason(-9, "")
        == reason(1, "numpy._core._exceptions._ArrayMemoryError: Unable to allocate")
        == "out of memory"
    )
    assert reason(-11, "") == "ended by SIGSEGV"
    assert reason(1, "Traceback\nValueError: no\n") == "ValueError: no"
    assert reason(3, "") == "exit code 3"
