"""How much memory a fit takes, before it begins: a table of bytes a row, by stage.

It counts what a fit allocates at its peak. The data that the user passes are there already and do not count, nor does
the interpreter with its libraries.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs

from ..checks.parameters import RULES, Rules, check_each, check_tangent_neighbors, either, integer, none
from ..errors import NotEnoughMemoryError

if TYPE_CHECKING:
    from ..checks.settings import NeighborhoodSettings

# Sizes of the stages, as their modules have them. They change rarely, and a test compares the sum with real fits.
BLOCK_BYTES = 2**22  # of rows that a thread works on
SMALL_ROWS = 10_000  # up to so many rows all pairs are compared
QUERIES = 256  # of a block of the neighbour search
LIST_COORDINATES = 64
PROBED_LISTS = 20
CANDIDATE_BYTES = 2**26  # of sparse candidates made dense
SAMPLE_BYTES = 2**28  # of the sample from which principal directions are found
SAMPLE_ROWS = 10_000
SMOOTHED_ROWS = 20_000  # up to so many rows the start is smoothed principal components
SPECTRAL_ROWS = 100_000  # up to so many rows it is the graph's spectrum
AXES_BYTES = 5 * 2**24  # of axes of all points, for a slice of the features

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
    item: int  # bytes of a value of the data
    has_fast_metric: bool
    n_threads: int
    pca: int | None = None  # principal components that neighbourhoods are made of


@dataclass(frozen=True)
class StageMemory:
    """What a stage allocates: bytes a row kept to the end, bytes a row while it runs, and bytes beside the rows."""

    stage: str
    kept: float
    working: float
    fixed: float = 0.0


def memory_by_stage(s: Sizes) -> list[StageMemory]:
    """The table. With ``pca`` that of the components, which are dense, with the features scaled beside them."""
    if s.pca is None:
        return _of_features(s)
    features = _of_features(s)[0]
    scaling, *later = _of_features(replace(s, n=s.pca, n_stored=None, item=8))
    sample = _sample_bytes(s) if s.n_stored is None else 0.0  # sparse rows stay sparse
    fixed = sample + 2 * BLOCK_BYTES * s.n_threads
    return [StageMemory("scaling", scaling.kept + features.kept, features.working + 8 * s.pca, fixed), *later]


def _sample_bytes(s: Sizes) -> float:
    """The sample that principal directions are found from."""
    return 4.0 * s.n * min(s.m, SAMPLE_ROWS, max(SAMPLE_BYTES // (4 * s.n), 100))


def _of_features(s: Sizes) -> list[StageMemory]:
    """Of two alternatives within a stage the larger counts."""
    e = min(EDGES_PER_NEIGHBOR * s.k, s.m - 1)  # edges a row
    r = min(s.k_tangent, s.n)  # local directions
    q = min(s.dim, r)  # aligned directions
    k = max(s.k, s.k_tangent)
    data = 4 * s.n if s.n_stored is None else 8 * s.n_stored / s.m
    raw = s.item * s.n if s.n_stored is None else (4 + s.item) * s.n_stored / s.m
    threads = min(s.n_threads, -(-s.m // QUERIES))  # no more threads work than there are blocks of rows
    dense = 0.0 if s.n_stored is None else 4.0 * s.n * threads  # of a sparse row that every thread makes dense
    sample = _sample_bytes(s)
    lists = 4.0 * min(-(-s.n // 8) * 8, LIST_COORDINATES)
    found = 20.0 * (k + 1)
    ranked = min(dense * s.m, threads * CANDIDATE_BYTES)
    spectral = SMOOTHED_ROWS < s.m <= SPECTRAL_ROWS
    neighborhoods = 4 * BLOCK_BYTES * min(s.n_threads, 1 + 4 * s.n * s.k_tangent * s.m // BLOCK_BYTES)

    if s.has_fast_metric and s.m > SMALL_ROWS:
        search = StageMemory(
            "neighbors", lists + 8 * k, lists + 4 * PROBED_LISTS + found, max(sample, QUERIES * dense + ranked)
        )
    else:
        kept = 8 * k if s.has_fast_metric else raw + 8 * k
        search = StageMemory("neighbors", kept, found + threads * 24 * QUERIES, QUERIES * dense + ranked)
    return [
        StageMemory("scaling", data, 0 if s.n_stored is None else 12 * s.n_stored / s.m, BLOCK_BYTES),
        search,
        StageMemory("graph", 8 * e, (8 + 12 * 5.5) * s.k),
        StageMemory(
            "tangents",
            8 * r * (s.k_tangent + 1) + 4 * s.k_tangent + 8 * (1 + 2 * s.dim),
            24 * s.k_tangent + 16 * r,
            neighborhoods,
        ),
        StageMemory("start", 0, 36 * e + 160 if spectral else 24 * (s.dim + 8), 0 if spectral else sample),
        StageMemory(
            "alignment", 8 * e + 4 * e * q * (q + 1), 24 * e, min(AXES_BYTES, 4 * s.m * s.n * q) * (1 + 1 / q)
        ),
        StageMemory("layout", 0, 4 * e * q**2 + 17 * e + 48 + 76 * s.dim + 24 * s.dim**2),
    ]


def peak(s: Sizes) -> MemoryEstimate:
    """The most that is held at any time: what all stages up to one keep, and what that one needs beside."""
    stages = memory_by_stage(s)
    kept = np.cumsum([stage.kept for stage in stages]) * s.m
    working = np.array([stage.working * s.m + stage.fixed for stage in stages])
    return MemoryEstimate((kept + working).max())


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
}


def estimate_memory(
    shape: tuple[int, int],
    *,
    n_neighbors: int = 15,
    n_components: int = 2,
    n_tangent_neighbors: int | None = None,
    metric: Any = "euclidean",
    pca: int | None = None,
    dtype: Any = np.float32,
    n_stored: int | None = None,
    n_jobs: int | None = -1,
) -> MemoryEstimate:
    """Estimate how much memory a fit needs.

    It is the most that `FeatMAP.fit` allocates at any time, beyond the data themselves and the interpreter. It was
    within a quarter of the truth on 70,000 × 784 and 300,000 × 50 numbers; on other systems it may be further off.

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
    metric : str or callable, default="euclidean"
        As in `FeatMAP`.
    pca : int or None, default=None
        As in `FeatMAP`.
    dtype : dtype, default=float32
        The type of the data. It counts only for metrics other than ``"euclidean"`` and ``"cosine"``, for which the
        data are kept as they are.
    n_stored : int or None, default=None
        The number of stored values of sparse data. By default the data are dense.
    n_jobs : int or None, default=-1
        As in `FeatMAP`.

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
        "metric": metric,
        "pca": pca,
        "dtype": dtype,
        "n_stored": n_stored,
        "n_jobs": n_jobs,
    }
    check_each("estimate_memory", asked, ASKED_RULES)
    check_tangent_neighbors("estimate_memory", n_tangent_neighbors, n_neighbors)
    n_rows, n_features = shape
    n_neighbors = min(n_neighbors, n_rows)
    n_others = min(n_tangent_neighbors or n_neighbors, n_rows) - 1
    fast = metric in ("euclidean", "cosine")
    n_threads = 1 if n_jobs is None else effective_n_jobs(n_jobs)
    itemsize = np.dtype(dtype).itemsize
    return peak(
        Sizes(n_rows, n_features, n_neighbors - 1, n_others, n_components, n_stored, itemsize, fast, n_threads, pca)
    )


def check_memory(caller: str, X: Any, settings: NeighborhoodSettings, n_components: int, n_jobs: int | None) -> None:
    """Refuse a fit that needs more memory than the machine has, where the system tells how much it has."""
    needed = estimate_memory(
        X.shape,
        n_neighbors=max(settings.n_neighbors, 3),
        n_components=n_components,
        n_tangent_neighbors=max(settings.n_tangent_neighbors, 3),
        metric=settings.metric,
        pca=settings.pca,
        dtype=X.dtype,
        n_stored=getattr(X, "nnz", None),
        n_jobs=n_jobs,
    )
    available = available_memory()
    if available is not None and needed > available:
        raise NotEnoughMemoryError(
            f"{caller}(X): it needs about {in_gb(needed)} beyond the data, and {in_gb(available)} are available; fit "
            "a sample of the rows and place the others by transform, reduce the features first (sklearn's PCA or "
            "TruncatedSVD), or choose smaller n_neighbors and n_tangent_neighbors"
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
        return most - used + int(statistics["file"])  # the cache of files can be given up
    except (OSError, ValueError, KeyError):  # there is no container, or it has no limit ("max")
        return None


def in_gb(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e8 else f"{n_bytes / 1e6:.0f} MB"
