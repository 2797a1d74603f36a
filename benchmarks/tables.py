"""Results of the benchmarks as Markdown tables."""

from __future__ import annotations

from lab.pages import table
from lab.quality import DENSITY, TEN_NEIGHBORS

from .plan import ALL_CORES, FIRST_EVER, FRESH, WARM
from .records import Results, Run, by_seconds
from .targets import Target

QUALITY = {
    TEN_NEIGHBORS: "10-NN accuracy",
    "trustworthiness": "trustworthiness",
    "continuity": "continuity",
    DENSITY: "density correlation",
}
STARTS = {
    FIRST_EVER: "first fit ever, compilation included",
    FRESH: "first fit of a process, compiled before",
    WARM: "warm",
}


def machine_text(machine: dict[str, str]) -> str:
    return "; ".join(f"{name} {value}" for name, value in machine.items())


def target_table(targets: list[Target]) -> str:
    words = {True: "yes", False: "**no**", None: "–"}
    rows = [[target.what, target.goal, target.measured, words[target.reached]] for target in targets]
    return table(["what", "target", "measured", "reached"], rows)


def method_table(runs: list[Run]) -> str:
    head = ["method", "threads", "CPU s", "wall s", "peak MB", *QUALITY.values()]
    return table(head, [method_cells(run) for run in sorted(runs, key=by_seconds)])


def method_cells(run: Run) -> list[str]:
    cells = [run["method"], threads(run)]
    if "failed" in run:
        return [*cells, escaped(run["failed"])]
    quality = [quality_figure(run.get("quality", {}).get(name)) for name in QUALITY]
    return [*cells, f"{run['cpu']:.1f}", f"{run['wall']:.1f}", f"{run['peak_mb']:.0f}", *quality]


def size_table(results: Results) -> str:
    runs = [run for run in results.rows() if run["data"].isdigit()]
    sizes = sorted({int(run["data"]) for run in runs})
    cells = {(run["method"], int(run["data"])): seconds_or_reason(run) for run in runs}
    methods = dict.fromkeys(run["method"] for run in runs)
    rows = [[method, *(cells.get((method, size), "") for size in sizes)] for method in methods]
    return table(["method", *(f"{size:,}" for size in sizes)], rows)


def start_table(results: Results) -> str:
    runs = [run for run in results.rows() if run["data"] == "digits"]
    rows = []
    for run in sorted(runs, key=lambda run: (run["method"], list(STARTS).index(run["start"]))):
        figures = [escaped(run["failed"])] if "failed" in run else [f"{run['cpu']:.2f}", f"{run['wall']:.2f}"]
        rows.append([run["method"], STARTS[run["start"]], *figures])
    rows += [[f"`{statement}`", "fresh process", "", f"{wall:.2f}"] for statement, wall in results.imports.items()]
    return table(["method", "start", "CPU s", "wall s"], rows)


def stage_table(results: Results) -> str:
    runs = [
        run for run in results.rows() if run.get("stages") and run["start"] == WARM and run["method"] == "featMAP"
    ]
    stages = list(dict.fromkeys(stage for run in runs for stage in run["stages"]))
    rows = [[run["data"], threads(run), *(f"{run['stages'][stage]:.2f}" for stage in stages)] for run in runs]
    return table(["data", "threads", *stages], rows)


def threads(run: Run) -> str:
    return "all" if run["jobs"] == ALL_CORES else str(run["jobs"])


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


def quality_figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def seconds_or_reason(run: Run) -> str:
    return escaped(run["failed"]) if "failed" in run else f"{run['cpu']:.1f}"
