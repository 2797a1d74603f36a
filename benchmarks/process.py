"""One job in a process of its own: its command, its output, and why it failed if it did."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from .methods import METHODS
from .plan import FIRST_EVER, FIRST_LARGE, WITH_QUALITY, Job
from .records import Run
from .targets import NOT_INSTALLED

ROOT = Path(__file__).parent.parent
OUT_OF_MEMORY_SIGNS = ("MemoryError", "bad_alloc", "Unable to allocate", "Cannot allocate memory")


def run_alone(job: Job, folder: Path, limit: float) -> Run:
    """What a job costs, or why it gave nothing; its map goes into ``folder`` if its quality is measured."""
    if not METHODS[job.method].method.is_installed:
        return {"failed": NOT_INSTALLED}
    began = time.perf_counter()
    code, output, errors = output_of(command_of(job, folder), environment_of(job, folder), limit)
    if code != 0:
        return {"failed": reason(code, errors)}
    return {**json.loads(output.splitlines()[-1]), "process_wall": time.perf_counter() - began}


def command_of(job: Job, folder: Path) -> list[str]:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.run_one", job.method, job.data]
    command += ["--jobs", str(job.jobs), "--start", job.start]
    if job.epochs is not None:
        command += ["--epochs", str(job.epochs)]
    if job.data in WITH_QUALITY:
        command += ["--map", str(folder.resolve() / job.file_name)]
    return command


def environment_of(job: Job, folder: Path) -> dict[str, str]:
    """Each package has a cache of compiled code to itself, which is emptied before a first fit."""
    compiled = folder.resolve() / "compiled" / METHODS[job.method].method.module
    if job.start in (FIRST_EVER, FIRST_LARGE):
        shutil.rmtree(compiled, ignore_errors=True)
    return {**os.environ, "NUMBA_CACHE_DIR": str(compiled)}


def output_of(command: list[str], environment: dict[str, str], limit: float) -> tuple[int, str, str]:
    """Exit code, output and errors of a process; if it takes too long, it is ended with all that it started."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, env=environment, cwd=ROOT, start_new_session=True
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
