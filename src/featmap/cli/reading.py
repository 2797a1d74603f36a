"""The data of a file, or of a folder of images, as a map needs them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InvalidDataError, InvalidParameterError
from ..explanation.numbers import names_of_pixels
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

NAMES_OF_DATA = ("X", "data", "x")  # of the array with the data in a file of several
COUNTS_PER_CELL = 10_000
NORMALISED = (
    f"Counts were divided by their sum in each cell and multiplied by {COUNTS_PER_CELL:,}; features are log(1 + x)."
)


@dataclass(frozen=True)
class FileData:
    """The data of a file."""

    path: Path
    values: Any  # a frame of polars, an array or a sparse matrix
    is_table: bool = False  # columns of any kind and unit, to be prepared; else numbers of one kind
    names: list[str] | None = None  # of the features, if values are an array
    ids: list[str] | None = None
    columns: dict[str, np.ndarray] = field(default_factory=dict)  # known of the rows, no features
    image_shape: tuple[int, ...] | None = None
    components: Any = None  # those that the map is made of: a number of principal components, directions, or None
    text: str = ""  # what was done to the values when they were read

    @property
    def n_rows(self) -> int:
        return self.values.shape[0]


def read_source(path: str) -> FileData:
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


def _table(path: Path) -> FileData:
    return FileData(path, read_table(path), is_table=True)


def _npz(path: Path) -> FileData:
    arrays = read_arrays(path)
    tables = {name: array for name, array in arrays.items() if array.ndim >= 2 and array.dtype.kind in "biuf"}
    chosen = [name for name in NAMES_OF_DATA if name in tables][:1] or list(tables)
    if len(chosen) != 1:
        held = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InvalidDataError(f"{path}: name the array with the data X; the file holds {held or 'nothing'}")
    table = tables[chosen[0]]
    columns = {name: array for name, array in arrays.items() if array.ndim == 1 and len(array) == len(table)}
    names = arrays.get("feature_names", np.empty(0))
    source = _array(path, table, columns)
    return replace(source, names=[str(name) for name in names]) if names.shape == source.values.shape[1:] else source


def _array(path: Path, array: np.ndarray, columns: dict[str, np.ndarray]) -> FileData:
    if array.ndim < 2 or array.dtype.kind not in "biuf":
        raise InvalidDataError(
            f"{path} must hold numbers in rows and columns; it has {array.dtype} of shape {array.shape}"
        )
    shape = array.shape[1:] if array.ndim in (3, 4) and array.shape[3:] in ((), (1,), (3,)) else None
    table = array.reshape(len(array), math.prod(array.shape[1:]))
    names = None if shape is None else names_of_pixels(shape)
    return FileData(path, table, names=names, columns=columns, image_shape=shape)


def _h5ad(path: Path) -> FileData:
    anndata = package("anndata", path, "anndata")
    try:
        data = anndata.read_h5ad(path)
    except (OSError, ValueError, KeyError) as error:
        raise InvalidDataError(f"{path} cannot be read as an h5ad file: {error}") from error
    if data.X is None:
        raise InvalidDataError(f"{path} has no X, the matrix of the values; put one of its layers there")
    X, names, text = _features_of_cells(data)
    return FileData(
        path,
        X,
        names=[str(name) for name in names],
        ids=[str(name) for name in data.obs_names],
        columns={str(name): data.obs[name].to_numpy() for name in data.obs.columns},
        components=_components_of_cells(data, X),
        text=text,
    )


def _features_of_cells(adata: Any) -> tuple[Any, Any, str]:
    """Logarithms of normalised counts, the names of the genes, and what was done to the values in words."""
    X, names, done = adata.X, adata.var_names, []
    if adata.raw is not None and (stored(X) < 0).any():
        X, names = adata.raw.X, adata.raw.var_names
        done.append("X has negative values, so the values are those of raw.")
    known = stored(X)[~np.isnan(stored(X))]
    if (known >= 0).all() and (known == np.rint(known)).all() and np.isfinite(known).all():
        X = _log_normalised(X)
        done.append(NORMALISED)
    return X, names, " ".join(done)


def _components_of_cells(adata: Any, X: Any) -> Any:
    """The components that neighbours and map are made of, as `FeatMAP` takes them.

    They are those of scanpy's X_pca if that was made of X, else a number of them; few genes need none.
    """
    from ..tl.contents import DEFAULT_COMPONENTS, loadings_of

    places = np.asarray(adata.obsm.get("X_pca"))
    if X.shape[1] == adata.n_vars and places.ndim == 2 and places.shape[1] > 0:
        loadings = loadings_of(adata, "X_pca", X, places)
        if loadings is not None:
            return loadings
    return DEFAULT_COMPONENTS if min(X.shape) > DEFAULT_COMPONENTS else None


def _log_normalised(counts: Any) -> Any:
    """log(1 + counts per 10,000 of a cell), as scanpy's normalize_total and log1p; a cell without counts stays 0.

    Gaps have no part in the sum of their cell and stay gaps.
    """
    known = counts.copy() if sp.issparse(counts) else np.array(counts)
    np.nan_to_num(stored(known), copy=False)
    totals = np.asarray(known.sum(axis=1), dtype=np.float64).reshape(-1, 1)
    factors = COUNTS_PER_CELL / np.where(totals > 0, totals, 1)
    if sp.issparse(counts):
        return sp.csr_matrix(sp.diags_array(factors.ravel()) @ counts).log1p().astype(np.float32)
    return np.log1p(np.asarray(counts) * factors).astype(np.float32)


def stored(X: Any) -> np.ndarray:
    """The values of a matrix, of a sparse one those that it holds."""
    return X.data if sp.issparse(X) else np.asarray(X)


def dense(values: Any) -> Any:
    """Values of a file as a preparation takes them."""
    return values.toarray() if sp.issparse(values) else values


def _images(folder: Path) -> FileData:
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
    return replace(_array(folder, pixels, columns), ids=ids, text=text)


READERS = {
    ".csv": _table,
    ".tsv": _table,
    ".txt": _table,
    ".parquet": _table,
    ".npy": lambda path: _array(path, read_array(path, mmap_mode="r"), {}),
    ".npz": _npz,
    ".h5ad": _h5ad,
}
