"""Results of the benchmarks as two pictures: time by method, and time against rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .plan import ALL_CORES, WARM
from .records import Results, Run, by_seconds
from .targets import exponent, seconds_by_rows

BY_METHOD, BY_ROWS = "time_by_method.png", "time_by_rows.png"

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
        draw_line(ax, method, seconds)
    ax.set(xlabel="rows (50 features)", ylabel="CPU seconds")
    ax.set(title="Time against rows, with the exponent of each line")
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    name_lines(ax, lines, {method: line_name(results, method, seconds) for method, seconds in lines.items()})
    failures = said_of_failures(sized)
    if failures:
        figure.supxlabel("\n".join(failures), fontsize=9, style="italic")
    return figure


def draw_line(ax: Axes, method: str, seconds: dict[int, float]) -> None:
    width = 3 if method == "featMAP" else 1.5
    ax.loglog(list(seconds), list(seconds.values()), "o-", color=COLORS.get(method, OTHER), linewidth=width)


def said_of_failures(runs: list[Run]) -> list[str]:
    failed = [run for run in runs if "failed" in run]
    return [f"{run['method']} at {int(run['data']):,} rows: {run['failed'][:60]}" for run in failed]


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
