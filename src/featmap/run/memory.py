"""How much memory a fit takes, before it begins: a table of bytes a row, by stage.

It counts what a fit allocates at its peak. The data that the user passes are there already, in memory or in a file,
and do not count, nor does the interpreter with its libraries.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs

from ..checks.parameters import (
    NAME_OF_DISTANCES,
    RULES,
    Rules,
    check_each,
    check_tangent_neighbors,
    either,
    integer,
    none,
)
from ..checks.settings import n_components_of
from ..errors import NotEnoughMemoryError

if TYPE_CHECKING:
    from ..checks.settings import NeighborhoodSettings

# Sizes of the stages, as their modules have them. They change rarely, and a test compares the sum with real fits.
BLOCK_BYTES = 2**22  # of rows that a thread works on
SMALL_ROWS = 10_000  # up to so many rows all pairs are compared
QUERIES = 512  # of a block of the neighbour search
LIST_COORDINATES = 64  # of a row in the lists; up to 256 where the search has to be widened that far
LIST_SAMPLE = 24 / 128  # of the rows, from which the centres of the lists are found
CANDIDATE_BYTES = 2**26  # of sparse candidates made dense
SAMPLE_BYTES = 2**28  # of the sample from which principal directions are found
SAMPLE_ROWS = 10_000
SMOOTHED_ROWS = 20_000  # up to so many rows the start is smoothed principal components
SPECTRAL_ROWS = 100_000  # up to so many rows it is the graph's spectrum
PRODUCT_BYTES = 2**20  # of inner products of the points of a block
AXES_BYTES = 2**27  # of axes of all points, for a slice of the features
SLICE_FEATURES = 64  # that it has at least
MOST_PARTS = 6  # of the points, where the axes of all take more
LISTS_KEPT_UP_TO = 100_000  # rows; in a fit of more, the coordinates in lists are given up until the map is made
LIST_PADDING = 1.125  # lists are stored in blocks of 32, and have 128 rows on average
# Axes that a part needs for each of its points: its own, and those of points beyond that edges lead to.
AXES_PER_POINT = 1.5

# Bytes a row of groups of rows and their edges, from which large maps start.
GROUP_BYTES = 16

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
    item: int  # bytes of a value of the rows that a search has for itself; 0 if it has none
    has_fast_metric: bool
    n_threads: int
    pca: int | None = None  # principal components that neighbourhoods are made of
    has_checkpoint: bool = False

    @property
    def is_sparse(self) -> bool:
        return self.n_stored is not None

    @property
    def stored(self) -> float:
        """Values of a row that are stored."""
        return self.n if self.n_stored is None else self.n_stored / self.m

    @property
    def e(self) -> float:
        """Edges of a row."""
        return min(EDGES_PER_NEIGHBOR * self.k, self.m - 1)

    @property
    def r(self) -> int:
        """Local directions."""
        return min(self.k_tangent, self.n)

    @property
    def q(self) -> int:
        """Aligned directions."""
        return min(self.dim, self.r)

    @property
    def data(self) -> float:
        """Bytes of a scaled row."""
        return (8 if self.is_sparse else 4) * self.stored

    @property
    def searched(self) -> float:
        """Bytes of a row that a search has for itself: the data as they are, or their roots."""
        return (self.item + (4 if self.is_sparse else 0)) * self.stored if self.item else 0.0

    @property
    def threads(self) -> int:
        """No more threads search than there are blocks of rows."""
        return min(self.n_threads, -(-self.m // QUERIES))

    @property
    def has_lists(self) -> bool:
        return self.has_fast_metric and self.m > SMALL_ROWS

    @property
    def members(self) -> float:
        """Bytes a row of the numbers in lists."""
        return 4.0 * LIST_PADDING if self.has_lists else 0.0

    @property
    def coordinates(self) -> float:
        """Bytes of the coordinates of a row."""
        return 4.0 * min(-(-self.n // 8) * 8, LIST_COORDINATES) if self.has_lists else 0.0

    @property
    def given_up(self) -> float:
        """Bytes a row that lists give up until the map is made."""
        return self.coordinates * LIST_PADDING if self.m > LISTS_KEPT_UP_TO else 0.0

    @property
    def leading(self) -> float:
        """Bytes a row of the leading factors, which are kept from the tangent spaces to the alignment."""
        return 8.0 * self.k_tangent * self.q

    @property
    def products(self) -> float:
        """Bytes of the inner products of the blocks that threads work on."""
        needed = 1 + 8 * (self.k_tangent + 1) ** 2 * self.m // PRODUCT_BYTES
        return 6.0 * PRODUCT_BYTES * min(self.n_threads, needed)

    @property
    def sample(self) -> float:
        """Bytes of the sample that principal directions are found from."""
        return 4.0 * self.n * min(self.m, SAMPLE_ROWS, max(SAMPLE_BYTES // (4 * self.n), 100))

    @property
    def graph(self) -> float:
        """Bytes a row of the graph."""
        return 8 * self.e + 4

    @property
    def rotations(self) -> float:
        """Bytes a row of the rotations along edges, which are codes in the plane."""
        return 4 * self.e * (1 if self.q == self.dim == 2 else self.q**2)

    @property
    def connection(self) -> float:
        """Bytes a row of rotations and steps along edges."""
        return 4 * self.e * self.q + self.rotations


@dataclass(frozen=True)
class StageMemory:
    """What a stage allocates: bytes a row for later stages, bytes a row while it runs, and bytes beside the rows.

    ``kept`` is negative if the stage gives up more than it keeps.
    """

    stage: str
    kept: float
    working: float
    fixed: float = 0.0


def memory_by_stage(s: Sizes) -> list[StageMemory]:
    """The table. A checkpoint keeps in memory what a stage without one gives up."""
    stages, kept = _stages(s), _kept_by_checkpoint(s) if s.has_checkpoint else {}
    return [replace(stage, kept=stage.kept + kept.get(stage.stage, 0.0)) for stage in stages]


def _kept_by_checkpoint(s: Sizes) -> dict[str, float]:
    """Bytes a row, by the stage from which on only the checkpoint needs them.

    They are where the map starts, with groups of rows; the graph in the order of the rows, beside that of the layout;
    the leading factors; and rotations and steps along edges.
    """
    start = 4.0 * s.dim + (GROUP_BYTES if s.m > SMOOTHED_ROWS else 0)
    return {"start": start, "alignment": s.graph, "layout": s.leading, "end": s.connection}


def _stages(s: Sizes) -> list[StageMemory]:
    """With ``pca`` those of the components, which are dense, with the features scaled beside them."""
    if s.pca is None:
        return [stage(s) for stage in STAGES]
    components = replace(s, n=s.pca, n_stored=None, item=8 if s.item else 0, pca=None)
    features, scaled = _scaling(s), _scaling(components)
    fixed = (0.0 if s.is_sparse else s.sample) + 2 * BLOCK_BYTES * s.n_threads
    scaling = StageMemory("scaling", scaled.kept + features.kept, features.working + 8 * s.pca, fixed)
    return [scaling, *(stage(components) for stage in STAGES[1:])]


def _scaling(s: Sizes) -> StageMemory:
    return StageMemory("scaling", s.data, 12 * s.stored if s.is_sparse else 0, 2 * BLOCK_BYTES)


def _neighbors(s: Sizes) -> StageMemory:
    k = max(s.k, s.k_tangent)
    dense = 4.0 * s.n * s.threads if s.is_sparse else 0.0  # of a sparse row that every thread makes dense
    ranked = QUERIES * dense + min(dense * s.m, s.threads * CANDIDATE_BYTES)
    found = 13.0 * (k + 1)
    if not s.has_lists:
        return StageMemory("neighbors", s.searched + 8 * k, 20.0 * (k + 1) + s.threads * 24 * QUERIES, ranked)
    # Either the lists are filled, from coordinates, homes and places, or they are searched.
    filling = s.coordinates + 24 + LIST_SAMPLE * (s.data + s.coordinates) - 8 * k
    kept = s.searched + s.members + s.coordinates * LIST_PADDING - s.given_up
    return StageMemory("neighbors", kept + 8 * k, s.given_up + max(filling, 12 + found), max(s.sample, ranked))


def _graph(s: Sizes) -> StageMemory:
    return StageMemory("graph", s.graph, 12 * s.k + 48)


def _tangents(s: Sizes) -> StageMemory:
    neighborhoods = 4 * BLOCK_BYTES * s.n_threads if s.is_sparse else 0
    own_weights = 8 * s.k_tangent if s.k_tangent > s.k else 0
    kept = 4 * s.r + 4 * s.k_tangent + 4 + 8 * (1 + 2 * s.dim)
    return StageMemory("tangents", kept, s.leading + s.r + own_weights, neighborhoods + s.products)


def _start(s: Sizes) -> StageMemory:
    """Smoothed components, the spectrum, or groups of rows.

    The map of the groups is spread along the graph in the order of the layout, while that of the rows is still held.
    """
    if s.m <= SMOOTHED_ROWS:
        return StageMemory("start", 0, s.leading + 24.0 * (s.dim + 8), s.sample)
    if s.m <= SPECTRAL_ROWS:
        return StageMemory("start", 0, s.leading + 36 * s.e + 160)
    return StageMemory("start", 0, s.leading + s.graph + GROUP_BYTES + 8 + 40 * s.dim, s.sample)


def _alignment(s: Sizes) -> StageMemory:
    """The graph changes its order, and is not held twice.

    In the plane codes of rotations are written while the axes are there, and sums along edges are kept if there are
    several slices of features. On other maps the sums are kept, and rotations are made when the axes are gone.
    """
    in_plane, width = s.q == s.dim == 2, min(s.n, max(SLICE_FEATURES, AXES_BYTES // (4 * s.m * s.q)))
    n_parts = min(MOST_PARTS, max(1, -(-4 * s.m * s.q * width // AXES_BYTES)))
    axes = 4.0 * s.q * width * (1.0 if n_parts == 1 else AXES_PER_POINT / n_parts)
    copied = 0.0 if width == s.n and not s.is_sparse else 4.0 * width
    if in_plane:
        sums = axes + copied + (8 * s.e if width < s.n else 0)
    else:
        sums = 4 * s.e * s.q**2 + max(axes + copied - s.rotations, 0.0)
    return StageMemory("alignment", s.connection, s.leading + sums + 20 + 4 * s.dim, s.products)


def _layout(s: Sizes) -> StageMemory:
    """Edges, the order and the state of the descent; what density asks for; and what an epoch makes of the map."""
    n_terms, n_moments = min(s.dim, 2) + (s.dim if s.dim > 2 else 0), 1 + s.dim + s.dim * (s.dim + 1) // 2
    target, epoch = 8 + 16 * n_terms, 8 * (n_moments + 1 + s.dim) + 32 * n_terms
    return StageMemory("layout", 0, _edges(s) + 20 * s.dim + 4 * s.dim**2 + target + epoch)


def _frames(s: Sizes) -> StageMemory:
    return StageMemory("frames", 0, _edges(s) + 12 * s.dim + 28 * s.dim**2)


def _end(s: Sizes) -> StageMemory:
    """Lists are filled again, and radii compared. Edges, rotations and steps are gone."""
    answers = 8 * s.dim + 4 * s.dim**2 + 16 * (1 + s.dim)
    kept = answers + s.given_up - s.connection
    return StageMemory("end", kept, 8 * (1 + 2 * s.dim) + 40 * (2 + s.dim))


def _edges(s: Sizes) -> float:
    """Bytes a row of what the layout knows of the edges, and of the order."""
    return s.e + 4 * s.k + 29


STAGES = (_scaling, _neighbors, _graph, _tangents, _start, _alignment, _layout, _frames, _end)


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
    "checkpoint": (lambda value: isinstance(value, bool), "must be True or False"),
}


def estimate_memory(
    shape: tuple[int, int],
    *,
    n_neighbors: int = 15,
    n_components: int = 2,
    n_tangent_neighbors: int | None = None,
    metric: Any = "euclidean",
    pca: int | np.ndarray | None = None,
    dtype: Any = np.float32,
    n_stored: int | None = None,
    n_jobs: int | None = -1,
    checkpoint: bool = False,
) -> MemoryEstimate:
    """Estimate how much memory a fit needs.

    It is the most that `FeatMAP.fit` allocates at any time, beyond the data themselves and the interpreter. It was
    within a quarter of the truth on 70,000 × 784 and 300,000 × 50 numbers; on other systems it may be further off.

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
        "metric": metric,
        "pca": pca,
        "dtype": dtype,
        "n_stored": n_stored,
        "n_jobs": n_jobs,
        "checkpoint": checkpoint,
    }
    check_each("estimate_memory", asked, ASKED_RULES)
    check_tangent_neighbors("estimate_memory", n_tangent_neighbors, n_neighbors)
    n_rows, n_features = shape
    n_neighbors = min(n_neighbors, n_rows)
    n_others = min(n_tangent_neighbors or n_neighbors, n_rows) - 1
    fast = isinstance(metric, str) and metric in ("euclidean", "cosine", "hellinger")
    n_threads = 1 if n_jobs is None else effective_n_jobs(n_jobs)
    itemsize = 4 if metric == "hellinger" else 0 if fast else np.dtype(dtype).itemsize
    if isinstance(metric, str) and metric == NAME_OF_DISTANCES:
        n_features, n_stored, itemsize = 1, None, 0  # distances are used where they are
    counts = n_rows, n_features, n_neighbors - 1, n_others, n_components
    return peak(Sizes(*counts, n_stored, itemsize, fast, n_threads, n_components_of(pca), checkpoint))


def check_memory(
    caller: str,
    X: Any,
    settings: NeighborhoodSettings,
    n_components: int,
    n_jobs: int | None,
    *,
    checkpoint: bool = False,
) -> None:
    """Refuse a fit that needs more memory than the machine has, where the system tells how much it has."""
    needed = estimate_memory(
        X.shape,
        n_neighbors=max(settings.n_neighbors, 3),
        n_components=n_components,
        n_tangent_neighbors=max(settings.n_tangent_neighbors, 3),
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


def return_free_memory() -> None:
    """Give memory that the allocator holds free back to the system, where the C library can.

    The C library of Linux keeps freed blocks of up to 32 MB for later. After a stage of a million rows these are
    hundreds of megabytes that lie between arrays still in use, and the large arrays of the next stage do not fit into
    them.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, TypeError, AttributeError):  # Windows has no library of this name, others no such function
        return None
