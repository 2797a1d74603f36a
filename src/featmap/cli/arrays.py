"""Files of NumPy, read without running anything that they hold."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Literal

import numpy as np

from ..errors import InvalidDataError

ARRAY, ARCHIVE = b"\x93NUMPY", b"PK"  # how the files begin


def read_array(path: Path, mmap_mode: Literal["r"] | None = None) -> np.ndarray:
    """The array of a .npy file."""
    if _begins_with(path, ARCHIVE):
        raise InvalidDataError(f"{path} is an archive of arrays; give it a name that ends in .npz")
    try:
        return np.load(path, mmap_mode=mmap_mode, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise InvalidDataError(f"{path} is not an array of numbers, or is damaged ({error})") from error


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """All arrays of a .npz file, by name."""
    if _begins_with(path, ARRAY):
        raise InvalidDataError(f"{path} is one array, no archive; give it a name that ends in .npy")
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InvalidDataError(f"{path} does not hold arrays of numbers, or is damaged ({error})") from error


def _begins_with(path: Path, magic: bytes) -> bool:
    with open(path, "rb") as file:
        begin = file.read(len(magic))
    if not begin:
        raise InvalidDataError(f"{path} is empty")
    return begin == magic
