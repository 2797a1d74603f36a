"""Time and quality of featMAP and its peers, each in its own process, on the same data in the same run.

``make bench`` runs everything, ``make bench-quick`` a small form. A run that was stopped goes on where it was. Writes
results.json, results.md and two pictures into the folder named.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np

from lab.quality import Quality

from .data import load
from .machine import code_of_featmap, describe_machine, measure_imports
from .plan import WITH_QUALITY, Job, full_plan, quick_plan
from .process import run_alone
from .records import Results, Run, load_results, save_results
from .report import write_report
from .tables import QUALITY
from .targets import NOT_INSTALLED

HERE = Path(__file__).parent
LIMIT = 15 * 60
QUICK_LIMIT = 160  # for all jobs; with imports and report within three minutes


def run(job: Job, folder: Path, limit: float) -> Run:
    """What one job costs and how good its map is, or why there is none."""
    result = run_alone(job, folder, limit)
    if job.data in WITH_QUALITY and "failed" not in result:
        result["quality"] = quality(job.data, np.load(folder / job.file_name))
    return result


@cache
def quality_of(data: str) -> Quality:
    return Quality(*load(data))


def quality(data: str, embedding: np.ndarray) -> dict[str, float | None]:
    scores = quality_of(data).of(embedding)
    return {name: scores[name] if np.isfinite(scores[name]) else None for name in QUALITY}


def still_good(results: Results, plan: list[Job], code: str) -> dict[str, Run]:
    """Runs of this plan that need not be run again: ours only of the same code, a peer's only if it was installed."""
    kept = {job.key: results.runs[job.key] for job in plan if job.key in results.runs}
    return {
        key: run for key, run in kept.items() if run["code"] in (None, code) and run.get("failed") != NOT_INSTALLED
    }


def run_missing(plan: list[Job], results: Results, code: str, folder: Path, deadline: float) -> None:
    missing = [job for job in plan if job.key not in results.runs]
    print(f"{len(missing)} of {len(plan)} jobs to run, at most {LIMIT // 60} minutes each, in this order:")
    print("\n".join(f"  {job.key}" for job in missing), flush=True)
    for number, job in enumerate(missing, 1):
        print(f"[{number}/{len(missing)}] {job.key}", end=": ", flush=True)
        limit = min(LIMIT, deadline - time.monotonic())
        try:
            result = run(job, folder, limit)
        except subprocess.TimeoutExpired:
            if limit < LIMIT:
                print("no time left in the quick form; the same command runs the rest")
                return
            result = {"failed": f"more than {LIMIT // 60} minutes"}
        results.runs[job.key] = {**asdict(job), "code": code if job.is_ours else None, **result}
        save_results(results, folder / "results.json")
        print(result.get("failed") or f"{result['cpu']:.1f} CPU s, {result['wall']:.1f} s", flush=True)


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="digits and small sizes; needs no data")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    parser.add_argument("--folder", type=Path, default=HERE / "results")
    return parser.parse_args()


def main() -> None:
    arguments = parsed_arguments()
    deadline = time.monotonic() + (QUICK_LIMIT if arguments.quick else float("inf"))
    if not arguments.quick:
        load("mnist")  # better to know now than in an hour

    plan = quick_plan() if arguments.quick else full_plan()
    folder = arguments.folder / ("quick" if arguments.quick else "full")
    if arguments.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)

    code = code_of_featmap()
    results = load_results(folder / "results.json")
    results = Results(describe_machine(), measure_imports(), still_good(results, plan, code))
    try:
        run_missing(plan, results, code, folder, deadline)
    except KeyboardInterrupt:
        sys.exit("\nstopped; the same command goes on from here")
    finally:
        save_results(results, folder / "results.json")
        write_report(results, folder)
    print(f"see {folder / 'results.md'}")


if __name__ == "__main__":
    main()
