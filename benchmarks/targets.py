"""What was promised of speed and memory, beside what was measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .plan import FIRST_EVER, FRESH
from .records import Results, Run

MNIST_MB = 70_000 * 784 * 4 / 2**20
SEEDED_TOLERANCE = 0.05
PEERS = ("UMAP", "densMAP", "PaCMAP", "TriMap", "h-NNE", "openTSNE", "featuremap (authors)")
NOT_INSTALLED = "not installed"


@dataclass(frozen=True)
class Target:
    """What was promised and what came of it; ``reached`` is None where nothing can be said."""

    what: str
    goal: str
    measured: str = "not measured"
    reached: bool | None = None


def all_targets(results: Results) -> list[Target]:
    ours = results.finished("featMAP", "mnist")
    return [
        at_most(
            "MNIST, 500 epochs: CPU seconds against UMAP",
            ratio(ours, results.finished("UMAP", "mnist"), "cpu"),
            0.30,
        ),
        at_most("the same against densMAP", ratio(ours, results.finished("densMAP", "mnist"), "cpu"), 0.25),
        at_most("MNIST: wall seconds of 2 threads against 1", threads_ratio(results), 0.60),
        seeded(results),
        at_most("`import featmap`", results.imports.get("import featmap"), 0.5, "s"),
        at_most("`from featmap import FeatMAP` against `import sklearn.base`", import_ratio(results), 1.3),
        at_most("digits in a fresh process, compiled before, all included", fresh_seconds(results), 4, "s"),
        at_most(
            "first fit ever on digits, compilation included: CPU seconds against UMAP", first_ratio(results), 0.25
        ),
        at_most("MNIST: peak memory beyond the interpreter", beyond_interpreter(ours), 3 * MNIST_MB + 300, "MB"),
        at_most("growth of CPU seconds from 10,000 to 1,000,000 rows: exponent", exponent(results, "featMAP"), 1.2),
        at_most("1,000,000 × 50: peak memory", million_gb(results), 6, "GB"),
        million_against_umap(results),
        at_most("importance of all 70,000 × 784", ours and ours.get("importance_cpu"), 5, "CPU s"),
        ahead_of_all(results),
    ]


def at_most(what: str, measured: float | None, limit: float, unit: str = "") -> Target:
    goal = f"≤ {in_units(limit, unit)}"
    return Target(what, goal) if measured is None else Target(what, goal, in_units(measured, unit), measured <= limit)


def in_units(value: float, unit: str) -> str:
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.2f} {unit}".strip()


def ratio(ours: Run | None, theirs: Run | None, figure: str) -> float | None:
    return ours[figure] / theirs[figure] if ours and theirs else None


def threads_ratio(results: Results) -> float | None:
    two, one = (results.finished("featMAP", "mnist", jobs=jobs) for jobs in (2, 1))
    return ratio(two, one, "wall")


def seeded(results: Results) -> Target:
    what, goal = "MNIST: CPU seconds seeded against unseeded", f"1.0 (up to {1 + SEEDED_TOLERANCE} is noise)"
    ours = ratio(results.finished("featMAP", "mnist"), results.finished("featMAP (unseeded)", "mnist"), "cpu")
    if ours is None:
        return Target(what, goal)
    theirs = ratio(results.finished("UMAP (seeded)", "mnist", jobs=1), results.finished("UMAP", "mnist"), "wall")
    beside = f" (UMAP, wall: {theirs:.2f})" if theirs else ""
    return Target(what, goal, f"{ours:.2f}{beside}", ours <= 1 + SEEDED_TOLERANCE)


def import_ratio(results: Results) -> float | None:
    ours, base = (results.imports.get(name) for name in ("from featmap import FeatMAP", "import sklearn.base"))
    return ours / base if ours and base else None


def fresh_seconds(results: Results) -> float | None:
    run = results.finished("featMAP", "digits", start=FRESH)
    return run and run["process_wall"]


def first_ratio(results: Results) -> float | None:
    ours, theirs = (results.finished(method, "digits", start=FIRST_EVER) for method in ("featMAP", "UMAP"))
    return ratio(ours, theirs, "cpu")


def beyond_interpreter(run: Run | None) -> float | None:
    return run and run["peak_mb"] - run["interpreter_mb"]


def million_gb(results: Results) -> float | None:
    run = results.finished("featMAP", "1000000")
    return run and run["peak_mb"] / 2**10


def million_against_umap(results: Results) -> Target:
    what, limit = "1,000,000 × 50, 200 epochs: CPU seconds against UMAP, if that finishes", 0.5
    ours, theirs = results.finished("featMAP", "1000000"), results.find("UMAP", "1000000")
    if ours and theirs and "failed" in theirs:
        return Target(what, f"≤ {limit:.2f}", f"UMAP: {theirs['failed']}")
    return at_most(what, ratio(ours, theirs, "cpu"), limit)


def exponent(results: Results, method: str, smallest: int = 10_000, largest: int = 1_000_000) -> float | None:
    """The slope of log CPU seconds over log rows; None unless both ends were measured."""
    seconds = seconds_by_rows(results, method)
    if not {smallest, largest} <= set(seconds):
        return None
    sizes = [size for size in seconds if smallest <= size <= largest]
    return float(np.polyfit(np.log(sizes), np.log([seconds[size] for size in sizes]), 1)[0])


def seconds_by_rows(results: Results, method: str) -> dict[int, float]:
    rows = [run for run in results.rows() if run["method"] == method and run["data"].isdigit() and "cpu" in run]
    return {int(run["data"]): run["cpu"] for run in sorted(rows, key=lambda run: int(run["data"]))}


def ahead_of_all(results: Results) -> Target:
    """Ahead of every peer that finished; one that failed is behind, one that never ran leaves the question open."""
    what, goal = "MNIST: CPU seconds against every peer", "ahead of all"
    ours = results.finished("featMAP", "mnist")
    runs = {peer: results.find(peer, "mnist") for peer in PEERS}
    seconds = {peer: run["cpu"] for peer, run in runs.items() if run and "failed" not in run}
    if ours is None or not seconds:
        return Target(what, goal)
    faster = [f"{peer} {cpu:.1f} s" for peer, cpu in seconds.items() if cpu <= ours["cpu"]]
    absent = [peer for peer, run in runs.items() if run is None or run.get("failed") == NOT_INSTALLED]
    next_best = min(seconds, key=lambda peer: seconds[peer])
    notes = [f"featMAP {ours['cpu']:.1f} s"]
    notes.append(f"faster: {', '.join(faster)}" if faster else f"next {next_best} {seconds[next_best]:.1f} s")
    if absent:
        notes.append(f"not measured: {', '.join(absent)}")
    return Target(what, goal, "; ".join(notes), False if faster else (None if absent else True))
