"""Time and quality of featMAP and its peers, each in its own process, on the same data in the same run.

``make bench`` runs everything, ``make bench-quick`` a small form. Results that are there already are kept: a run
that was stopped goes on where it was. Writes results.json, results.md and two pictures into the folder named.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from data import load
from methods import METHODS
from quality import (
    cross_validated_accuracy,
    data_neighbors,
    held_out_accuracy,
    isotropic_correlation,
    sampled_continuity,
    sampled_trustworthiness,
)
from report import write_report

HERE = Path(__file__).parent
LIMIT = 15 * 60


@dataclass(frozen=True)
class Job:
    """One process to run: a method on a data set."""

    method: str
    data: str
    epochs: int = 500
    jobs: int = -1
    cold: bool = False

    @property
    def key(self) -> str:
        return f"{self.method} | {self.data} | {self.epochs} epochs | {self.jobs} jobs{' | cold' * self.cold}"


def full_plan() -> list[Job]:
    peers = [Job(method, "mnist") for method in METHODS]
    threads = [Job("featMAP", "mnist", jobs=1), Job("featMAP", "mnist", jobs=2)]
    first = [Job(method, "digits", cold=True) for method in ("featMAP", "UMAP")]
    sizes = [
        Job(method, str(rows), epochs=200)
        for rows in (1_000, 10_000, 100_000, 1_000_000)
        for method in ("featMAP", "UMAP", "PaCMAP")
    ]
    return first + peers + threads + sizes


def quick_plan() -> list[Job]:
    methods = ("featMAP", "UMAP", "densMAP", "PaCMAP")
    return [Job(method, "digits", epochs=200) for method in methods] + [
        Job(method, str(rows), epochs=100) for rows in (1_000, 4_000) for method in ("featMAP", "UMAP")
    ]


def run(job: Job, folder: Path) -> dict[str, object]:
    """The figures of one job, or why there are none."""
    map_file = folder / f"{abs(hash_of(job.key))}.npy"
    command = [sys.executable, "-W", "ignore", HERE / "run_one.py", job.method, job.data, "--map", map_file]
    command += ["--epochs", str(job.epochs), "--jobs", str(job.jobs)]
    environment = dict(os.environ)
    with tempfile.TemporaryDirectory() as empty:
        if job.cold:
            command.append("--cold")
            environment["NUMBA_CACHE_DIR"] = empty  # as on the first run after installation
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=environment, check=True)
        except subprocess.TimeoutExpired:
            return {"failed": f"more than {LIMIT // 60} minutes"}
        except subprocess.CalledProcessError as error:
            return {"failed": (error.stderr.strip().splitlines() or [f"exit code {error.returncode}"])[-1][:200]}
    return {**json.loads(done.stdout.splitlines()[-1]), "map": map_file.name}


def hash_of(text: str) -> int:
    """A number that names a file; the same in every process, as hash() is not."""
    return int.from_bytes(text.encode(), "big") % (2**61 - 1)


def quality(data: str, map_file: Path, cache: dict[str, object]) -> dict[str, float]:
    X, y = cache.setdefault(data, load(data))  # type: ignore[misc]
    neighbors = cache.setdefault(f"neighbors of {data}", None) or data_neighbors(X)
    cache[f"neighbors of {data}"] = neighbors
    Y = np.load(map_file)
    accuracy = held_out_accuracy(Y, y) if data == "mnist" else cross_validated_accuracy(Y, y)
    return {
        "accuracy": accuracy,
        "trustworthiness": sampled_trustworthiness(X, Y),
        "continuity": sampled_continuity(X, Y),
        "radii": isotropic_correlation(neighbors, Y),
    }


def save(results: dict[str, dict[str, object]], path: Path) -> None:
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(results, indent=1))
    os.replace(temporary, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--folder", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
    folder = arguments.folder / ("quick" if arguments.quick else "full")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "results.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    cache: dict[str, object] = {}
    for job in quick_plan() if arguments.quick else full_plan():
        if job.key in results:
            continue
        print(job.key, end=": ", flush=True)
        result = run(job, folder)
        if "map" in result and job.data in ("mnist", "digits"):
            result["quality"] = quality(job.data, folder / str(result["map"]), cache)
        results[job.key] = {**job.__dict__, **result}
        save(results, path)
        print(result.get("failed") or f"{result['cpu']:.1f} CPU s, {result['wall']:.1f} s", flush=True)
    write_report(results, folder)


if __name__ == "__main__":
    main()
