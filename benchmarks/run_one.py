"""One method on one data set in its own process: JSON on the last line, the map in a file if asked for."""

from __future__ import annotations

import argparse
import json
import resource
import time
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np

from lab.files import save_embedding
from lab.recall import recall

from .data import Data, load
from .methods import METHODS, Entry, Fit
from .plan import ALL_CORES, FIRST_EVER, FIRST_LARGE, FRESH, WARM, WITH_QUALITY

# Above 4,096 rows umap-learn and above 10,000 featMAP search approximately, with code that is compiled on its own.
WARM_UP_ROWS = 11_000
WARM_UP_EPOCHS = 20
MEMORY_LIMIT = 22 * 2**30

Figures = dict[str, object]


def memory_mb(kind: str) -> float:
    """VmRSS is what this process holds now, VmHWM the most it held (getrusage would inherit the parent's)."""
    return int(Path("/proc/self/status").read_text().split(f"{kind}:")[1].split()[0]) / 2**10


def forget_peak() -> None:
    """Let VmHWM begin anew, where the system allows it."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def timed_fit(entry: Entry, data: Data, n_epochs: int | None, n_jobs: int) -> tuple[Fit, Figures]:
    wall, cpu = time.perf_counter(), time.process_time()
    fit = entry.fit(data, n_epochs, n_jobs)
    return fit, {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "stages": fit.stages}


def prepare(start: str, entry: Entry, data: Data, n_jobs: int) -> None:
    """Compile what such a start has compiled already."""
    if start == WARM:
        fit = entry.fit(replace(data, X=data.X[:WARM_UP_ROWS]), WARM_UP_EPOCHS, n_jobs)
        if fit.importance:
            fit.importance()
    elif start == FIRST_LARGE:
        entry.fit(load("digits"), WARM_UP_EPOCHS, n_jobs)


def importance_seconds(fit: Fit) -> Figures:
    if fit.importance is None:
        return {}
    cpu = time.process_time()
    fit.importance()
    return {"importance_cpu": time.process_time() - cpu}


def recall_of(fit: Fit, data: Data) -> Figures:
    return {"recall": recall(data.X, fit.neighbors(), data.metric)} if fit.neighbors else {}


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("data", help='mnist, digits, survey, tfidf, rows of sheets, or "gaussian" and rows')
    parser.add_argument("--epochs", type=int, help="the method's own default unless given")
    parser.add_argument("--jobs", type=int, default=ALL_CORES)
    parser.add_argument("--start", choices=(FIRST_EVER, FIRST_LARGE, FRESH, WARM), default=WARM)
    parser.add_argument("--map", type=Path)
    return parser.parse_args()


def main() -> None:
    arguments = parsed_arguments()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    entry, start = METHODS[arguments.method], arguments.start
    if start == WARM:
        import_module(entry.method.module)
    interpreter_mb = memory_mb("VmRSS")
    data = load(arguments.data)
    prepare(start, entry, data, arguments.jobs)
    forget_peak()
    fit, result = timed_fit(entry, data, arguments.epochs, arguments.jobs)
    result |= {"peak_mb": memory_mb("VmHWM"), "interpreter_mb": interpreter_mb, "data_mb": data.mb}
    if not np.isfinite(fit.embedding).all():
        raise SystemExit("the map is not finite")
    if arguments.map:
        save_embedding(arguments.map, fit.embedding)
    if arguments.data in WITH_QUALITY:
        result |= importance_seconds(fit)
    if start == WARM:
        result |= recall_of(fit, data)
    if start == FIRST_LARGE:
        result["cpu_again"] = timed_fit(entry, data, arguments.epochs, arguments.jobs)[1]["cpu"]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
