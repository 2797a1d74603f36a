"""Estimate the memory of a fit before it begins, from a table of bytes a row in each stage.

The estimate is of what a fit allocates at its peak. It counts neither the data that the user passes, which are in
memory or in a file already, nor the interpreter with its libraries.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from .checks.parameters import (
    NAME_OF_DISTANCES,
    RULES,
    Rules,
    check_each,
    check_relations,
    either,
    integer,
    none,
)
from .checks.settings import COARSE_ABOVE, NeighborhoodSettings, n_components_of
from .data.pca import sample_size
from .data.sizing import BYTES_PER_BLOCK
from .errors import NotEnoughMemoryError
from .layout.start import SMOOTHED_UP_TO, SPECTRUM_UP_TO
from .neighbors import EXACT_BELOW
from .neighbors.large import LADDER, LISTS_KEPT_UP_TO
from .neighbors.list_search import BYTES_OF_CANDIDATES
from .neighbors.search import QUERIES_PER_BLOCK

# Directed edges of the graph for every neighbour: 1 if all are mutual, at most 2. Real data have some 1.5.
EDGES_PER_NEIGHBOR = 1.5

MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")


class MemoryEstimate(int):
    """A number of bytes that prints in units that people read."""

    def __repr__(self) -> str:
        return f"{int(self):,} bytes ({in_gb(self)})"

    __str__ = __repr__


@dataclass(frozen=True)
class Sizes:
    """The numbers that the memory of a fit depends on."""

    m: int  # rows
    n: int  # features
    k: int  # neighbours in the graph
    k_tangent: int  # neighbours of a tangent space
    dim: int  # of the map
    n_stored: int | None  # values of sparse data, None for dense
    item: int  # bytes of a value in the search's own copy of the rows; 0 if it has none
    has_fast_metric: bool
    n_threads: int
    pca: int | None  # principal components that neighbourhoods are made of
    is_coarse: bool  # whether the map begins with one of groups of rows
    has_checkpoint: bool


def bytes_of_row(s: Sizes) -> dict[str, float]:
    """The table: bytes a row that each stage holds, with those of earlier stages that are still needed.

    It leaves out stages that never hold the most.
    """
    width = s.pca or s.n  # of the rows that neighbourhoods are made of
    stored = s.n if s.n_stored is None else s.n_stored / s.m
    values = (4 if s.n_stored is None else 8) * stored  # scaled
    data = values + ((4 + s.item) * s.pca if s.pca else s.item * stored)
    # In the lists of a search in large data an eighth of the room is empty.
    lists = 4.5 * min(width, LADDER[0][0]) if s.has_fast_metric and s.m > EXACT_BELOW else 0.0
    edges = min(EDGES_PER_NEIGHBOR * s.k, s.m - 1)
    neighbors, graph = 8 * max(s.k, s.k_tangent), 8 * edges + 4
    of_graph = 8 * s.k if s.k < s.k_tangent else 0  # a copy of the neighbours that the graph is made of
    spectrum = 44 * edges if SMOOTHED_UP_TO < s.m <= SPECTRUM_UP_TO and not s.is_coarse else 0
    units = 4 * edges + 4
    state = 20 * s.dim + 32  # map, moments and gradient; the order of the layout and the rates of its points
    known = data + neighbors + graph + (lists if s.m <= LISTS_KEPT_UP_TO else 0)
    if s.has_checkpoint:  # it is written with all results, so it keeps the graph in a second order
        known += graph
    return {
        "scaling": data + 8 * (s.pca or 0) + (0 if s.n_stored is None else 12 * stored),
        "neighbors": data + neighbors + max(2.2 * lists + 0.2 * data, 2 * neighbors),
        "start": known + spectrum,
        "layout": known + graph + of_graph + units + state,  # the graph is in its own order and in that of the layout
    }


def bytes_beside(s: Sizes) -> dict[str, float]:
    """What does not grow with the rows: samples that directions are found from, and what each thread compares."""
    width, is_sparse = s.pca or s.n, s.n_stored is not None
    of_features, of_all = (4 * n * sample_size(s.m, n) for n in (s.n, width))
    compared = 0 if s.has_fast_metric else 8 * QUERIES_PER_BLOCK * s.m
    if is_sparse and not s.pca:
        candidates = min(4 * width * s.m, BYTES_OF_CANDIDATES)
        # In lists, rows of a block have many candidates in common: half of the room is used, measured on MNIST.
        compared += 4 * width * QUERIES_PER_BLOCK + candidates / (2 if s.m > EXACT_BELOW else 1)
    return {
        "scaling": of_features if s.pca and not is_sparse else 0,
        "neighbors": max(of_all if s.m > EXACT_BELOW else 0, s.n_threads * compared),
        "start": of_all if s.m <= SMOOTHED_UP_TO or s.m > SPECTRUM_UP_TO else 0,
    }


def _is_shape(value: Any) -> bool:
    is_pair = isinstance(value, tuple | list) and len(value) == 2
    return is_pair and integer(2)(value[0]) and integer(1)(value[1])


def _is_dtype(value: Any) -> bool:
    try:
        np.dtype(value)
    except (TypeError, ValueError):
        return False
    return True


ASKED_RULES: Rules = {
    **RULES,
    "shape": (_is_shape, "must be a pair of integers: at least 2 rows and at least 1 column"),
    "dtype": (_is_dtype, "must be a type of numpy, such as X.dtype"),
    "n_stored": (either(none, integer(0)), "must be None for dense data, or the number of stored values (X.nnz)"),
    "checkpoint": (lambda value: isinstance(value, bool), "must be True or False"),
}


def estimate_memory(
    shape: tuple[int, int],
    *,
    n_neighbors: int = 15,
    n_components: int = 2,
    n_tangent_neighbors: int | None = None,
    n_epochs: int | None = None,
    metric: Any = "euclidean",
    pca: int | np.ndarray | None = None,
    dtype: Any = np.float32,
    n_stored: int | None = None,
    n_jobs: int | None = -1,
    checkpoint: bool = False,
) -> MemoryEstimate:
    """Estimate how much memory a fit needs.

    It is the most that `FeatMAP.fit` allocates at any time, beyond the data themselves and the interpreter. It is
    right within a factor of 1.5. For fits that take less than 50 MB it is too large, by some megabytes. The first
    question about tangent spaces or frames (importance, loadings, arrows, `frames_`) comes later and is not counted.

    It is the same for data in a memory map, in Zarr or in HDF5: the data themselves stay on the disk, and what is
    counted of them is the scaled copy that the model keeps, 4 bytes a value. Arrays of Zarr and HDF5 of up to 64 MB
    are read into memory, which is not counted.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the data.
    n_neighbors : int, default=15
        As in `FeatMAP`.
    n_components : int, default=2
        As in `FeatMAP`.
    n_tangent_neighbors : int or None, default=None
        As in `FeatMAP`.
    n_epochs : int or None, default=None
        As in `FeatMAP`. By default maps of more than 20,000 rows begin with groups of rows. With a number they begin
        with the spectrum of the graph, which takes more.
    metric : str or callable, default="euclidean"
        As in `FeatMAP`.
    pca : int, ndarray of shape (n_features, q) or None, default=None
        As in `FeatMAP`.
    dtype : dtype, default=float32
        The type of the data. It counts only for metrics other than ``"euclidean"``, ``"cosine"`` and ``"hellinger"``,
        for which the data are kept as they are.
    n_stored : int or None, default=None
        The number of stored values of sparse data. By default the data are dense.
    n_jobs : int or None, default=-1
        As in `FeatMAP`.
    checkpoint : bool, default=False
        Whether the fit has a checkpoint. It is written with the results of all stages each time, so they stay in
        memory until the fit ends, and the graph is held twice.

    Returns
    -------
    MemoryEstimate
        A number of bytes, an int that prints with its unit.

    Examples
    --------
    >>> from featmap import estimate_memory
    >>> 1e9 > estimate_memory((70_000, 784), n_jobs=2) > 1e8
    True
    """
    asked = {
        "shape": shape,
        "n_neighbors": n_neighbors,
        "n_components": n_components,
        "n_tangent_neighbors": n_tangent_neighbors,
        "n_epochs": n_epochs,
        "metric": metric,
        "pca": pca,
        "dtype": dtype,
        "n_stored": n_stored,
        "n_jobs": n_jobs,
        "checkpoint": checkpoint,
    }
    check_each("estimate_memory", asked, ASKED_RULES)
    check_relations("estimate_memory", {"n_tangent_neighbors": n_tangent_neighbors, "n_neighbors": n_neighbors})
    n_rows, n_features = shape
    n_neighbors = min(n_neighbors, n_rows)
    n_others = min(n_tangent_neighbors or n_neighbors, n_rows) - 1
    fast = isinstance(metric, str) and metric in ("euclidean", "cosine", "hellinger")
    n_blocks, q = -(-n_rows // QUERIES_PER_BLOCK), n_components_of(pca)
    n_threads = 1 if n_jobs is None else min(effective_n_jobs(n_jobs), n_blocks)  # more find nothing to do
    itemsize = 4 if metric == "hellinger" else 0 if fast else 8 if q else np.dtype(dtype).itemsize
    if isinstance(metric, str) and metric == NAME_OF_DISTANCES:
        n_features, n_stored, itemsize = 1, None, 0  # distances are used where they are
    sizes = Sizes(
        m=n_rows,
        n=n_features,
        k=n_neighbors - 1,
        k_tangent=n_others,
        dim=n_components,
        n_stored=n_stored,
        item=itemsize,
        has_fast_metric=fast,
        n_threads=n_threads,
        pca=q,
        is_coarse=n_epochs is None and n_rows > COARSE_ABOVE,
        has_checkpoint=checkpoint,
    )
    by_row, beside = bytes_of_row(sizes), bytes_beside(sizes)
    most = max(by_row[stage] * n_rows + beside.get(stage, 0) for stage in by_row)
    return MemoryEstimate(most + BYTES_PER_BLOCK * n_threads)


def check_memory(
    caller: str,
    X: Any,
    settings: NeighborhoodSettings,
    n_components: int,
    n_jobs: int | None,
    *,
    n_epochs: int | None = None,
    checkpoint: bool = False,
) -> None:
    """Refuse a fit that needs more memory than the machine has, where the system tells how much it has."""
    needed = estimate_memory(
        X.shape,
        n_neighbors=max(settings.n_neighbors, 3),
        n_components=n_components,
        n_tangent_neighbors=max(settings.n_tangent_neighbors, 3),
        n_epochs=n_epochs,
        metric=settings.metric,
        pca=n_components_of(settings.pca),
        dtype=X.dtype,
        n_stored=getattr(X, "nnz", None),
        n_jobs=n_jobs,
        checkpoint=checkpoint,
    )
    available = available_memory()
    if available is not None and needed > available:
        raise NotEnoughMemoryError(
            f"{caller}(X): it needs about {in_gb(needed)} beyond the data, and {in_gb(available)} are available; fit "
            "a sample of the rows and place the others by transform, reduce the features first (sklearn's PCA or "
            "TruncatedSVD), or choose smaller n_neighbors and n_tangent_neighbors"
            f"{', or fit without a checkpoint, which keeps more in memory' if checkpoint else ''}"
        )


def available_memory() -> int | None:
    """Bytes that a process can still get from the machine and its container; None where the system does not tell."""
    amounts = [amount for amount in (_machine_has(), _container_has()) if amount is not None]
    return min(amounts, default=None)


def _machine_has() -> int | None:
    try:
        return int(MEMINFO.read_text().split("MemAvailable:")[1].split()[0]) * 2**10
    except (OSError, IndexError, ValueError):
        return None


def _container_has() -> int | None:
    try:
        most = int((CGROUP / "memory.max").read_text())
        used = int((CGROUP / "memory.current").read_text())
        statistics = dict(line.split() for line in (CGROUP / "memory.stat").read_text().splitlines())
        # The cache of files can be given up, but not files that are in memory only (shmem), which it includes.
        return most - used + int(statistics["file"]) - int(statistics.get("shmem", 0))
    except (OSError, ValueError, KeyError):  # there is no container, or it has no limit ("max")
        return None


def in_gb(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e8 else f"{n_bytes / 1e6:.0f} MB"
