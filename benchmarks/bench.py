"""Time and quality of featMAP and its peers, each in its own process, on the same data in the same run.

``make bench`` runs everything, ``make bench-quick`` a small form. A run that was stopped goes on where it was. Writes
results.json, results.md and two pictures into the folder named.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from data import load
from machine import code_of_featmap, describe_machine, measure_imports
from methods import METHODS
from plan import FIRST_EVER, WITH_QUALITY, Job, full_plan, quick_plan
from quality import (
    cross_validated_accuracy,
    data_neighbors,
    held_out_accuracy,
    isotropic_correlation,
    sampled_continuity,
    sampled_trustworthiness,
)
from records import Results, Run, load_results, save_results
from report import write_report
from targets import NOT_INSTALLED

HERE = Path(__file__).parent
LIMIT = 15 * 60
QUICK_LIMIT = 160  # for all jobs; with imports and report within three minutes
OUT_OF_MEMORY_SIGNS = ("MemoryError", "bad_alloc", "Unable to allocate", "Cannot allocate memory")


def run(job: Job, folder: Path, limit: float) -> Run:
    """The figures of one job, or why there are none."""
    if find_spec(METHODS[job.method].module) is None:
        return {"failed": NOT_INSTALLED}
    map_file = folder / job.file_name
    began = time.perf_counter()
    code, output, errors = output_of(command_of(job, map_file), environment_of(job, folder), limit)
    if code != 0:
        return {"failed": reason(code, errors)}
    result = {**json.loads(output.splitlines()[-1]), "process_wall": time.perf_counter() - began}
    if job.data in WITH_QUALITY:
        result["quality"] = quality(job.data, np.load(map_file))
    return result


def command_of(job: Job, map_file: Path) -> list[str]:
    command = [sys.executable, "-W", "ignore", str(HERE / "run_one.py"), job.method, job.data]
    command += ["--epochs", str(job.epochs), "--jobs", str(job.jobs), "--start", job.start]
    return [*command, "--map", str(map_file)] if job.data in WITH_QUALITY else command


def environment_of(job: Job, folder: Path) -> dict[str, str]:
    """Each method keeps its compiled code to itself; before a first fit ever there is none."""
    compiled = folder / "compiled" / METHODS[job.method].package
    if job.start == FIRST_EVER:
        shutil.rmtree(compiled, ignore_errors=True)
    return {**os.environ, "NUMBA_CACHE_DIR": str(compiled)}


def output_of(command: list[str], environment: dict[str, str], limit: float) -> tuple[int, str, str]:
    """Exit code, output and errors of a process; if it is cut short, nothing that it started lives on."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, env=environment, start_new_session=True
    ) as process:
        try:
            output, errors = process.communicate(timeout=limit)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, output, errors


def reason(code: int, errors: str) -> str:
    """Why a process failed, in a few words."""
    if code == -signal.SIGKILL or any(sign in errors for sign in OUT_OF_MEMORY_SIGNS):
        return "out of memory"
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    return (errors.strip().splitlines() or [f"exit code {code}"])[-1][:200]


@cache
def data_with_neighbors(name: str) -> tuple[np.ndarray, np.ndarray, Any]:
    X, y = load(name)
    return X, y, data_neighbors(X)


def quality(data: str, Y: np.ndarray) -> dict[str, float | None]:
    X, y, neighbors = data_with_neighbors(data)
    figures = {
        "accuracy": held_out_accuracy(Y, y) if data == "mnist" else cross_validated_accuracy(Y, y),
        "trustworthiness": sampled_trustworthiness(X, Y),
        "continuity": sampled_continuity(X, Y),
        "radii": isotropic_correlation(neighbors, Y),
    }
    return {name: float(value) if np.isfinite(value) else None for name, value in figures.items()}


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="digits and small sizes; needs no data")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    parser.add_argument("--folder", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
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
