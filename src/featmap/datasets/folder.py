"""Data sets as npz files in the folder that FEATMAP_DATA names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..errors import DatasetError
from .reading import reading

DOWNLOAD = "unset FEATMAP_DATA to download the published files"


def data_folder() -> Path | None:
    """Return the folder that FEATMAP_DATA names, or None if it is not set."""
    folder = os.environ.get("FEATMAP_DATA")
    return Path(folder) if folder else None


def arrays_in_folder(file: str, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, np.ndarray] | None:
    """Return arrays of a file in the folder and check their shapes; return None if FEATMAP_DATA is not set."""
    folder = data_folder()
    if folder is None:
        return None
    path = folder / file
    if not path.is_file():
        raise DatasetError(f"FEATMAP_DATA={folder}: {file} is missing in this folder; put it there, or {DOWNLOAD}")
    advice = f"replace it with a good copy, or {DOWNLOAD}"
    # numpy does not close a file that it opened by name and cannot read.
    with reading(path, advice), path.open("rb") as opened, np.load(opened) as npz:
        arrays = {name: npz[name] for name in shapes}
    check_shapes(path, arrays, shapes)
    return arrays


def check_shapes(path: Path, arrays: dict[str, np.ndarray], shapes: Mapping[str, tuple[int, ...]]) -> None:
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise DatasetError(
                f"{path} is not the expected file: {name} has shape {arrays[name].shape}, expected {shape}; "
                f"replace it, or {DOWNLOAD}"
            )
