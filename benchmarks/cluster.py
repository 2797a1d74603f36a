"""A fit on a local cluster of two worker processes beside the local fit, and UMAP on a sample with its transform.

``make bench-cluster`` measures 100,000, 300,000 and 1,000,000 rows and prints the tables of docs/scale.md. What was
measured is kept in benchmarks/results/cluster.json, so that sizes may be measured one after another:
``python -m benchmarks.cluster --rows 100000``. With ``--publish`` the tables of all of them go to docs/scale.md. CPU
seconds of the cluster are those of its workers and of this process.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from featmap import metrics
from lab.data.manifolds import curved_sheets
from lab.files import write_text
from lab.pages import put_between, table

from .machine import describe_machine
from .tables import machine_text

N_WORKERS = 2
SIZES = (100_000, 300_000, 1_000_000)
FEWEST = 2_000  # rows that can be asked for
SAMPLE, PART = (
    20_000,
    0.2,
)  # rows that UMAP is fitted to: so many, but at most this part; its transform places the others
WITH_SAMPLE = 300_000  # most rows for which that is tried, unless more are asked for
WARM_UP_ROWS = 22_000  # as many as it takes to compile what large data need; UMAP's sample has more than 4,096
BEGIN, END = "<!-- cluster: begin -->", "<!-- cluster: end -->"
HERE = Path(__file__).parent
KEPT = HERE / "results" / "cluster.json"
PAGE = HERE.parent / "docs" / "scale.md"
STAGES = ["rows", "stage", "local s", "cluster s", "bytes a row exchanged"]
MAPS = ["rows", "method", "wall s", "CPU s", "10-NN accuracy", "trustworthiness"]

Record = dict[str, Any]


@dataclass(frozen=True)
class Timed:
    """What a call gave, and what it cost."""

    result: Any
    wall: float
    cpu: float


def timed(call: Callable[[], Any], elsewhere: Callable[[], float] = lambda: 0.0) -> Timed:
    """``elsewhere`` tells the CPU seconds of other processes."""
    wall, cpu = time.perf_counter(), time.process_time() + elsewhere()
    result = call()
    return Timed(result, time.perf_counter() - wall, time.process_time() + elsewhere() - cpu)


def fit_locally(X: np.ndarray) -> Timed:
    """With tangent spaces and frames, which a fit on a cluster makes as well."""
    from featmap import FeatMAP

    def make() -> Any:
        model = FeatMAP(random_state=0, n_jobs=N_WORKERS).fit(X)
        model.frames_  # noqa: B018 - makes them
        return model

    return timed(make)


def fit_on_cluster(X: np.ndarray, client: Any, folder: Path) -> Timed:
    import dask.array as da

    from featmap.dask import FeatMAP

    blocks = da.from_array(X, chunks=(len(X) // 8, X.shape[1])).persist()
    model = FeatMAP(random_state=0, n_jobs=N_WORKERS)
    path = folder / f"{len(X)}.featmap"
    return timed(
        lambda: model.fit(blocks, path=path, force=True, n_partitions=2 * N_WORKERS),
        lambda: sum(client.run(time.process_time).values()),
    )


def sample_size(n_rows: int) -> int:
    return min(SAMPLE, int(PART * n_rows))


def fit_a_sample(X: np.ndarray) -> Timed:
    """The usual way out: UMAP on a sample, the other rows by its transform."""
    from umap import UMAP

    chosen = np.sort(np.random.default_rng(0).choice(len(X), sample_size(len(X)), replace=False))
    others = np.setdiff1d(np.arange(len(X)), chosen)

    def make() -> np.ndarray:
        model = UMAP().fit(X[chosen])
        placed = np.empty((len(X), 2), np.float32)
        placed[chosen], placed[others] = model.embedding_, model.transform(X[others])
        return placed

    return timed(make)


def record_of(X: np.ndarray, labels: np.ndarray, here: Timed, there: Timed, sample: Timed | None) -> Record:
    """What is kept of the fits of one size."""
    local, cluster = here.result, there.result
    maps = {"featMAP, all rows": (here, local.embedding_)}
    if sample is not None:
        maps[f"UMAP on {sample_size(len(X)):,} rows, the others by transform"] = (sample, sample.result)
    return {
        "local": {stage.stage: stage.seconds for stage in local.fit_report_},
        "cluster": {stage.stage: stage.seconds for stage in cluster.fit_report_},
        "exchanged": {stage: n_bytes / len(X) for stage, n_bytes in cluster.exchanged_bytes_.items()},
        "all": {"local": [here.wall, here.cpu], "cluster": [there.wall, there.cpu]},
        "same": bool((local.embedding_ == cluster.embedding_).all()),
        "maps": {name: [made.wall, made.cpu, *quality(X, labels, Y)] for name, (made, Y) in maps.items()},
    }


def quality(X: np.ndarray, labels: np.ndarray, embedding: np.ndarray) -> tuple[float, float]:
    """The accuracy of ten neighbours, and trustworthiness, of a sample of the points among all."""
    return metrics.knn_accuracy(embedding, labels, n_neighbors=10), metrics.trustworthiness(X, embedding)


def stage_rows(size: str, record: Record) -> list[list[str]]:
    """A line for each stage of either fit, and one for all of them."""
    names = list(dict.fromkeys([*record["local"], *record["cluster"]]))
    parts = (record["local"], record["cluster"])
    rows = [
        [size, name, *(f"{part[name]:.1f}" if name in part else "" for part in parts), moved(record, name)]
        for name in names
    ]
    totals = [f"{wall:.1f} ({cpu:.1f})" for wall, cpu in (record["all"]["local"], record["all"]["cluster"])]
    same = "yes" if record["same"] else "**no**"
    everything = f"{sum(record['exchanged'].values()):.0f}"
    return [*rows, [f"**{size}**", f"all, CPU s in brackets; same bytes: {same}", *totals, everything]]


def moved(record: Record, stage: str) -> str:
    return f"{record['exchanged'][stage]:.0f}" if stage in record["exchanged"] else ""


def map_rows(size: str, record: Record) -> list[list[str]]:
    return [
        [size, name, f"{wall:.1f}", f"{cpu:.1f}", f"{accuracy:.3f}", f"{trust:.3f}"]
        for name, (wall, cpu, accuracy, trust) in record["maps"].items()
    ]


def as_markdown(records: dict[str, Record]) -> str:
    """The tables of all sizes that were measured."""
    by_size = [(f"{int(size):,}", records[size]) for size in sorted(records, key=int)]
    stages = [row for size, record in by_size for row in stage_rows(size, record)]
    maps = [row for size, record in by_size for row in map_rows(size, record)]
    measured_on = dict.fromkeys(record["machine"] for record in records.values())
    return "\n\n".join([*measured_on, table(STAGES, stages), table(MAPS, maps)]) + "\n"


def warm_up(client: Any, folder: Path, *, with_sample: bool) -> None:
    """Compile everything first, here and in the workers."""
    small = curved_sheets(WARM_UP_ROWS)[0]
    fit_locally(small)
    fit_on_cluster(small, client, folder)
    if with_sample:
        fit_a_sample(small)


def measure(sizes: list[int], sample_up_to: int, kept: Path) -> dict[str, Record]:
    """Measure these sizes, and keep what was measured beside what was kept before."""
    from distributed import Client, LocalCluster

    records = load(kept)
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=N_WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        warm_up(client, Path(folder), with_sample=min(sizes) <= sample_up_to)
        for size in sizes:
            X, labels = curved_sheets(size)
            here, there = fit_locally(X), fit_on_cluster(X, client, Path(folder))
            sample = fit_a_sample(X) if size <= sample_up_to else None
            records[str(size)] = record_of(X, labels, here, there, sample) | {"machine": machine()}
            write_text(kept, json.dumps(records, indent=1))
            print(as_markdown(records), flush=True)
    return records


def machine() -> str:
    """Where it was measured, and with what."""
    told = describe_machine()
    names = ("date", "processor", "cores", "memory", "Python", "umap-learn", "numpy", "numba")
    return machine_text({name: told[name] for name in names})


def load(kept: Path) -> dict[str, Record]:
    return json.loads(kept.read_text()) if kept.exists() else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=list(SIZES))
    parser.add_argument(
        "--sample-up-to",
        type=int,
        default=WITH_SAMPLE,
        metavar="ROWS",
        help="most rows for which UMAP is run as well",
    )
    parser.add_argument("--publish", action="store_true", help="put the tables into docs/scale.md")
    arguments = parser.parse_args()
    if min(arguments.rows) < FEWEST:
        parser.error(f"--rows: must be at least {FEWEST:,}")
    records = measure(arguments.rows, arguments.sample_up_to, KEPT)
    if arguments.publish:
        put_between(PAGE, BEGIN, END, as_markdown(records))


if __name__ == "__main__":
    main()
