"""One method on one data set in its own process: JSON on the last line, the map in a file if asked for."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np
from data import load
from methods import METHODS

WARM_UP_ROWS = 5000  # above 4,096 umap-learn takes its approximate path, which compiles on its own


def peak_memory_mb() -> float:
    """Of this process since it began (what getrusage says is inherited from the parent)."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 2**10


def timed(method: str, X: np.ndarray, n_epochs: int, n_jobs: int) -> tuple[np.ndarray, dict[str, object]]:
    wall, cpu = time.perf_counter(), time.process_time()
    Y, stages = METHODS[method](X, n_epochs, n_jobs)
    return Y, {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "stages": stages}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--cold", action="store_true", help="time the first fit of the process, import included")
    parser.add_argument("--map", type=Path)
    arguments = parser.parse_args()

    X, _ = load(arguments.data)
    before = peak_memory_mb()
    result: dict[str, object] = {}
    if not arguments.cold:
        _, first = timed(arguments.method, X[:WARM_UP_ROWS], 20, arguments.jobs)
        result["warm_up"] = first["cpu"]
    Y, times = timed(arguments.method, X, arguments.epochs, arguments.jobs)
    if arguments.map:
        temporary = arguments.map.with_suffix(".part.npy")
        np.save(temporary, np.asarray(Y, np.float32))
        os.replace(temporary, arguments.map)
    print(json.dumps({**result, **times, "peak_mb": peak_memory_mb(), "before_mb": before}))


if __name__ == "__main__":
    main()
