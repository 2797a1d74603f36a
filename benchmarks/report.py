"""The results of the benchmarks as a page with its pictures."""

from __future__ import annotations

from pathlib import Path

from lab.files import write_text

from .pictures import BY_METHOD, BY_ROWS, by_method, by_rows
from .plan import WARM
from .records import Results
from .tables import (
    machine_text,
    memory_table,
    method_table,
    recall_table,
    seconds_table,
    stage_table,
    start_table,
    target_table,
)
from .targets import all_targets


def write_report(results: Results, folder: Path) -> None:
    """results.md and, beside it, the pictures it shows."""
    by_method(results, main_data(results)).savefig(folder / BY_METHOD, dpi=150)
    by_rows(results).savefig(folder / BY_ROWS, dpi=150)
    write_text(folder / "results.md", as_markdown(results))


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
        seconds_table(results),
        f"![CPU seconds against rows]({pictures}{BY_ROWS})",
        "### Peak memory by rows, MB beyond the data",
        memory_table(results),
        "### Recall of the neighbours",
        recall_table(results),
        "### Cold and warm",
        start_table(results),
        "### featMAP by stage, CPU seconds",
        stage_table(results),
    ]
    return "\n\n".join(parts) + "\n"
