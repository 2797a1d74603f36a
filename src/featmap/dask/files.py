"""The rows of a model and the lists that search them, written into files by the workers that hold them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp
from dask.delayed import delayed

from ..checks.settings import Settings
from ..data.sparse import Matrix, SparseRows
from ..neighbors import EXACT_BELOW
from ..neighbors.exact import ExactSearch
from ..neighbors.large import LargeSearch
from ..neighbors.list_search import ListSearch, Partition
from ..neighbors.lists import Lists
from ..neighbors.other import CosineSearch
from ..neighbors.search import Search
from ..values import IntArray
from .blocks import Blocks
from .cluster import results
from .partitions import Partitions
from .scratch import mapped_array, write_part
from .search import AllPairs, ClusterSearch


def table_in_files(matrix: Blocks, folder: Path) -> Matrix:
    """All rows as one array, or as `SparseRows`, in files that are mapped into memory."""
    folder.mkdir()
    shapes = list(results(matrix.each(_described)))
    if shapes[0][1] is None:
        return _dense_in_file(matrix, shapes[0][0], folder / "rows")
    return _sparse_in_files(matrix, shapes[0][0], [lengths for _, lengths in shapes], folder)


def _described(table: Matrix) -> tuple[int, IntArray | None]:
    """The number of features, and of stored entries of each row if they are sparse."""
    is_sparse = isinstance(table, SparseRows)
    return table.shape[1], np.diff(table.entries.indptr) if is_sparse else None


def _dense_in_file(matrix: Blocks, n_features: int, path: Path) -> np.ndarray:
    path.touch()
    write = delayed(write_part, pure=True)
    starts = matrix.starts[:-1]
    for _ in results([write(path, int(start), table) for start, table in zip(starts, matrix.tables, strict=True)]):
        pass
    return mapped_array(path, (matrix.n_rows, n_features), np.float32)


def _sparse_in_files(matrix: Blocks, n_features: int, lengths: list[np.ndarray], folder: Path) -> SparseRows:
    indptr = np.append(0, np.cumsum(np.concatenate(lengths), dtype=np.int64))
    paths = folder / "values", folder / "columns"
    for path in paths:
        path.touch()
    write = delayed(_write_entries, pure=True)
    starts = indptr[matrix.starts[:-1]]
    zeros = list(
        results([write(*paths, int(start), table) for start, table in zip(starts, matrix.tables, strict=True)])
    )
    entries = sp.csr_matrix((matrix.n_rows, n_features), dtype=np.float32)
    entries.data, entries.indices = (
        mapped_array(path, (int(indptr[-1]),), dtype)
        for path, dtype in zip(paths, (np.float32, np.int32), strict=True)
    )
    entries.indptr = indptr.astype(np.int32) if indptr[-1] < 2**31 else indptr
    return SparseRows(entries, zeros[0])


def _write_entries(values: Path, columns: Path, start: int, table: SparseRows) -> np.ndarray:
    write_part(values, start, table.entries.data)
    write_part(columns, start, table.entries.indices.astype(np.int32, copy=False))
    return table.zeros


def search_in_files(search: ClusterSearch | AllPairs, matrix: Matrix, settings: Settings, folder: Path) -> Search:
    """The search that a local model has: for new rows, with all lists in one partition."""
    small = matrix.shape[0] <= EXACT_BELOW
    euclidean: Search = (
        ExactSearch(matrix) if small else LargeSearch(matrix, settings.n_others + 1, _chosen(search, matrix, folder))
    )
    return euclidean if settings.metric == "euclidean" else CosineSearch(euclidean)


def _chosen(search: ClusterSearch | AllPairs, matrix: Matrix, folder: Path) -> ListSearch | ExactSearch:
    if isinstance(search, AllPairs):
        return ExactSearch(matrix)
    partition = Partition(matrix, _lists_in_files(search.partitions, folder / "lists"))
    return ListSearch(search.quantizer, partition, search.width, search.recall)


def _lists_in_files(partitions: Partitions, folder: Path) -> Lists:
    """The lists of all partitions. Each partition has consecutive lists, so its blocks are in one piece."""
    folder.mkdir()
    firsts, shapes = zip(*results(partitions.each(_described_lists)), strict=True)
    starts = np.append(0, np.cumsum([shape[0] for shape in shapes]))
    paths = folder / "blocks", folder / "members"
    for path in paths:
        path.touch()
    write = delayed(_write_lists, pure=True)
    for _ in results(
        [write(*paths, int(start), part) for start, part in zip(starts, partitions.parts, strict=False)]
    ):
        pass
    blocks = mapped_array(paths[0], (int(starts[-1]), *shapes[0][1:]), np.float32)
    return Lists(blocks, np.sum(firsts, axis=0), mapped_array(paths[1], (int(starts[-1]), shapes[0][2]), np.int32))


def _described_lists(part: Partition) -> tuple[np.ndarray, tuple[int, ...]]:
    return part.lists.first_blocks, part.lists.blocks.shape


def _write_lists(blocks: Path, members: Path, start: int, part: Partition) -> int:
    write_part(blocks, start, part.lists.blocks)
    return write_part(members, start, part.lists.members)
