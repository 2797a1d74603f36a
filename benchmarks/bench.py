"""Time and quality of featMAP and its peers, each in its own process, on the same data in the same run.

``make bench`` runs everything, ``make bench-quick`` a small form. A run that was stopped goes on where it was. Writes
results.json, results.md and two pictures into the folder named. ``python -m benchmarks.bench --only mnist survey``
runs only some of the jobs, ``--only 10000000`` one that takes too long to be among the others.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from dataclasses import asdict
from functools import cache
from math import ceil
from pathlib import Path

import numpy as np

from lab.quality import Quality

from .data import load
from .machine import code_of_featmap, describe_machine, measure_imports
from .plan import WITH_QUALITY, Job, chosen, full_plan, on_request, quick_plan
from .process import run_alone
from .records import Results, Run, load_results, save_results
from .report import write_report
from .tables import QUALITY
from .targets import NOT_INSTALLED

HERE = Path(__file__).parent
QUICK_LIMIT = 160  # for all jobs; with imports and report within three minutes


def run(job: Job, folder: Path, limit: float) -> Run:
    """What one job costs and how good its map is, or why there is none."""
    result = run_alone(job, folder, limit)
    if job.data in WITH_QUALITY and "failed" not in result:
        result["quality"] = quality(job.data, np.load(folder / job.file_name))
    return result


@cache
def quality_of(data: str) -> Quality:
    loaded = load(data)
    return Quality(loaded.X, loaded.labels)


def quality(data: str, embedding: np.ndarray) -> dict[str, float | None]:
    scores = quality_of(data).of(embedding)
    return {name: scores[name] if np.isfinite(scores[name]) else None for name in QUALITY}


def kept_runs(results: Results, known: list[Job], asked: list[Job], code: str) -> dict[str, Run]:
    """Runs that need not be run again, and those of jobs that nobody asked for now."""
    runs = {job: results.runs[job.key] for job in known if job.key in results.runs}
    return {job.key: run for job, run in runs.items() if job not in asked or is_still_good(run, code)}


def is_still_good(run: Run, code: str) -> bool:
    """Ours only of the same code, a peer's only if it was installed; both only with every figure that is read now."""
    is_whole = "failed" in run or "data_mb" in run
    return is_whole and run["code"] in (None, code) and run.get("failed") != NOT_INSTALLED


def forget(results: Results, jobs: list[Job]) -> None:
    for job in jobs:
        results.runs.pop(job.key, None)


def run_missing(jobs: list[Job], results: Results, code: str, folder: Path, deadline: float) -> None:
    missing = [job for job in jobs if job.key not in results.runs]
    print(f"{len(missing)} of {len(jobs)} jobs to run, {longest_time(missing, deadline)}, in this order:")
    print("\n".join(f"  {job.key}" for job in missing), flush=True)
    for number, job in enumerate(missing, 1):
        print(f"[{number}/{len(missing)}] {job.key}", end=": ", flush=True)
        limit = min(60 * job.minutes, deadline - time.monotonic())
        try:
            result = run(job, folder, limit)
        except subprocess.TimeoutExpired:
            if limit < 60 * job.minutes:
                print("no time left in the quick form; the same command runs the rest")
                return
            result = {"failed": f"more than {job.minutes} minutes"}
        results.runs[job.key] = {**asdict(job), "code": code if job.is_ours else None, **result}
        save_results(results, folder / "results.json")
        print(result.get("failed") or f"{result['cpu']:.1f} CPU s, {result['wall']:.1f} s", flush=True)


def longest_time(jobs: list[Job], deadline: float) -> str:
    """How long the jobs can take, quality of maps aside."""
    minutes = min(sum(job.minutes for job in jobs), max(deadline - time.monotonic(), 0) / 60)
    return f"at most {ceil(minutes)} minutes" if minutes < 100 else f"at most {ceil(minutes / 60)} hours"


def asked_for(plan: list[Job], known: list[Job], texts: list[str] | None) -> list[Job]:
    """The plan, or the jobs that are named."""
    if texts is None:
        return plan
    jobs = chosen(known, texts)
    if not jobs:
        keys = "\n".join(f"  {job.key}" for job in known)
        sys.exit(f"--only {' '.join(texts)}: no job has one of these words in its name; the jobs are\n{keys}")
    return jobs


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="digits and small sizes; needs no data")
    parser.add_argument(
        "--fresh", action="store_true", help="forget what was measured before, with --only of these jobs"
    )
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="run the jobs whose name contains one of the texts")
    parser.add_argument("--folder", type=Path, default=HERE / "results")
    return parser.parse_args()


def main() -> None:
    arguments = parsed_arguments()
    deadline = time.monotonic() + (QUICK_LIMIT if arguments.quick else float("inf"))
    plan = quick_plan() if arguments.quick else full_plan()
    known = plan if arguments.quick else plan + on_request()
    asked = asked_for(plan, known, arguments.only)
    if any(job.data == "mnist" for job in asked):
        load("mnist")  # better to know now than in an hour

    folder = arguments.folder / ("quick" if arguments.quick else "full")
    code = code_of_featmap()
    before = load_results(folder / "results.json")
    if arguments.fresh:
        forget(before, asked if arguments.only else known)
    results = Results(describe_machine(), measure_imports(), kept_runs(before, known, asked, code))
    try:
        run_missing(asked, results, code, folder, deadline)
    except KeyboardInterrupt:
        sys.exit("\nstopped; the same command goes on from here")
    finally:
        save_results(results, folder / "results.json")
        write_report(results, folder)
    print(f"see {folder / 'results.md'}")


if __name__ == "__main__":
    main()
