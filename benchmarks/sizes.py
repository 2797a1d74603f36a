"""Runs on data of any size, as lines over the number of rows, and how they grow."""

from __future__ import annotations

import numpy as np

from .data import is_sized, rows_of
from .plan import WARM
from .records import Results, Run

GROWTH_FROM = 100_000  # below, other searches and starts take part, whose times say nothing of large data
ON_GAUSSIAN = ", Gaussian"
Line = dict[int, Run]  # by rows, rising


def lines(results: Results) -> dict[str, Line]:
    """The runs of each method on sheets under its name, those on the Gaussian under a name of their own."""
    runs = [run for run in results.rows() if is_sized(run["data"]) and run["start"] == WARM]
    by_name: dict[str, Line] = {}
    for run in sorted(runs, key=lambda run: rows_of(run["data"])):
        by_name.setdefault(line_name(run["method"], run["data"]), {})[rows_of(run["data"])] = run
    return by_name


def line_name(method: str, data: str) -> str:
    return method if data.isdigit() else f"{method}{ON_GAUSSIAN}"


def seconds_by_rows(line: Line) -> dict[int, float]:
    return {rows: run["cpu"] for rows, run in line.items() if "failed" not in run}


def largest_of(line: Line) -> int:
    """The most rows that a method finished with, 0 if none."""
    return max(seconds_by_rows(line), default=0)


def exponent(line: Line, largest: int) -> float | None:
    """The slope of log CPU seconds over log rows from 100,000 rows on; None unless both ends were measured."""
    seconds = seconds_by_rows(line)
    sizes = [rows for rows in seconds if GROWTH_FROM <= rows <= largest]
    if largest <= GROWTH_FROM or not {GROWTH_FROM, largest} <= set(sizes):
        return None
    return float(np.polyfit(np.log(sizes), np.log([seconds[rows] for rows in sizes]), 1)[0])
