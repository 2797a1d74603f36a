"""The rows of a model and the lists of its search, in files that workers write part by part.

All workers must see the folder. A part has the same bytes each time it is written, so a task may run again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import scipy.sparse as sp
from dask.delayed import Delayed, delayed

from ..checks.settings import Settings
from ..data.sparse import Matrix, SparseRows
from ..errors import StoreError
from ..neighbors import EXACT_BELOW
from ..neighbors.exact import ExactSearch
from ..neighbors.large import LargeSearch
from ..neighbors.list_search import ListSearch, Partition
from ..neighbors.lists import Lists
from ..neighbors.other import CosineSearch
from ..neighbors.search import Search
from ..values import IntArray, edge_numbers
from .blocks import Blocks
from .cluster import each, results
from .search import AllPairs, ClusterSearch, Partitions

N_WITNESSES = 64  # tasks that check whether their worker sees a folder; idle workers share them


@contextmanager
def scratch_folder(beside: Path) -> Iterator[Path]:
    """Make a folder beside the file of the model, and remove it at the end."""
    try:
        folder = TemporaryDirectory(
            prefix=f".{beside.name}.", suffix=".rows", dir=beside.parent, ignore_cleanup_errors=True
        )
    except OSError as error:
        raise StoreError(f"fit(path=…): no folder can be made beside {beside}: {error.strerror or error}") from error
    with folder as name:
        yield Path(name)


def check_that_workers_see(folder: Path) -> None:
    """Raise an error at the begin of a fit if workers do not see a folder."""
    (folder / "seen").touch()
    witness = delayed(_see, pure=True)
    list(results([witness(folder / "seen", number) for number in range(N_WITNESSES)]))


def table_in_files(matrix: Blocks, folder: Path) -> Matrix:
    """Return all rows as one array, or as `SparseRows`, in files that are mapped into memory."""
    folder.mkdir()
    shapes = list(results(each(matrix.tables, _described)))
    n_features, starts = shapes[0][0], matrix.starts[:-1]
    if shapes[0][1] is None:
        return array_in_file(folder / "rows", matrix.tables, starts, (matrix.n_rows, n_features), np.float32)
    indptr = np.append(0, np.cumsum(np.concatenate([lengths for _, lengths in shapes]), dtype=np.int64))
    rows, starts, shape = [table.entries for table in matrix.tables], indptr[starts], (int(indptr[-1]),)
    entries = sp.csr_matrix((matrix.n_rows, n_features), dtype=np.float32)
    entries.data = array_in_file(folder / "values", [part.data for part in rows], starts, shape, np.float32)
    entries.indices = array_in_file(folder / "columns", [part.indices for part in rows], starts, shape, np.int32)
    entries.indptr = edge_numbers(indptr)
    return SparseRows(entries, next(results([matrix.tables[0].zeros])))


def _described(table: Matrix) -> tuple[int, IntArray | None]:
    """Return the number of features, and the number of stored entries of each row if rows are sparse."""
    is_sparse = isinstance(table, SparseRows)
    return table.shape[1], np.diff(table.entries.indptr) if is_sparse else None


def search_in_files(search: ClusterSearch | AllPairs, matrix: Matrix, settings: Settings, folder: Path) -> Search:
    """Return the search for new rows that a local model has, with all lists in one partition."""
    euclidean: ExactSearch | LargeSearch = ExactSearch(matrix)
    if matrix.shape[0] > EXACT_BELOW:
        chosen: ListSearch | ExactSearch = ExactSearch(matrix)
        if isinstance(search, ClusterSearch):
            partition = Partition(matrix, _lists_in_files(search.partitions, folder / "lists"))
            chosen = ListSearch(search.quantizer, partition, search.width, search.recall)
        euclidean = LargeSearch(matrix, settings.n_others + 1, chosen)
    return euclidean if settings.metric == "euclidean" else CosineSearch(euclidean)


def _lists_in_files(partitions: Partitions, folder: Path) -> Lists:
    """Join the lists of all partitions. Each has consecutive lists, so its blocks are consecutive, too."""
    folder.mkdir()
    firsts, shapes = zip(*results(each(partitions.parts, _described_lists)), strict=True)
    lists, starts = [part.lists for part in partitions.parts], np.cumsum([0, *(shape[0] for shape in shapes)])
    shape = (int(starts[-1]), *shapes[0][1:])
    blocks = array_in_file(folder / "blocks", [part.blocks for part in lists], starts[:-1], shape, np.float32)
    members = array_in_file(
        folder / "members", [part.members for part in lists], starts[:-1], (shape[0], shape[2]), np.int32
    )
    return Lists(blocks, np.sum(firsts, axis=0), members)


def _described_lists(part: Partition) -> tuple[np.ndarray, tuple[int, ...]]:
    return part.lists.first_blocks, part.lists.blocks.shape


def array_in_file(
    path: Path, parts: Sequence[Delayed], starts: np.ndarray, shape: tuple[int, ...], dtype: Any
) -> np.ndarray:
    """Let workers write an array into a file. ``starts`` tells where the parts begin on the first axis.

    The file is opened after that, since on network file systems it shows what others wrote before it was opened.
    """
    path.touch()
    write = delayed(write_part, pure=True)
    list(results([write(path, int(start), part, dtype) for start, part in zip(starts, parts, strict=True)]))
    return np.zeros(shape, dtype) if 0 in shape else np.memmap(path, dtype, "r+", shape=shape)


def write_part(path: Path, start: int, part: np.ndarray, dtype: Any) -> None:
    """Write a part of an array into its file, from entry ``start`` of the first axis on."""
    _see(path)
    part = np.ascontiguousarray(part, dtype)
    with path.open("r+b") as file:
        file.seek(start * part[:1].nbytes if len(part) else 0)
        file.write(part.data if part.size else b"")


def read_part(path: Path, start: int, stop: int) -> np.ndarray:
    """Read some entries of the first axis of an array that numpy has written."""
    _see(path)
    return np.array(np.load(path, mmap_mode="r")[start:stop])


def _see(path: Path, number: int = 0) -> None:
    """Raise an error if this worker does not see a path. The ``number`` distinguishes tasks, so that all are run."""
    if not path.exists():
        raise StoreError(
            f"fit(path=…): a worker does not see {path.parent}; give a path on a file system that all workers share"
        )
