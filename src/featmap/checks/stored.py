"""Arrays of Zarr and HDF5: recognized by the names of their types, and read once, in order, by whole chunks.

A fit looks at its data several times, and their chunks would be unpacked anew each time. So they are copied in their
own type: small data into memory, others into an unnamed temporary file. The system removes it once nothing uses it,
however the process ends.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite

from ..errors import StoreError

STORED_ARRAYS = {("zarr", "Array"), ("h5py", "Dataset")}
IN_MEMORY = 2**26  # bytes; larger data are copied into a file
READ_AT_ONCE = 2**24  # bytes of a block; a block has at least one chunk of rows
MOST_AT_ONCE = 2**28  # bytes; chunks with more rows than that are read several times, a part of their rows each time


def is_stored(X: Any) -> bool:
    """Whether X is an array of Zarr or a dataset of HDF5. Neither package is imported."""
    return any((kind.__module__.partition(".")[0], kind.__name__) in STORED_ARRAYS for kind in type(X).__mro__)


@dataclass(frozen=True)
class StoredTable:
    """A table of numbers that has not been read yet."""

    source: Any
    shape: tuple[int, int]
    dtype: np.dtype  # of the values when they are read

    @classmethod
    def of(cls, source: Any) -> StoredTable:
        """A table, if the array has two dimensions."""
        with _readable("X"):
            shape: Any = source.shape or ()
            dtype = np.dtype(source.dtype)
        if len(shape) != 2:
            raise ValueError(f"Expected 2D array, got {len(shape)}D array instead")
        return cls(source, shape, np.dtype(np.float64) if dtype.char == "g" else dtype)

    @property
    def n_bytes(self) -> int:
        return self.shape[0] * self._row_bytes

    @property
    def _row_bytes(self) -> int:
        return self.shape[1] * self.dtype.itemsize

    def first_rows(self) -> np.ndarray:
        """Two rows of zeros in the place of the first ones: checks of type and shape need not read any."""
        if self.dtype.kind not in "biufcSUmM":
            raise TypeError(f"values of type {self.dtype} are not numbers")
        return np.zeros((min(self.shape[0], 2), self.shape[1]), self.dtype)

    def read(self, caller: str, beside: str | PathLike[str] | None) -> np.ndarray:
        """All rows: in memory if they are few, else in a file in the folder of ``beside``, or of temporary files."""
        if self.n_bytes > IN_MEMORY:
            return self._in_file(caller, Path(gettempdir() if beside is None else Path(beside).absolute().parent))
        rows = np.empty(self.shape, self.dtype)
        for part in self._blocks():
            rows[part] = self._block(part)
        return rows

    def _in_file(self, caller: str, folder: Path) -> np.ndarray:
        """Written, not mapped while it grows: if the disk is full, writing fails, and a mapping kills the process."""
        try:
            if shutil.disk_usage(folder).free < self.n_bytes:
                raise OSError("there is no room for it")
            with TemporaryFile(dir=folder) as file:
                for part in self._blocks():
                    file.write(self._block(part))
                file.flush()
                return np.asarray(np.memmap(file, self.dtype, "r+", shape=self.shape))
        except OSError as error:
            raise StoreError(
                f"{caller}(X): a copy of X, {self.n_bytes / 1e9:.1f} GB, could not be written into {folder} "
                f"({error.strerror or error}); fit(checkpoint=…) puts it beside the checkpoint, and the environment "
                "variable TMPDIR names another folder for temporary files"
            ) from error

    def _blocks(self) -> Iterator[slice]:
        """Rows of whole chunks, in order."""
        chunks = getattr(self.source, "shards", None) or self.source.chunks or (1,)
        chunk = min(chunks[0], max(MOST_AT_ONCE // self._row_bytes, 1))
        step = chunk * max(READ_AT_ONCE // (chunk * self._row_bytes), 1)
        return (slice(start, min(start + step, self.shape[0])) for start in range(0, self.shape[0], step))

    def _block(self, rows: slice) -> np.ndarray:
        with _readable(f"rows {rows.start} to {rows.stop - 1} of X"):
            values = np.ascontiguousarray(self.source[rows], self.dtype)
        assert_all_finite(values, input_name="X")
        return values


@contextmanager
def _readable(what: str) -> Iterator[None]:
    """Turn what the packages raise, which is of many kinds, into one kind."""
    try:
        yield
    except Exception as error:
        raise ValueError(f"{what} cannot be read ({error})") from error
