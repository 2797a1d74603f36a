"""Results of the benchmarks as two pictures: time by method, and time against rows."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .plan import ALL_CORES, WARM, WITH_FRAMES
from .records import Results, Run, by_seconds
from .sizes import GROWTH_FROM, ON_GAUSSIAN, Line, exponent, largest_of, lines, seconds_by_rows

BY_METHOD, BY_ROWS = "time_by_method.png", "time_by_rows.png"

# Colours that the colour-blind can tell apart (Okabe and Ito).
OURS, OTHER = "#0072B2", "#9A9A9A"
COLORS = {
    "featMAP": OURS,
    WITH_FRAMES: OURS,
    "UMAP": "#D55E00",
    "densMAP": "#CC79A7",
    "PaCMAP": "#009E73",
    "h-NNE": "#E69F00",
    "TriMap": "#56B4E9",
    "openTSNE": "#000000",
}


def by_method(results: Results, data: str) -> Figure:
    """CPU seconds of every method on one data set, and of the stages of ours."""
    runs = [r for r in results.rows() if (r["data"], r["jobs"], r["start"]) == (data, ALL_CORES, WARM)]
    ours = results.finished(WITH_FRAMES, data) or results.finished("featMAP", data)
    stages = ours["stages"] if ours else {}
    heights = [len(runs) + 1, len(stages) + 1]
    figure = Figure(figsize=(8, 0.33 * sum(heights) + 1.6), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=heights)
    runs = sorted(runs, key=by_seconds)
    colors = [OURS if run["method"].startswith("featMAP") else OTHER for run in runs]
    draw_bars(above, [bar_name(run) for run in runs], [run.get("cpu") for run in runs], colors, reasons(runs))
    above.set(title=f"One map of {data}: CPU seconds, compiled before")
    draw_bars(below, list(stages), list(stages.values()), [OURS] * len(stages), {})
    below.set(title="featMAP by stage: CPU seconds")
    return figure


def bar_name(run: Run) -> str:
    return run["method"] if run["epochs"] is None else f"{run['method']}, {run['epochs']} epochs"


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
    """CPU seconds against rows, each line with its exponent from 100,000 rows on, if it goes beyond them."""
    figure = Figure(figsize=(9.5, 5.5), layout="constrained")
    ax = figure.add_subplot()
    by_name = lines(results)
    drawn = {name: line for name, line in by_name.items() if largest_of(line)}
    for name in sorted(drawn, key=lambda name: -max(seconds_by_rows(drawn[name]).values())):
        draw_line(ax, name, drawn[name])
    ax.set(xlabel="rows (50 features)", ylabel="CPU seconds")
    ax.set(title=f"Time against rows, with the exponent of its growth from {GROWTH_FROM:,} rows on")
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    if drawn:
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    failures = said_of_failures(by_name)
    if failures:
        figure.supxlabel("\n".join(failures), fontsize=9, style="italic")
    return figure


def draw_line(ax: Axes, name: str, line: Line) -> None:
    """The Gaussian's lines are dashed."""
    seconds = seconds_by_rows(line)
    width, style = 3 if name == "featMAP" else 1.5, "o--" if name.endswith(ON_GAUSSIAN) else "o-"
    color, label = COLORS.get(name.removesuffix(ON_GAUSSIAN), OTHER), name_with_exponent(name, line)
    ax.loglog(list(seconds), list(seconds.values()), style, color=color, linewidth=width, label=label)


def said_of_failures(by_name: dict[str, Line]) -> list[str]:
    return [
        f"{name} at {rows:,} rows: {run['failed'][:60]}"
        for name, line in by_name.items()
        for rows, run in line.items()
        if "failed" in run
    ]


def name_with_exponent(name: str, line: Line) -> str:
    slope = exponent(line, largest_of(line))
    return name if slope is None else f"{name}: {slope:.2f} (to {largest_of(line):,})"
