"""Results of the benchmarks as Markdown tables."""

from __future__ import annotations

from collections.abc import Callable

from lab.pages import table
from lab.quality import DENSITY, TEN_NEIGHBORS

from .data import title
from .plan import ALL_CORES, FIRST_EVER, FIRST_LARGE, FRESH, WARM, WITH_FRAMES
from .records import Results, Run, by_seconds, mb_beyond_data
from .sizes import GROWTH_FROM, Line, exponent, largest_of, lines
from .targets import Target

QUALITY = {
    TEN_NEIGHBORS: "10-NN accuracy",
    "trustworthiness": "trustworthiness",
    "continuity": "continuity",
    DENSITY: "density correlation",
}
STARTS = {
    FIRST_EVER: "first fit ever, compilation included",
    FIRST_LARGE: "first above 10,000 rows, after digits; compilation included",
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
    head = ["method", "epochs", "threads", "CPU s", "wall s", "MB beyond the data", *QUALITY.values()]
    return table(head, [method_cells(run) for run in sorted(runs, key=by_seconds)])


def method_cells(run: Run) -> list[str]:
    cells = [run["method"], epochs(run), threads(run)]
    if "failed" in run:
        return [*cells, escaped(run["failed"])]
    quality = [figure(run.get("quality", {}).get(name)) for name in QUALITY]
    return [*cells, f"{run['cpu']:.1f}", f"{run['wall']:.1f}", f"{mb_beyond_data(run):.0f}", *quality]


def seconds_table(results: Results) -> str:
    """CPU seconds by rows, with the exponent of every line that has one."""
    head, *rows = by_sizes(results, lambda run: f"{run['cpu']:.1f}")
    ends = [growth(line) for line in lines(results).values()]
    return table(
        [*head, f"exponent from {GROWTH_FROM:,}"], [[*row, end] for row, end in zip(rows, ends, strict=True)]
    )


def growth(line: Line) -> str:
    slope = exponent(line, largest_of(line))
    return "" if slope is None else f"{slope:.2f} (to {largest_of(line):,})"


def memory_table(results: Results) -> str:
    head, *rows = by_sizes(results, lambda run: f"{mb_beyond_data(run):.0f}")
    return table(head, rows)


def by_sizes(results: Results, cell: Callable[[Run], str]) -> list[list[str]]:
    """A head of all sizes, and the cells of each line under it."""
    by_name = lines(results)
    sizes = sorted({rows for line in by_name.values() for rows in line})
    cells = [
        [name, *(or_reason(line[rows], cell) if rows in line else "" for rows in sizes)]
        for name, line in by_name.items()
    ]
    return [["method", *(f"{rows:,}" for rows in sizes)], *cells]


def recall_table(results: Results) -> str:
    """Of every method that tells its neighbours, at its defaults."""
    runs = [run for run in results.rows() if "recall" in run and run["epochs"] is None and run["jobs"] == ALL_CORES]
    methods = list(dict.fromkeys(run["method"] for run in runs))
    found = {(run["data"], run["method"]): run["recall"] for run in runs}
    data = dict.fromkeys(run["data"] for run in runs)
    rows = [[title(name), *(figure(found.get((name, method))) for method in methods)] for name in data]
    return table(["data", *methods], rows)


def start_table(results: Results) -> str:
    runs = [run for run in results.rows() if run["data"] == "digits" or run["start"] == FIRST_LARGE]
    rows = []
    for run in sorted(runs, key=lambda run: (run["method"], list(STARTS).index(run["start"]))):
        figures = [escaped(run["failed"])] if "failed" in run else [f"{run['cpu']:.2f}", f"{run['wall']:.2f}"]
        rows.append([run["method"], title(run["data"]), STARTS[run["start"]], *figures])
    rows += [
        [f"`{statement}`", "", "fresh process", "", f"{wall:.2f}"] for statement, wall in results.imports.items()
    ]
    return table(["method", "data", "start", "CPU s", "wall s"], rows)


def stage_table(results: Results) -> str:
    runs = [
        run
        for run in results.rows()
        if run.get("stages") and run["start"] == WARM and run["method"] in ("featMAP", WITH_FRAMES)
    ]
    stages = list(dict.fromkeys(stage for run in runs for stage in run["stages"]))
    rows = [
        [
            run["method"],
            title(run["data"]),
            epochs(run),
            threads(run),
            *(f"{run['stages'].get(stage, 0):.2f}" for stage in stages),
        ]
        for run in runs
    ]
    return table(["method", "data", "epochs", "threads", *stages], rows)


def epochs(run: Run) -> str:
    return "default" if run["epochs"] is None else str(run["epochs"])


def threads(run: Run) -> str:
    return "all" if run["jobs"] == ALL_CORES else str(run["jobs"])


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


def figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def or_reason(run: Run, cell: Callable[[Run], str]) -> str:
    return escaped(run["failed"]) if "failed" in run else cell(run)
