"""Arrays in files that workers fill part by part, and that the model is then saved from.

All workers must see the folder. A part that is written twice has the same bytes, so a task may run again.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from dask.delayed import delayed

from ..errors import StoreError
from .cluster import results

LOOKS = 64  # tasks that look for a folder; idle workers share them


@contextmanager
def scratch_folder(beside: Path) -> Iterator[Path]:
    """A folder beside the file of the model, which is removed at the end."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{beside.name}.", suffix=".rows", dir=beside.parent))
    except OSError as error:
        raise StoreError(f"fit(path=…): no folder can be made beside {beside}: {error.strerror or error}") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_that_workers_see(folder: Path) -> None:
    """Refuse a folder that workers do not see, before they have worked for hours."""
    (folder / "seen").touch()
    look = delayed(_see, pure=True)
    for _ in results([look(folder / "seen", number) for number in range(LOOKS)]):
        pass


def mapped_array(path: Path, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array in a file that workers have written.

    It is opened after that, since a file system of a network shows what others wrote to those who open a file later.
    """
    return np.zeros(shape, dtype) if 0 in shape else np.memmap(path, dtype, "r+", shape=shape)


def write_part(path: Path, start: int, part: np.ndarray) -> int:
    """Write entries of an array in a file, from entry ``start`` of its first axis on. Tells how many they are."""
    _see(path)
    part = np.ascontiguousarray(part)
    with path.open("r+b") as file:
        file.seek(start * part[:1].nbytes if len(part) else 0)
        file.write(part.data if part.size else b"")
    return len(part)


def write_array(path: Path, array: np.ndarray) -> None:
    """An array in a file of its own, for `read_part`."""
    with path.open("wb") as file:
        np.save(file, array)


def read_part(path: Path, start: int, stop: int) -> np.ndarray:
    """Some entries of the first axis of an array that `write_array` has written."""
    _see(path)
    return np.array(np.load(path, mmap_mode="r")[start:stop])


def _see(path: Path, number: int = 0) -> None:
    """``number`` tells equal questions apart, so that several workers are asked."""
    if not path.exists():
        raise StoreError(
            f"fit(path=…): a worker does not see {path.parent}; give a path on a file system that all workers share"
        )
