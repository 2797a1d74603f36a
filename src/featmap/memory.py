"""How much memory a fit takes, before it begins: the arrays that each stage holds, beside what earlier ones left.

What is counted is what a fit allocates at its peak: not the data you pass, which are there already, and not the
interpreter with its libraries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from .alignment import BYTES_OF_AXES
from .errors import NotEnoughMemoryError
from .features import BYTES_PER_BLOCK
from .kernels.search import COORDINATES_AT_ONCE
from .layout.start import SPECTRUM_UP_TO
from .neighbors import (
    BYTES_OF_CANDIDATES,
    EXACT_BELOW,
    LIST_DIRECTIONS,
    PROBED_LISTS,
    QUERIES_PER_BLOCK,
    ROWS_PER_BLOCK,
)
from .parameters import RULES, Rules, check_each, check_tangent_neighbors, either, integer, none
from .projection import ROWS_AT_ONCE, sample_size

INT = FLOAT = 4
DOUBLE = 8
ENTRY = INT + FLOAT  # of a sparse matrix
DOUBLE_ENTRY = INT + DOUBLE

# Directed edges of the graph for every neighbour found: between 1, were all mutual, and 2. Real data have some 1.5.
EDGES_PER_NEIGHBOR = 1.5
LANCZOS_VECTORS = 20  # of scipy's eigsh

MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")


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
    "dtype": (_is_dtype, "must be a type of numpy's, such as X.dtype"),
    "n_stored": (either(none, integer(0)), "must be None for dense data, or the number of stored values (X.nnz)"),
}


def estimate_memory(
    shape: tuple[int, int],
    *,
    n_neighbors: int = 15,
    n_components: int = 2,
    n_tangent_neighbors: int | None = None,
    metric: Any = "euclidean",
    dtype: Any = np.float32,
    n_stored: int | None = None,
    n_jobs: int | None = -1,
) -> int:
    """Bytes that `FeatMAP.fit` allocates at its peak, beyond the data themselves and the interpreter.

    ``shape`` is that of the data and ``n_stored`` the number of stored values if they are sparse; ``dtype`` counts
    only for metrics other than "euclidean" and "cosine", for which the data are kept as they are. Within a quarter of
    what was measured on 70,000 × 784 and 300,000 × 50.
    """
    asked = {
        "shape": shape,
        "n_neighbors": n_neighbors,
        "n_components": n_components,
        "n_tangent_neighbors": n_tangent_neighbors,
        "metric": metric,
        "dtype": dtype,
        "n_stored": n_stored,
        "n_jobs": n_jobs,
    }
    check_each("estimate_memory", asked, ASKED_RULES)
    check_tangent_neighbors("estimate_memory", n_tangent_neighbors, n_neighbors)
    n_rows, n_features = shape
    n_neighbors = min(n_neighbors, n_rows)
    sizes = Sizes(
        n_rows,
        n_features,
        n_neighbors - 1,
        min(n_tangent_neighbors or n_neighbors, n_rows) - 1,
        n_components,
        metric in ("euclidean", "cosine"),
        np.dtype(dtype).itemsize,
        n_stored,
        1 if n_jobs is None else effective_n_jobs(n_jobs),
    )
    return int(max(sizes.stages()))


@dataclass(frozen=True)
class Sizes:
    """The numbers that all arrays of a fit are made of."""

    m: int  # rows
    n: int  # features
    k: int  # neighbours in the graph
    k_tangent: int
    dim: int
    has_fast_metric: bool
    item: int  # bytes of a value of the data
    n_stored: int | None
    n_threads: int

    def stages(self) -> Iterator[float]:
        """What is held at the peak of each stage, in their order."""
        yield self.features() + self.measuring()
        held = self.features() + self.search()
        yield held + self.searching()
        held += ENTRY * self.m * max(self.k, self.k_tangent)
        yield held + self.joining()
        held += self.graph()
        yield held + self.tangents() + self.decomposing()
        held += self.tangents()
        yield held + self.starting()
        held += self.graph() + self.connection()  # once more, in the order of the layout
        yield held + self.aligning()
        yield held + self.laying_out()

    @property
    def edges(self) -> float:
        return min(EDGES_PER_NEIGHBOR * self.m * self.k, self.m * (self.m - 1))

    @property
    def directions(self) -> int:
        """r: local directions kept at each point."""
        return min(self.k_tangent, self.n)

    @property
    def aligned_directions(self) -> int:
        return min(self.dim, self.directions)

    def threads(self, rows_per_block: int) -> int:
        """No more than there are blocks."""
        return min(self.n_threads, -(-self.m // rows_per_block))

    def features(self) -> float:
        """The data in unit size, in float32."""
        return FLOAT * self.m * self.n if self.n_stored is None else ENTRY * self.n_stored

    def measuring(self) -> float:
        return BYTES_PER_BLOCK if self.n_stored is None else DOUBLE_ENTRY * self.n_stored

    def made_dense(self, n_rows: int) -> float:
        """Rows of sparse data that every thread looks at."""
        return 0 if self.n_stored is None else self.n_threads * FLOAT * n_rows * self.n

    def ranked(self) -> float:
        """Candidates among sparse data that every thread looks at."""
        return min(self.made_dense(self.m), self.n_threads * BYTES_OF_CANDIDATES)

    def search(self) -> float:
        """What finds the neighbours of new rows, too: lists of coordinates, or the data as given."""
        if not self.has_fast_metric:
            return self.item * self.m * self.n if self.n_stored is None else (INT + self.item) * self.n_stored
        return self.coordinates() if self.m > EXACT_BELOW else 0

    def coordinates(self) -> float:
        n_axes = -(-min(self.n, LIST_DIRECTIONS) // COORDINATES_AT_ONCE) * COORDINATES_AT_ONCE
        return FLOAT * self.m * n_axes

    def searching(self) -> float:
        found = (INT + 2 * DOUBLE) * self.m * (max(self.k, self.k_tangent) + 1)
        if self.has_fast_metric and self.m > EXACT_BELOW:
            building = max(FLOAT * sample_size(self.m, self.n) * self.n, self.made_dense(ROWS_AT_ONCE))
            ranking = self.made_dense(QUERIES_PER_BLOCK) + self.ranked()
            return self.coordinates() + max(building, INT * self.m * PROBED_LISTS + found + ranking)
        # Of a block of queries: distances to all rows, with bounds, sums and marks of the same shape.
        comparing = self.threads(QUERIES_PER_BLOCK) * 6 * FLOAT * QUERIES_PER_BLOCK * self.m
        rows = self.made_dense(QUERIES_PER_BLOCK) + max(self.made_dense(ROWS_PER_BLOCK), self.ranked())
        return found + comparing + rows

    def joining(self) -> float:
        """The memberships, there and back, and sums of sparse matrices, which are made for all entries of both."""
        found = self.m * self.k
        return DOUBLE * found + DOUBLE_ENTRY * found * (1 + 2 + 2 + 0.5)

    def graph(self) -> float:
        return ENTRY * self.edges

    def tangents(self) -> float:
        """Factors and singular values."""
        return DOUBLE * self.m * self.directions * (self.k_tangent + 1)

    def decomposing(self) -> float:
        """Weights of the neighbours; then squares and sums of singular values."""
        rows_per_block = max(1, BYTES_PER_BLOCK // (FLOAT * self.n * self.k_tangent))
        blocks = self.threads(rows_per_block) * 4 * BYTES_PER_BLOCK
        return DOUBLE * self.m * self.k_tangent + max(blocks, 2 * DOUBLE * self.m * self.directions)

    def starting(self) -> float:
        if self.m > SPECTRUM_UP_TO:
            return FLOAT * sample_size(self.m, self.n) * self.n + 3 * DOUBLE * self.m * (self.dim + 8)
        return 3 * DOUBLE_ENTRY * self.edges + LANCZOS_VECTORS * DOUBLE * self.m

    def connection(self) -> float:
        """V_jᵀV_i and V_iᵀ(x_j − x_i) of every edge."""
        q = self.aligned_directions
        return FLOAT * self.edges * q * (q + 1)

    def aligning(self) -> float:
        """A slice of the features with the axes of all points in it and the numbers of both ends of the edges."""
        q = self.aligned_directions
        slice_of_axes = min(BYTES_OF_AXES, FLOAT * self.m * self.n * q)
        return slice_of_axes * (1 + 1 / q) + 2 * (INT + ENTRY) * self.edges

    def laying_out(self) -> float:
        """The turns of every edge, the edges by slots, and what a point carries: places, moments, radii, frames."""
        q = self.aligned_directions
        per_point = FLOAT * 5 * self.dim + DOUBLE * 4 * self.dim + FLOAT * 4 * self.dim**2
        return FLOAT * self.edges * q**2 + ENTRY * self.edges + self.m * per_point


def check_memory(needed: int) -> None:
    """Refuse a fit that the machine has no room for, where the system tells how much it has."""
    available = available_memory()
    if available is not None and needed > available:
        raise NotEnoughMemoryError(
            f"fit(X): needs about {_in_gb(needed)} beyond the data, and {_in_gb(available)} are available; fit a "
            "sample of the rows and place the others by transform, reduce the features first (sklearn's PCA or "
            "TruncatedSVD), or choose smaller n_neighbors and n_tangent_neighbors"
        )


def available_memory() -> int | None:
    """Bytes that a process can still get of the machine and of its container; None where the system does not tell."""
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
        return most - used + int(statistics["file"])  # cached files give way
    except (OSError, ValueError, KeyError):  # no container, or one without a limit ("max")
        return None


def _in_gb(n_bytes: int) -> str:
    return f"{n_bytes / 2**30:.1f} GB"
