"""One method on one data set in its own process: JSON on the last line, the map in a file if asked for."""

from __future__ import annotations

import argparse
import json
import resource
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import numpy as np

from lab.files import save_embedding

from .data import load
from .methods import METHODS, Entry, Fit
from .plan import ALL_CORES, FIRST_EVER, FRESH, WARM

# Above 4,096 rows umap-learn and above 10,000 featMAP search approximately, with code that is compiled on its own.
WARM_UP_ROWS = 11_000
MEMORY_LIMIT = 16 * 2**30


def memory_mb(kind: str) -> float:
    """VmRSS is what this process holds now, VmHWM the most it held (getrusage would inherit the parent's)."""
    return int(Path("/proc/self/status").read_text().split(f"{kind}:")[1].split()[0]) / 2**10


def forget_peak() -> None:
    """Let VmHWM begin anew, where the system allows it."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def timed_fit(entry: Entry, X: np.ndarray, n_epochs: int, n_jobs: int) -> tuple[Fit, dict[str, object]]:
    wall, cpu = time.perf_counter(), time.process_time()
    fit = entry.fit(X, n_epochs, n_jobs)
    return fit, {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "stages": fit.stages}


def warm_up(entry: Entry, X: np.ndarray, n_jobs: int) -> None:
    fit = entry.fit(X[:WARM_UP_ROWS], 20, n_jobs)
    if fit.importance:
        fit.importance()


def importance_seconds(fit: Fit) -> dict[str, float]:
    if fit.importance is None:
        return {}
    cpu = time.process_time()
    fit.importance()
    return {"importance_cpu": time.process_time() - cpu}


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=ALL_CORES)
    parser.add_argument("--start", choices=(FIRST_EVER, FRESH, WARM), default=WARM, help="only warm begins warmed up")
    parser.add_argument("--map", type=Path)
    return parser.parse_args()


def main() -> None:
    arguments = parsed_arguments()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    entry = METHODS[arguments.method]
    is_warm = arguments.start == WARM
    if is_warm:
        import_module(entry.method.module)
    interpreter_mb = memory_mb("VmRSS")
    X, _ = load(arguments.data)
    if is_warm:
        warm_up(entry, X, arguments.jobs)
    forget_peak()
    fit, result = timed_fit(entry, X, arguments.epochs, arguments.jobs)
    result |= {"peak_mb": memory_mb("VmHWM"), "interpreter_mb": interpreter_mb}
    if not np.isfinite(fit.embedding).all():
        raise SystemExit("the map is not finite")
    if arguments.map:
        save_embedding(arguments.map, fit.embedding)
    print(json.dumps(result | importance_seconds(fit)))


if __name__ == "__main__":
    main()
