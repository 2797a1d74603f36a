"""Results of the benchmarks as a table and two pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

Results = dict[str, dict[str, Any]]

COLORS = {"featMAP": "#0072B2", "UMAP": "#D55E00", "PaCMAP": "#009E73", "densMAP": "#CC79A7"}
OTHER = "#888888"


def write_report(results: Results, folder: Path) -> None:
    """results.md, time_by_method.png and time_by_rows.png."""
    (folder / "results.md").write_text(table(results))
    main_set = "mnist" if any(result["data"] == "mnist" for result in results.values()) else "digits"
    by_method(results, main_set).savefig(folder / "time_by_method.png", dpi=150)
    by_rows(results).savefig(folder / "time_by_rows.png", dpi=150)


def table(results: Results) -> str:
    lines = [
        "| method | data | epochs | jobs | CPU s | wall s | peak MB | accuracy | trust. | contin. | radii |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for result in results.values():
        name = result["method"] + (" (first run ever)" if result["cold"] else "")
        head = [name, result["data"], str(result["epochs"]), str(result["jobs"])]
        if "failed" in result:
            lines.append(f"| {' | '.join(head)} | {result['failed']} |  |  |  |  |  |  |")
            continue
        times = [f"{result['cpu']:.1f}", f"{result['wall']:.1f}", f"{result['peak_mb']:.0f}"]
        quality = result.get("quality", {})
        keys = ("accuracy", "trustworthiness", "continuity", "radii")
        figures = [f"{quality[key]:.3f}" if key in quality else "" for key in keys]
        lines.append(f"| {' | '.join(head + times + figures)} |")
    return "\n".join([*lines, "", *stages(results)]) + "\n"


def stages(results: Results) -> list[str]:
    """CPU seconds of featMAP's stages."""
    rows = [result for result in results.values() if result.get("stages")]
    if not rows:
        return []
    names = list(rows[0]["stages"])
    lines = [f"| featMAP on | jobs | {' | '.join(names)} |", "|" + "---|" * (len(names) + 2)]
    for row in rows:
        cells = " | ".join(f"{row['stages'][name]:.2f}" for name in names)
        lines.append(f"| {row['data']} | {row['jobs']} | {cells} |")
    return lines


def by_method(results: Results, data: str) -> Figure:
    """CPU seconds of every method on one data set."""
    rows = [r for r in results.values() if r["data"] == data and r["jobs"] == -1 and not r["cold"]]
    rows = sorted(rows, key=lambda row: row.get("cpu", np.inf))
    figure = Figure(figsize=(8, 0.45 * len(rows) + 1.5), layout="constrained")
    ax = figure.add_subplot()
    longest = max(row.get("cpu", 0.0) for row in rows)
    for place, row in enumerate(rows):
        seconds = row.get("cpu", 0.0)
        ax.barh(place, seconds, color=COLORS.get(row["method"].split(" (")[0], OTHER))
        text = row.get("failed") or f"{seconds:.1f} s"
        ax.annotate(text, (seconds + 0.01 * longest, place), va="center", fontsize=9)
    ax.set_yticks(range(len(rows)), [row["method"] for row in rows])
    ax.invert_yaxis()
    ax.set(xlabel="CPU seconds of a fit, compiled before", title=f"One map of {data}", xlim=(0, 1.2 * longest))
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def by_rows(results: Results) -> Figure:
    """CPU seconds against rows, with the exponent between the smallest and the largest size above 10,000 or so."""
    figure = Figure(figsize=(7, 5), layout="constrained")
    ax = figure.add_subplot()
    sized = [r for r in results.values() if r["data"].isdigit() and "cpu" in r]
    for method in dict.fromkeys(row["method"] for row in sized):
        rows = sorted((int(r["data"]), r["cpu"]) for r in sized if r["method"] == method)
        sizes, seconds = np.array(rows).T
        fitted = sizes >= min(10_000, np.sort(sizes)[-2] if len(sizes) > 1 else 0)
        label = method
        if fitted.sum() > 1:
            exponent = np.polyfit(np.log(sizes[fitted]), np.log(seconds[fitted]), 1)[0]
            label += f", exponent {exponent:.2f}"
        ax.loglog(sizes, seconds, "o-", color=COLORS.get(method, OTHER), label=label)
    ax.set(xlabel="rows (50 features)", ylabel="CPU seconds", title="Time against size")
    ax.legend(frameon=False)
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return figure
