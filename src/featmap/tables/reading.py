"""The data of a file, or of a folder of images, as a map needs them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import InvalidDataError, InvalidParameterError
from .files import (
    PICTURES,
    SUBFOLDER,
    package,
    pictures_in,
    read_array,
    read_arrays,
    read_pictures,
    read_table,
    subfolders_of,
)
from .given import IMAGE, Given, of_array, of_cells

NAMES_OF_DATA = ("X", "data", "x")  # of the array with the data in a file of several


def read_source(path: str) -> Given:
    """Read a file by its ending, or a folder of images."""
    found = Path(path)
    if found.is_dir() and found.suffix.lower() != ".zarr":
        return _images(found)
    if found.suffix.lower() not in READERS:
        raise InvalidParameterError(f"{path}: the file must be {', '.join(READERS)} or a folder of images")
    given = READERS[found.suffix.lower()](found)
    if given.n_rows < 2:
        raise InvalidDataError(f"{path} has {given.n_rows} rows; a map needs at least 2")
    if given.values.shape[1] < 1:
        raise InvalidDataError(f"{path} has no columns")
    return given


def _table(path: Path) -> Given:
    return Given(str(path), read_table(path), is_table=True)


def _npz(path: Path) -> Given:
    arrays = read_arrays(path)
    tables = {name: array for name, array in arrays.items() if array.ndim >= 2 and array.dtype.kind in "biuf"}
    chosen = [name for name in NAMES_OF_DATA if name in tables][:1] or list(tables)
    if len(chosen) != 1:
        held = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InvalidDataError(f"{path}: name the array with the data X; the file holds {held or 'nothing'}")
    table = tables[chosen[0]]
    columns = {name: array for name, array in arrays.items() if array.ndim == 1 and len(array) == len(table)}
    names = arrays.get("feature_names", np.empty(0))
    given = of_array(str(path), table, columns)
    return replace(given, names=[str(name) for name in names]) if names.shape == given.values.shape[1:] else given


def _h5ad(path: Path) -> Given:
    anndata = package("anndata", path, "anndata")
    try:
        data = anndata.read_h5ad(path)
    except (OSError, ValueError, KeyError) as error:
        raise InvalidDataError(f"{path} cannot be read as an h5ad file: {error}") from error
    return of_cells(str(path), data)


def _images(folder: Path) -> Given:
    """Pictures of one size, made smaller if they are large. Names of subfolders are a column."""
    paths = pictures_in(folder)
    if len(paths) < 2:
        raise InvalidDataError(f"{folder} holds {len(paths)} images; a map needs at least 2 ({', '.join(PICTURES)})")
    pixels, were_scaled = read_pictures(folder, paths)
    parents = subfolders_of(folder)
    columns = {SUBFOLDER: np.array(parents)} if len(set(parents)) > 1 else {}
    height, width = pixels.shape[1:3]
    text = f"{len(paths):,} images as {width} x {height} {'grey' if pixels.ndim == 3 else 'coloured'} pixels"
    text += "; they were scaled to this size." if were_scaled else "."
    ids = [str(path.relative_to(folder)) for path in paths]
    return replace(of_array(str(folder), pixels, columns), ids=ids, text=text, unit=IMAGE)


READERS = {
    ".csv": _table,
    ".tsv": _table,
    ".txt": _table,
    ".parquet": _table,
    ".npy": lambda path: of_array(str(path), read_array(path, mmap_mode="r")),
    ".npz": _npz,
    ".h5ad": _h5ad,
}
