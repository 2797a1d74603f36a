"""Data sets kept as npz files in the folder that FEATMAP_DATA names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..errors import DatasetError
from .reading import reading

DOWNLOAD = "unset FEATMAP_DATA to download the published files"


def data_folder() -> Path | None:
    """The folder that FEATMAP_DATA names, if it is set."""
    folder = os.environ.get("FEATMAP_DATA")
    return Path(folder) if folder else None


def kept_arrays(
    name: str, shapes: Mapping[str, tuple[int, ...]], otherwise: str = DOWNLOAD
) -> dict[str, np.ndarray] | None:
    """Arrays of a file in the folder, with the shapes they must have; None where FEATMAP_DATA is not set."""
    folder = data_folder()
    if folder is None:
        return None
    path = folder / name
    if not path.is_file():
        raise DatasetError(f"FEATMAP_DATA={folder}: {name} is missing there; put it there, or {otherwise}")
    advice = f"put a good copy there, or {otherwise}"
    # numpy leaves a file open that it opened itself and cannot read.
    with reading(path, advice), path.open("rb") as file, np.load(file) as kept:
        arrays = {array: kept[array] for array in shapes}
    for array, shape in shapes.items():
        if arrays[array].shape != shape:
            raise DatasetError(
                f"{path} is not the file meant: {array} has shape {arrays[array].shape}, expected {shape}; "
                f"put the right one there, or {otherwise}"
            )
    return arrays
