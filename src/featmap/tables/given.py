"""What a user gives to make a map of: values, and what is known of their rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InvalidDataError, InvalidParameterError
from ..explanation.numbers import names_of_pixels

ROW, CELL, IMAGE = "row", "cell", "image"
COUNTS_PER_CELL = 10_000
NORMALISED = (
    f"Counts were divided by their sum in each cell and multiplied by {COUNTS_PER_CELL:,}; features are log(1 + x)."
)


@dataclass(frozen=True)
class Given:
    """Values to make a map of, and what came with them."""

    called: str  # in errors, the name of a file for example
    values: Any  # a frame of pandas or polars, an array or a sparse matrix
    is_table: bool = False  # columns of any kind and unit, to be prepared; else numbers of one kind
    names: list[str] | None = None  # of the features, if values are an array
    ids: list[str] | None = None
    columns: dict[str, Any] = field(default_factory=dict)  # known of the rows, no features
    image_shape: tuple[int, ...] | None = None
    components: Any = None  # those that the map is made of: a number of principal components, directions, or None
    text: str = ""  # what was done to the values when they were read
    unit: str = ROW  # what a row is

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.values.shape[0])

    @property
    def is_frame(self) -> bool:
        """Whether the values have named columns of their own."""
        return hasattr(self.values, "columns")


def of_array(called: str, array: np.ndarray, columns: dict[str, Any] | None = None) -> Given:
    """An array of rows; of more than two dimensions they are images, or are laid flat."""
    if array.ndim < 2 or array.dtype.kind not in "biuf":
        raise InvalidDataError(
            f"{called} must hold numbers in rows and columns; it has {array.dtype} of shape {array.shape}"
        )
    shape = array.shape[1:] if array.ndim in (3, 4) and array.shape[3:] in ((), (1,), (3,)) else None
    table = array.reshape(len(array), math.prod(array.shape[1:]))
    names = None if shape is None else names_of_pixels(shape)
    unit = ROW if shape is None else IMAGE
    return Given(called, table, names=names, columns=columns or {}, image_shape=shape, unit=unit)


def with_shape(given: Given, image_shape: tuple[int, ...]) -> Given:
    """The same values as images of this shape."""
    shape = tuple(image_shape)
    n_columns = given.values.shape[1]
    if len(shape) not in (2, 3) or math.prod(shape) != n_columns:
        raise InvalidParameterError(
            f"image_shape={image_shape!r}: give height and width, and 3 for colours, of images with "
            f"{n_columns} pixels; {given.called} has so many columns"
        )
    names = names_of_pixels(shape) if given.names is None else given.names
    return replace(given, names=names, image_shape=shape, is_table=False)


def of_cells(called: str, adata: Any) -> Given:
    """The cells of an AnnData: logarithms of normalised counts, with the annotations of the cells."""
    if adata.X is None:
        raise InvalidDataError(f"{called} has no X, the matrix of the values; put one of its layers there")
    X, names, text = _features_of_cells(adata)
    return Given(
        called,
        X,
        names=[str(name) for name in names],
        ids=[str(name) for name in adata.obs_names],
        columns={str(name): adata.obs[name].to_numpy() for name in adata.obs.columns},
        components=_components_of_cells(adata, X),
        text=text,
        unit=CELL,
    )


def _features_of_cells(adata: Any) -> tuple[Any, Any, str]:
    """Logarithms of normalised counts, the names of the genes, and what was done to the values in words."""
    X, names, done = _in_memory(adata.X), adata.var_names, []
    if adata.raw is not None and (stored(X) < 0).any():
        X, names = _in_memory(adata.raw.X), adata.raw.var_names
        done.append("X has negative values, so the values are those of raw.")
    known = stored(X)[~np.isnan(stored(X))]
    if (known >= 0).all() and (known == np.rint(known)).all() and np.isfinite(known).all():
        X = _log_normalised(X)
        done.append(NORMALISED)
    return X, names, " ".join(done)


def _in_memory(X: Any) -> Any:
    """A matrix of a backed AnnData is read."""
    return X.to_memory() if hasattr(X, "to_memory") else X if sp.issparse(X) else np.asarray(X)


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
    """Values as a preparation takes them."""
    return values.toarray() if sp.issparse(values) else values
