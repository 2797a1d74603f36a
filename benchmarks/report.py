"""Results of the benchmarks as Markdown and two pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from plan import ALL_CORES, FIRST_EVER, FRESH, WARM
from records import Results, Run, write_atomically
from targets import Target, all_targets, exponent, seconds_by_rows

BY_METHOD, BY_ROWS = "time_by_method.png", "time_by_rows.png"
QUALITY = ("accuracy", "trustworthiness", "continuity", "radii")
STARTS = {
    FIRST_EVER: "first fit ever, compilation included",
    FRESH: "first fit of a process, compiled before",
    WARM: "warm",
}

# Colours that the colour-blind can tell apart (Okabe and Ito).
OURS, OTHER = "#0072B2", "#9A9A9A"
COLORS = {
    "featMAP": OURS,
    "UMAP": "#D55E00",
    "densMAP": "#CC79A7",
    "PaCMAP": "#009E73",
    "h-NNE": "#E69F00",
    "TriMap": "#56B4E9",
    "openTSNE": "#000000",
}
BACKGROUND = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}  # of names that a line may cross
LABEL_GAP = 0.05  # between the names at the ends of lines, as a part of the height


def write_report(results: Results, folder: Path) -> None:
    """results.md and, beside it, the pictures it shows."""
    by_method(results, main_data(results)).savefig(folder / BY_METHOD, dpi=150)
    by_rows(results).savefig(folder / BY_ROWS, dpi=150)
    write_atomically(folder / "results.md", as_markdown(results))


def main_data(results: Results) -> str:
    return "mnist" if any(run["data"] == "mnist" for run in results.runs.values()) else "digits"


def as_markdown(results: Results, pictures: str = "") -> str:
    """Everything, targets first; ``pictures`` is what comes before the pictures' file names."""
    data = main_data(results)
    parts = [
        machine_text(results.machine),
        "### Targets",
        target_table(all_targets(results)),
        f"### Methods on {data}",
        method_table([run for run in results.rows() if run["data"] == data and run["start"] == WARM]),
        f"![CPU seconds by method]({pictures}{BY_METHOD})",
        "### CPU seconds by rows (50 features)",
        size_table(results),
        f"![CPU seconds against rows]({pictures}{BY_ROWS})",
        "### Cold and warm: digits",
        start_table(results),
        "### featMAP by stage, CPU seconds",
        stage_table(results),
    ]
    return "\n\n".join(parts) + "\n"


def machine_text(machine: dict[str, str]) -> str:
    return "; ".join(f"{name} {value}" for name, value in machine.items())


def target_table(targets: list[Target]) -> str:
    words = {True: "yes", False: "**no**", None: "–"}
    rows = [[target.what, target.goal, target.measured, words[target.reached]] for target in targets]
    return table(["what", "target", "measured", "reached"], rows)


def method_table(runs: list[Run]) -> str:
    head = ["method", "threads", "CPU s", "wall s", "peak MB", *QUALITY]
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


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; short rows are filled up."""
    filled = [[*row, *[""] * (len(head) - len(row))] for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *filled])


def threads(run: Run) -> str:
    return "all" if run["jobs"] == ALL_CORES else str(run["jobs"])


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


def quality_figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def seconds_or_reason(run: Run) -> str:
    return escaped(run["failed"]) if "failed" in run else f"{run['cpu']:.1f}"


def by_seconds(run: Run) -> float:
    return run.get("cpu", np.inf)


def by_method(results: Results, data: str) -> Figure:
    """CPU seconds of every method on one data set, and of the stages of ours."""
    runs = [r for r in results.rows() if (r["data"], r["jobs"], r["start"]) == (data, ALL_CORES, WARM)]
    ours = results.finished("featMAP", data)
    stages = ours["stages"] if ours else {}
    heights = [len(runs) + 1, len(stages) + 1]
    figure = Figure(figsize=(8, 0.33 * sum(heights) + 1.6), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=heights)
    runs = sorted(runs, key=by_seconds)
    colors = [COLORS["featMAP"] if run["method"].startswith("featMAP") else OTHER for run in runs]
    draw_bars(above, [run["method"] for run in runs], [run.get("cpu") for run in runs], colors, reasons(runs))
    above.set(title=f"One map of {data}: CPU seconds, compiled before")
    draw_bars(below, list(stages), list(stages.values()), [OURS] * len(stages), {})
    below.set(title="featMAP by stage: CPU seconds")
    return figure


def reasons(runs: list[Run]) -> dict[int, str]:
    return {place: run["failed"] for place, run in enumerate(runs) if "failed" in run}


def draw_bars(ax: Axes, names: list[str], seconds: list[Any], colors: list[str], failed: dict[int, str]) -> None:
    """One bar per name with its seconds beside it, or the reason why there are none."""
    lengths = [value or 0.0 for value in seconds]
    longest = max(lengths, default=0.0) or 1.0
    ax.barh(range(len(names)), lengths, color=colors)
    for place, length in enumerate(lengths):
        text = f"{length:.1f}" if longest >= 10 else f"{length:.2f}"
        style = "italic" if place in failed else "normal"
        at = (length + 0.01 * longest, place)
        ax.annotate(failed.get(place, text)[:60], at, va="center", fontsize=9, style=style)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlim=(0, 1.12 * longest))
    ax.spines[["top", "right"]].set_visible(False)


def by_rows(results: Results) -> Figure:
    """CPU seconds against rows, each line with its exponent from 10,000 rows on (of all sizes, if they end there)."""
    figure = Figure(figsize=(8, 5.5), layout="constrained")
    ax = figure.add_subplot()
    sized = [run for run in results.rows() if run["data"].isdigit()]
    lines = {method: seconds_by_rows(results, method) for method in dict.fromkeys(run["method"] for run in sized)}
    lines = {method: seconds for method, seconds in lines.items() if seconds}
    for method, seconds in lines.items():
        ax.loglog(
            list(seconds),
            list(seconds.values()),
            "o-",
            color=COLORS.get(method, OTHER),
            linewidth=3 if method == "featMAP" else 1.5,
        )
    ax.set(
        xlabel="rows (50 features)", ylabel="CPU seconds", title="Time against rows, with the exponent of each line"
    )
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    name_lines(ax, lines, {method: line_name(results, method, seconds) for method, seconds in lines.items()})
    failed = [
        f"{run['method']} at {int(run['data']):,} rows: {run['failed'][:60]}" for run in sized if "failed" in run
    ]
    if failed:
        figure.supxlabel("\n".join(failed), fontsize=9, style="italic")
    return figure


def line_name(results: Results, method: str, seconds: dict[int, float]) -> str:
    largest = max(seconds)
    smallest = 10_000 if 10_000 in seconds and largest > 10_000 else min(seconds)
    slope = exponent(results, method, smallest, largest) if largest > smallest else None
    return method if slope is None else f"{method}, {slope:.2f}"


def name_lines(ax: Axes, lines: dict[str, dict[int, float]], names: dict[str, str]) -> None:
    """Each line's name beside its last point, names of the same column moved apart."""
    if not lines:
        return
    columns = {max(seconds) for seconds in lines.values()}
    ax.set_xlim(right=6 * max(columns))  # room for the names
    ax.set_ylim(top=3 * ax.get_ylim()[1])
    low, high = np.log(ax.get_ylim())
    for column in columns:
        ends = {method: seconds[column] for method, seconds in lines.items() if max(seconds) == column}
        height = -np.inf
        for method in sorted(ends, key=lambda method: ends[method]):
            height = max((np.log(ends[method]) - low) / (high - low), height + LABEL_GAP)
            beside = {"transform": ax.get_xaxis_transform(), "va": "center", "fontsize": 9, "bbox": BACKGROUND}
            ax.text(1.2 * column, height, names[method], color=COLORS.get(method, OTHER), **beside)
