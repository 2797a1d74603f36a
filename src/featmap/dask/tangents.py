"""Tangent spaces and their connection, partition by partition, each in a table of its rows and their neighbours.

A partition gets the rows that its own are connected to from the others, once, and later their axes. Results computed
in its table have the same bits as in a table of all rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from dask.delayed import Delayed, delayed

from ..checks.settings import NeighborhoodSettings
from ..data.scaling import ScaledData
from ..data.sparse import Matrix
from ..neighbors.list_search import Partition
from ..run import Run
from ..tangents.alignment import connect_part
from ..tangents.axes import leading_axes, leading_factors
from ..tangents.svd import find_tangents
from ..values import Connection, FloatArray, Graph, IntArray, Tangents
from .blocks import joined, n_bytes_of_row
from .cluster import n_threads, persisted, results
from .files import read_part
from .search import Partitions


@dataclass(frozen=True)
class GraphInFiles:
    """The graph in files that partitions read: arrays sorted by partition."""

    folder: Path
    starts: np.ndarray  # (partitions + 1,) where the rows of each partition begin

    @classmethod
    def write(
        cls,
        folder: Path,
        rows: Sequence[IntArray],
        neighbors: IntArray,
        weights: FloatArray,
        graph: Graph,
    ) -> GraphInFiles:
        """Write the arrays. ``rows`` are the numbers of the rows of each partition."""
        starts = np.append(0, np.cumsum([len(part) for part in rows]))
        order = np.concatenate(rows)
        owners = np.empty(len(order), np.int32)
        owners[order] = np.repeat(np.arange(len(rows), dtype=np.int32), np.diff(starts))
        edges = graph.weights[order]
        arrays = {
            "owners": owners,
            "neighbors": neighbors[order],
            "weights": weights[order],
            "firsts": edges.indptr.astype(np.int64),
            "targets": edges.indices,
            "edge_weights": edges.data,
        }
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)
        return cls(folder, starts)

    def owners(self) -> IntArray:
        """Return the partition of every row."""
        return self._read("owners", 0, self.starts[-1])

    def of_rows(self, name: str, part: int) -> np.ndarray:
        """Return the entries of an array for the rows of a partition."""
        return self._read(name, self.starts[part], self.starts[part + 1])

    def edges(self, part: int) -> tuple[np.ndarray, IntArray, FloatArray]:
        """Return the edges of the rows of a partition: where those of each row begin, targets, weights."""
        firsts = self._read("firsts", self.starts[part], self.starts[part + 1] + 1)
        targets, weights = (self._read(name, firsts[0], firsts[-1]) for name in ("targets", "edge_weights"))
        return firsts - firsts[0], targets, weights

    def _read(self, name: str, start: int, stop: int) -> np.ndarray:
        return read_part(self.folder / f"{name}.npy", start, stop)


@dataclass(frozen=True)
class Table:
    """The rows that a partition needs, sorted by number, and the places of its own among them."""

    matrix: Matrix
    numbers: IntArray
    own: IntArray

    def places(self, numbers: IntArray) -> IntArray:
        return np.searchsorted(self.numbers, numbers).astype(np.int32)

    @property
    def data(self) -> ScaledData:
        return ScaledData(self.matrix, np.zeros(self.matrix.shape[1]), 1.0)


@dataclass(frozen=True)
class Spaces:
    """The tangent spaces of the rows of a partition, with their leading axes."""

    tangents: Tangents
    axes: FloatArray  # (rows, q, n)


@dataclass(frozen=True)
class PartitionedTangents:
    """The stages that need rows of several partitions, as tasks that start when their results are first needed."""

    partitions: Partitions
    rows: Sequence[IntArray]  # of each partition
    graph_files: GraphInFiles
    settings: NeighborhoodSettings
    exchanged: Counter[str]  # bytes by stage, counted while results are fetched

    def tangents(self) -> Iterator[tuple[IntArray, Tangents]]:
        """Yield the tangent spaces of the rows of each partition, without their centers."""
        take = delayed(_without_axes, pure=True)
        for number, (tangents, n_bytes) in enumerate(results([take(*pair) for pair in self._pairs()])):
            self.exchanged["tangents"] += n_bytes
            yield self.rows[number], tangents

    def connections(self) -> Iterator[tuple[IntArray, Connection]]:
        """Yield the connection on the edges of the rows of each partition, in the order of the graph."""
        give, join = delayed(_axes_of, pure=True), delayed(_connection, pure=True)
        joined_parts = []
        for own, (table, spaces) in enumerate(self._pairs()):
            asked = self._picked[own]
            given = [give(*pair, numbers) for pair, numbers in zip(self._pairs(), asked, strict=True)]
            joined_parts.append(join(table, spaces, asked, given, self.graph_files, own, self.settings))
        # A task holds the axes of all rows of its table, so no more are started than there are threads.
        for number, (connection, n_bytes) in enumerate(results(joined_parts, n_threads)):
            self.exchanged["alignment"] += n_bytes
            yield self.rows[number], connection

    def _pairs(self) -> list[tuple[Delayed, Delayed]]:
        return list(zip(self._tables, self._spaces, strict=True))

    @cached_property
    def _picked(self) -> list[list[Delayed]]:
        """The numbers of the rows that each partition needs from each other one."""
        ask, numbers = delayed(_asked, pure=True), range(len(self.rows))
        asked: list[Any] = persisted([ask(self.graph_files, own) for own in numbers])
        return [[lists[other] for other in numbers] for lists in asked]

    @cached_property
    def _tables(self) -> list[Delayed]:
        give, build = delayed(Partition.rows, pure=True), delayed(_table, pure=True)
        tables = []
        for part, asked in zip(self.partitions.parts, self._picked, strict=True):
            given = [give(other, numbers) for other, numbers in zip(self.partitions.parts, asked, strict=True)]
            tables.append(build(part, asked, given))
        return persisted(tables)

    @cached_property
    def _spaces(self) -> list[Delayed]:
        find = delayed(_spaces_of, pure=True)
        found = [find(table, self.graph_files, own, self.settings) for own, table in enumerate(self._tables)]
        return persisted(found)


def _asked(graph_files: GraphInFiles, own: int) -> list[IntArray]:
    """Return the numbers of the rows that a partition needs, by the other partitions that have them."""
    _, targets, _ = graph_files.edges(own)
    needed = np.unique(np.concatenate([targets, graph_files.of_rows("neighbors", own).ravel()]))
    owners = graph_files.owners()[needed]
    return [needed[(owners == number) & (number != own)] for number in range(len(graph_files.starts) - 1)]


def _table(part: Partition, asked: Sequence[IntArray], given: Sequence[Matrix]) -> Table:
    assert part.numbers is not None
    numbers, matrix = np.concatenate([part.numbers, *asked]), joined([part.matrix, *given])
    order = np.argsort(numbers, kind="stable")
    own = np.empty(len(order), np.int32)
    own[order] = np.arange(len(order), dtype=np.int32)
    return Table(matrix[order], numbers[order], own[: len(part.numbers)])


def _spaces_of(table: Table, graph_files: GraphInFiles, own: int, settings: NeighborhoodSettings) -> Spaces:
    neighbors, weights = (graph_files.of_rows(name, own) for name in ("neighbors", "weights"))
    with Run(None) as run:
        kind = settings.tangent_center, settings.intrinsic_dim, settings.n_components
        own_rows, near = table.matrix[table.own], table.places(neighbors)
        tangents = find_tangents(table.data, own_rows, near, weights, *kind, run)
        q = min(settings.n_components, tangents.n_directions)
        factors, rows = leading_factors(table.data, tangents, q, run), np.arange(len(table.own), dtype=np.int32)

        def body(start: int, stop: int) -> tuple[FloatArray]:
            return (leading_axes(table.data, tangents, factors, rows[start:stop]),)

        (axes,) = run.by_blocks(len(rows), body, table.data.rows_per_block(neighbors.shape[1]))
    return Spaces(tangents.without_leading(), axes)


def _without_axes(table: Table, spaces: Spaces) -> tuple[Tangents, int]:
    """Return the tangent spaces without their centers, and the bytes of the rows from other partitions."""
    no_centers = np.empty((len(table.own), 0), np.float32)
    n_given = len(table.numbers) - len(table.own)
    return replace(spaces.tangents, centers=no_centers), n_given * n_bytes_of_row(table.matrix)


def _axes_of(table: Table, spaces: Spaces, numbers: IntArray) -> FloatArray:
    return spaces.axes[np.searchsorted(table.numbers[table.own], numbers)]


def _connection(
    table: Table,
    spaces: Spaces,
    asked: Sequence[IntArray],
    given: Sequence[FloatArray],
    graph_files: GraphInFiles,
    own: int,
    settings: NeighborhoodSettings,
) -> tuple[Connection, int]:
    all_axes = np.empty((len(table.numbers), *spaces.axes.shape[1:]), np.float32)
    all_axes[table.own] = spaces.axes
    for numbers, axes_of_others in zip(asked, given, strict=True):
        all_axes[table.places(numbers)] = axes_of_others
    graph, is_own = _graph_of_table(table, *graph_files.edges(own))
    with Run(None) as run:
        kind = settings.n_components, settings.tangent_center, settings.frames
        whole = connect_part(table.data, all_axes, graph, *kind, int(graph_files.starts[-1]), run)
    return whole[is_own], sum(part.nbytes for part in given)


def _graph_of_table(
    table: Table, firsts: np.ndarray, targets: IntArray, weights: FloatArray
) -> tuple[Graph, np.ndarray]:
    """Return the edges of a partition's own rows, in both directions, and which of them start at an own row."""
    n_rows = len(table.numbers)
    sources = np.repeat(table.own, np.diff(firsts))
    outgoing = sp.csr_matrix((weights, (sources, table.places(targets))), (n_rows, n_rows))
    is_own = np.zeros(n_rows, bool)
    is_own[table.own] = True
    incoming = sp.diags_array((~is_own).astype(np.float32)) @ outgoing.T
    both = sp.csr_matrix(outgoing + incoming)
    both.eliminate_zeros()
    both.sort_indices()
    return Graph(both), np.repeat(is_own, np.diff(both.indptr))
