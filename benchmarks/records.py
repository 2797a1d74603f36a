"""What was measured: kept in one JSON file, looked up by targets and report."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from lab.files import write_text

from .plan import ALL_CORES, WARM

Run = dict[str, Any]


@dataclass
class Results:
    """The machine, seconds of imports, and every run by the key of its job."""

    machine: dict[str, str] = field(default_factory=dict)
    imports: dict[str, float] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)

    def rows(self) -> list[Run]:
        """The runs, with the rounds of a job joined to one."""
        rounds: dict[tuple[Any, ...], list[Run]] = {}
        for run in self.runs.values():
            job = tuple(run[name] for name in ("method", "data", "epochs", "jobs", "start"))
            rounds.setdefault(job, []).append(run)
        return [joined(runs) for runs in rounds.values()]

    def find(self, method: str, data: str, **wanted: Any) -> Run | None:
        """The run of a job, warm and on all cores at the method's own epochs unless more is said."""
        wanted = {"method": method, "data": data, "epochs": None, "start": WARM, "jobs": ALL_CORES} | wanted
        return next((run for run in self.rows() if wanted.items() <= run.items()), None)

    def finished(self, method: str, data: str, **wanted: Any) -> Run | None:
        run = self.find(method, data, **wanted)
        return None if run is None or "failed" in run else run


def joined(rounds: list[Run]) -> Run:
    """The median of every figure over the rounds that finished; a failure only if none did."""
    finished = [run for run in rounds if "failed" not in run]
    if not finished:
        return rounds[0]
    return {**finished[0], **medians(finished), "stages": medians([run["stages"] for run in finished])}


def medians(runs: list[dict[str, Any]]) -> dict[str, float]:
    """The median of every figure over the runs; the values that are floats are figures."""
    measured = [name for name, value in runs[0].items() if isinstance(value, float)]
    return {name: median(run[name] for run in runs) for name in measured}


def mb_beyond_data(run: Run | None) -> float | None:
    """The peak of memory less what the interpreter held before, and less the data."""
    return run and run["peak_mb"] - run["interpreter_mb"] - run["data_mb"]


def by_seconds(run: Run) -> float:
    """A key to sort runs by; those that failed come last."""
    return run.get("cpu", float("inf"))


def load_results(path: Path) -> Results:
    return Results(**json.loads(path.read_text())) if path.exists() else Results()


def save_results(results: Results, path: Path) -> None:
    write_text(path, json.dumps(asdict(results), indent=1))
