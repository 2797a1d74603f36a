"""What was promised of speed, memory and recall, beside what was measured."""

from __future__ import annotations

from dataclasses import dataclass

from .data import GAUSSIAN, SURVEY, TFIDF, title
from .plan import EQUAL_EPOCHS, FIRST_EVER, FIRST_LARGE, FRESH, JUST_LARGE, LARGEST, SIZES, WITH_FRAMES
from .records import Results, Run, mb_beyond_data
from .sizes import GROWTH_FROM, exponent, largest_of, line_name, lines

MNIST_MB = 70_000 * 784 * 4 / 2**20
SEEDED_TOLERANCE = 0.05
PEERS = ("UMAP", "densMAP", "PaCMAP", "TriMap", "h-NNE", "openTSNE", "featuremap (authors)")
HARD_DATA = (f"{GAUSSIAN} 100000", f"{GAUSSIAN} 1000000", SURVEY, TFIDF)
NOT_INSTALLED = "not installed"


@dataclass(frozen=True)
class Target:
    """What was promised and what came of it; ``reached`` is None where nothing can be said."""

    what: str
    goal: str
    measured: str = "not measured"
    reached: bool | None = None


def all_targets(results: Results) -> list[Target]:
    return [
        *speed_on_mnist(results),
        growth(results),
        million_against_umap(results),
        *(recall_on(results, data) for data in HARD_DATA),
        *memory(results),
        *first_fits(results),
    ]


def speed_on_mnist(results: Results) -> list[Target]:
    ours, framed = (results.finished(method, "mnist") for method in ("featMAP", WITH_FRAMES))
    theirs, densmap = (results.finished(peer, "mnist") for peer in ("UMAP", "densMAP"))
    return [
        equal_epochs(results),
        at_most("MNIST, both at their defaults: CPU seconds against UMAP", ratio(ours, theirs), 0.20),
        at_most("the same against densMAP", ratio(ours, densmap), 0.25),
        stated("the same with tangent spaces and frames, against UMAP", ratio(framed, theirs)),
        ahead_of_all(results),
        serial_share(results),
        seeded(results),
        at_most("importance of all 70,000 × 784", framed and framed.get("importance_cpu"), 5, "CPU s"),
    ]


def memory(results: Results) -> list[Target]:
    mnist, largest = (mb_beyond_data(results.finished("featMAP", data)) for data in ("mnist", str(SIZES[-1])))
    gb, framed = largest and largest / 2**10, mb_beyond_data(results.finished(WITH_FRAMES, "mnist"))
    return [
        at_most("MNIST: peak memory beyond the data", mnist, 2 * MNIST_MB + 300, "MB"),
        at_most(f"{SIZES[-1]:,} × 50: peak memory beyond the data", gb, 4, "GB"),
        stated("MNIST with tangent spaces and frames: peak memory beyond the data", framed, "MB"),
        ten_million(results),
    ]


def first_fits(results: Results) -> list[Target]:
    first, fresh = (results.finished("featMAP", "digits", start=start) for start in (FIRST_EVER, FRESH))
    large, framed = (
        results.finished("featMAP", JUST_LARGE, start=FIRST_LARGE),
        results.finished(WITH_FRAMES, "digits", start=FIRST_EVER),
    )
    return [
        at_most("first fit ever, on digits, compilation included", first and first["cpu"], 6, "CPU s"),
        stated("the same with tangent spaces and frames", framed and framed["cpu"], "CPU s"),
        at_most("first above 10,000 rows: compilation", large and large["cpu"] - large["cpu_again"], 3, "CPU s"),
        at_most("digits in a fresh process, compiled before, all included", fresh and fresh["process_wall"], 4, "s"),
        at_most("`import featmap`", results.imports.get("import featmap"), 0.5, "s"),
        at_most("`from featmap import FeatMAP` against `import sklearn.base`", import_ratio(results), 1.3),
    ]


def at_most(what: str, measured: float | None, limit: float, unit: str = "", beside: str = "") -> Target:
    goal = f"≤ {in_units(limit, unit)}"
    return (
        Target(what, goal)
        if measured is None
        else Target(what, goal, in_units(measured, unit) + beside, measured <= limit)
    )


def stated(what: str, measured: float | None, unit: str = "") -> Target:
    return Target(what, "stated") if measured is None else Target(what, "stated", in_units(measured, unit))


def in_units(value: float, unit: str) -> str:
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.2f} {unit}".strip()


def ratio(ours: Run | None, theirs: Run | None, figure: str = "cpu") -> float | None:
    return ours[figure] / theirs[figure] if ours and theirs else None


def equal_epochs(results: Results) -> Target:
    """Beside it what a user gets who leaves our epochs at their default."""
    equal, default = (results.finished("featMAP", "mnist", epochs=epochs) for epochs in (EQUAL_EPOCHS, None))
    theirs = results.finished("UMAP", "mnist", epochs=EQUAL_EPOCHS)
    beside = f" (featMAP at its default: {ratio(default, theirs):.2f})" if default and theirs else ""
    what = f"MNIST, both at {EQUAL_EPOCHS} epochs: CPU seconds against UMAP"
    return at_most(what, ratio(equal, theirs), 0.10, beside=beside)


def serial_share(results: Results) -> Target:
    """With two threads T = S + (C − S)/2 for wall T, CPU C and serial seconds S, so that S/C = 2T/C − 1.

    The ratio of walls counts as well what two threads cost each other.
    """
    one, two = (results.finished("featMAP", "mnist", jobs=jobs) for jobs in (1, 2))
    share = two and 2 * two["wall"] / two["cpu"] - 1
    walls = ratio(two, one, "wall")
    beside = f" (wall seconds of 2 threads against 1: {walls:.2f})" if walls else ""
    return at_most("MNIST: serial share of the CPU seconds with 2 threads", share, 0.05, beside=beside)


def seeded(results: Results) -> Target:
    what, goal = "MNIST: CPU seconds seeded against unseeded", f"1.0 (up to {1 + SEEDED_TOLERANCE} is noise)"
    ours = ratio(results.finished("featMAP", "mnist"), results.finished("featMAP (unseeded)", "mnist"))
    if ours is None:
        return Target(what, goal)
    theirs = ratio(results.finished("UMAP (seeded)", "mnist", jobs=1), results.finished("UMAP", "mnist"), "wall")
    beside = f" (UMAP, wall: {theirs:.2f})" if theirs else ""
    return Target(what, goal, f"{ours:.2f}{beside}", ours <= 1 + SEEDED_TOLERANCE)


def import_ratio(results: Results) -> float | None:
    ours, base = (results.imports.get(name) for name in ("from featmap import FeatMAP", "import sklearn.base"))
    return ours / base if ours and base else None


def growth(results: Results) -> Target:
    sheets, hard = (lines(results).get(line_name("featMAP", data), {}) for data in (str(SIZES[-1]), GAUSSIAN))
    of_hard = exponent(hard, largest_of(hard))
    beside = f" (Gaussian, to {largest_of(hard):,} rows: {of_hard:.2f})" if of_hard is not None else ""
    what = f"sheets: growth of CPU seconds from {GROWTH_FROM:,} to {SIZES[-1]:,} rows, exponent"
    return at_most(what, exponent(sheets, SIZES[-1]), 1.10, beside=beside)


def recall_on(results: Results, data: str) -> Target:
    what, limit = f"recall of the neighbours, {title(data)}", 0.95
    run = results.finished("featMAP", data)
    if run is None:
        return Target(what, f"≥ {limit}")
    return Target(what, f"≥ {limit}", f"{run['recall']:.3f}", run["recall"] >= limit)


def ten_million(results: Results) -> Target:
    what, goal = f"{LARGEST:,} × 50, run on request: time and peak memory beyond the data", "stated"
    run = results.find("featMAP", str(LARGEST))
    if run is None or "failed" in run:
        return Target(what, goal, *([run["failed"]] if run else []))
    figures = f"{run['cpu']:.0f} CPU s, {run['wall']:.0f} s, {mb_beyond_data(run) / 2**10:.1f} GB"
    return Target(what, goal, figures)


def million_against_umap(results: Results) -> Target:
    what, limit = "1,000,000 × 50, both at their defaults: CPU seconds against UMAP, if that finishes", 0.5
    ours, theirs = results.finished("featMAP", "1000000"), results.find("UMAP", "1000000")
    if ours and theirs and "failed" in theirs:
        return Target(what, f"≤ {limit:.2f}", f"UMAP: {theirs['failed']}")
    return at_most(what, ratio(ours, theirs), limit)


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
