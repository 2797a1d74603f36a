"""What users give on the command line: the file of the data, and columns of files about their rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidDataError, InvalidParameterError
from ..explanation.numbers import names_of_pixels
from .cells import components_of_cells, features_of_cells
from .files import (
    GAPS,
    PICTURES,
    SEPARATORS,
    package,
    pictures_in,
    read_array,
    read_arrays,
    read_pictures,
    read_table,
    read_texts,
)

SUBFOLDER = "folder"  # the column that names the subfolder of a picture


@dataclass(frozen=True)
class Source:
    """The data of a file."""

    path: Path
    values: Any  # a frame of polars, an array or a sparse matrix
    is_table: bool = False  # columns of any kind and unit, to be prepared; else numbers of one kind
    names: list[str] | None = None  # of the features, if values are an array
    ids: list[str] | None = None
    columns: dict[str, np.ndarray] = field(default_factory=dict)  # known of the rows, no features
    image_shape: tuple[int, ...] | None = None
    components: Any = None  # those that the map is made of: a number of principal components, directions, or None
    text: str = ""  # what was done on reading

    @property
    def n_rows(self) -> int:
        return self.values.shape[0]


def read_source(path: str) -> Source:
    """Read a file by its ending, or a folder of images."""
    found = Path(path)
    if found.is_dir() and found.suffix.lower() != ".zarr":
        return _images(found)
    if found.suffix.lower() not in READERS:
        raise InvalidParameterError(f"{path}: the file must be {', '.join(READERS)} or a folder of images")
    source = READERS[found.suffix.lower()](found)
    if source.n_rows < 2:
        raise InvalidDataError(f"{path} has {source.n_rows} rows; a map needs at least 2")
    if source.values.shape[1] < 1:
        raise InvalidDataError(f"{path} has no columns")
    return source


def _table(path: Path) -> Source:
    return Source(path, read_table(path), is_table=True)


def _npz(path: Path) -> Source:
    arrays = read_arrays(path)
    tables = {name: array for name, array in arrays.items() if array.ndim >= 2 and array.dtype.kind in "biuf"}
    chosen = next((name for name in ("X", "data", "x") if name in tables), next(iter(tables), None))
    if chosen is None or (chosen not in ("X", "data", "x") and len(tables) > 1):
        held = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InvalidDataError(f"{path}: name the array with the data X; the file holds {held or 'nothing'}")
    table = tables[chosen]
    columns = {name: array for name, array in arrays.items() if array.ndim == 1 and len(array) == len(table)}
    names = arrays.get("feature_names", np.empty(0))
    source = _array(path, table, columns)
    return replace(source, names=[str(name) for name in names]) if names.shape == source.values.shape[1:] else source


def _array(path: Path, array: np.ndarray, columns: dict[str, np.ndarray]) -> Source:
    if array.ndim < 2 or array.dtype.kind not in "biuf":
        raise InvalidDataError(
            f"{path} must hold numbers in rows and columns; it has {array.dtype} of shape {array.shape}"
        )
    shape = array.shape[1:] if array.ndim in (3, 4) and array.shape[3:] in ((), (1,), (3,)) else None
    table = array.reshape(len(array), math.prod(array.shape[1:]))
    names = None if shape is None else names_of_pixels(shape)
    return Source(path, table, names=names, columns=columns, image_shape=shape)


def _h5ad(path: Path) -> Source:
    anndata = package("anndata", path, "anndata")
    try:
        data = anndata.read_h5ad(path)
    except (OSError, ValueError, KeyError) as error:
        raise InvalidDataError(f"{path} cannot be read as an h5ad file: {error}") from error
    if data.X is None:
        raise InvalidDataError(f"{path} has no X, the matrix of the values; put one of its layers there")
    columns = {str(name): data.obs[name].to_numpy() for name in data.obs.columns}
    X, names, text = features_of_cells(data)
    ids = [str(name) for name in data.obs_names]
    components = components_of_cells(data, X)
    return Source(path, X, names=names, ids=ids, columns=columns, components=components, text=text)


def _images(folder: Path) -> Source:
    """Pictures of one size, made smaller if they are large. Names of subfolders are a column."""
    paths = pictures_in(folder)
    if len(paths) < 2:
        raise InvalidDataError(f"{folder} holds {len(paths)} images; a map needs at least 2 ({', '.join(PICTURES)})")
    pixels, were_scaled = read_pictures(folder, paths)
    parents = _subfolders(folder)
    columns = {SUBFOLDER: np.array(parents)} if len(set(parents)) > 1 else {}
    height, width = pixels.shape[1:3]
    text = f"{len(paths):,} images as {width} x {height} {'grey' if pixels.ndim == 3 else 'coloured'} pixels"
    text += "; they were scaled to this size." if were_scaled else "."
    ids = [str(path.relative_to(folder)) for path in paths]
    return replace(_array(folder, pixels, columns), ids=ids, text=text)


def _subfolders(folder: Path) -> list[str]:
    return [str(path.parent.relative_to(folder)) for path in pictures_in(folder)]


READERS = {
    ".csv": _table,
    ".tsv": _table,
    ".txt": _table,
    ".parquet": _table,
    ".npy": lambda path: _array(path, read_array(path, mmap_mode="r"), {}),
    ".npz": _npz,
    ".h5ad": _h5ad,
}


@dataclass(frozen=True)
class FileColumn:
    """One value for each row, as texts and as what the texts say."""

    name: str
    texts: list[str]  # empty where a value is missing

    @property
    def values(self) -> np.ndarray:
        """Whole numbers if all are, else numbers with NaN for missing ones, else texts with None for missing ones."""
        for read in (int, lambda text: float(text or "nan")):
            try:
                values = np.array([read(text) for text in self.texts])
            except (ValueError, OverflowError):
                continue
            check_finite(self.name, values)
            return values
        return np.array([text or None for text in self.texts], dtype=object)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The values. With its name a column is given wherever a Series of pandas may be."""
        return self.values.astype(dtype or self.values.dtype)


def check_finite(name: str, values: np.ndarray) -> None:
    """Labels may be missing, but not infinite."""
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise InvalidDataError(f"the label {name!r} has infinite values; replace them, or leave them empty")


def read_column(said: str, n_rows: int) -> FileColumn:
    """The column that ``file`` or ``file:column`` names, with one value for each row."""
    # A file that is there is meant as a whole, even if its name has a colon.
    start, colon, name = (said, "", "") if Path(said).exists() else said.rpartition(":")
    column = _column_of(Path(start if colon else said), name if colon else None, n_rows)
    if len(column.texts) != n_rows:
        raise InvalidDataError(f"{said} has {len(column.texts):,} values; the map has {n_rows:,} rows")
    return column


def _column_of(path: Path, name: str | None, n_rows: int) -> FileColumn:
    if path.is_dir():
        if name not in (None, SUBFOLDER):
            raise InvalidParameterError(
                f"{path}:{name}: pictures have the column {SUBFOLDER!r} only, their subfolder"
            )
        return FileColumn(SUBFOLDER, _subfolders(path))
    if path.suffix.lower() == ".npy":
        values = read_array(path)
        if name is not None or values.ndim != 1:
            raise InvalidDataError(f"{path}: an array must have one value for each row, and has no named columns")
        return FileColumn(path.stem, [str(value) for value in values.tolist()])
    if path.suffix.lower() not in SEPARATORS:
        raise InvalidParameterError(f"{path}: the file must be a .csv, .tsv or .npy file, or a folder of images")
    return _column_of_table(path, name, n_rows)


def _column_of_table(path: Path, name: str | None, n_rows: int) -> FileColumn:
    """A named column of a text file, or its only one, whose name is the first line if there is one line too many."""
    lines = read_texts(path, any_length=name is not None)
    names = [known or "" for known in lines.row(0)]
    if name is None and len(names) > 1:
        raise InvalidDataError(f"{path} has several columns; name one of them, as in {path.name}:{names[0]}")
    if name is not None and names.count(name) != 1:
        raise InvalidDataError(f"{path} has no single column {name!r}; its columns are {', '.join(map(repr, names))}")
    n_lines = lines.height
    while n_lines > n_rows + 1 and not any(lines.row(n_lines - 1)):  # empty lines at the end
        n_lines -= 1
    column = lines.to_series(0 if name is None else names.index(name)).head(n_lines)
    texts = ["" if text is None or text in GAPS else text for text in column]
    if name is None and n_lines != n_rows + 1:
        return FileColumn(path.stem, texts)
    return FileColumn(texts[0] if name is None else name, texts[1:])
