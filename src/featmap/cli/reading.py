"""Data files as the command line takes them: tables, arrays, annotated matrices, folders of images."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidDataError, InvalidParameterError, MissingExtraError
from ..explanation.numbers import names_of_pixels
from .arrays import read_array, read_arrays
from .cells import components_of_cells, features_of_cells
from .text_tables import GAPS, separator_of

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp")
GREY_OF_16_BITS = ("I;16", "I;16L", "I;16B", "I")
GREY = ("1", "L", "LA", *GREY_OF_16_BITS)
SUBFOLDER = "folder"  # the column that names the subfolder of a picture
LARGEST_SIDE = 32  # of pictures, which are made smaller


@dataclass(frozen=True)
class Source:
    """What a file holds."""

    path: Path
    values: Any  # a frame of polars, an array or a sparse matrix
    is_table: bool  # columns of any kind and unit, to be prepared; else numbers of one kind
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


def _package(name: str, path: Path, extra: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        package = {"PIL.Image": "pillow"}.get(name, name)
        raise MissingExtraError(f"reading {path.name} needs {package}: pip install 'featmap[{extra}]'") from error


def _csv(path: Path) -> Source:
    polars = _package("polars", path, "io")
    separator, has_commas = separator_of(path)
    return _frame(
        path,
        lambda: polars.read_csv(
            path,
            separator=separator,
            decimal_comma=has_commas,
            null_values=list(GAPS),
            infer_schema_length=None,
            try_parse_dates=True,
        ),
        polars,
    )


def _parquet(path: Path) -> Source:
    polars = _package("polars", path, "io")
    return _frame(path, lambda: polars.read_parquet(path), polars)


def _frame(path: Path, read: Callable[[], Any], polars: Any) -> Source:
    try:
        frame = read()
    except (polars.exceptions.PolarsError, UnicodeDecodeError, ValueError) as error:
        reason = " ".join(str(error).split()).partition(" Consider setting")[0].partition(" You might want")[0][:200]
        raise InvalidDataError(f"{path} cannot be read as a table: {reason}") from error
    return Source(path, frame, is_table=True)


def _npy(path: Path) -> Source:
    return _array(path, read_array(path, mmap_mode="r"), {})


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
    return Source(path, table, is_table=False, names=names, columns=columns, image_shape=shape)


def _h5ad(path: Path) -> Source:
    anndata = _package("anndata", path, "anndata")
    try:
        data = anndata.read_h5ad(path)
    except (OSError, ValueError, KeyError) as error:
        raise InvalidDataError(f"{path} cannot be read as an h5ad file: {error}") from error
    if data.X is None:
        raise InvalidDataError(f"{path} has no X, the matrix of the values; put one of its layers there")
    columns = {str(name): data.obs[name].to_numpy() for name in data.obs.columns}
    X, names, text = features_of_cells(data)
    ids = [str(name) for name in data.obs_names]
    return Source(path, X, False, names, ids, columns, components=components_of_cells(data, X), text=text)


def pictures_in(folder: Path) -> list[Path]:
    """The pictures in a folder and its subfolders, in the order of their names."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in PICTURES)


def subfolders(folder: Path) -> list[str]:
    """The subfolder of each picture."""
    return [str(path.parent.relative_to(folder)) for path in pictures_in(folder)]


def _images(folder: Path) -> Source:
    """Pictures of one size, made smaller if they are large. Names of subfolders are a column."""
    paths = pictures_in(folder)
    if len(paths) < 2:
        raise InvalidDataError(f"{folder} holds {len(paths)} images; a map needs at least 2 ({', '.join(PICTURES)})")
    pictures = _package("PIL.Image", folder, "datasets")
    seen = [_read(pictures, path, lambda picture: (picture.mode, picture.size)) for path in paths]
    mode = "L" if all(mode in GREY for mode, _ in seen) else "RGB"
    sizes = {size for _, size in seen}
    width, height = _common_size(sizes)

    def pixels_of(picture: Any) -> np.ndarray:
        return np.asarray(_of_8_bits(pictures, picture).convert(mode).resize((width, height)))

    pixels = np.stack([_read(pictures, path, pixels_of) for path in paths])
    if mode == "RGB" and (pixels == pixels[..., :1]).all():  # grey pictures that were saved in colours
        mode, pixels = "L", pixels[..., 0]
    names = [str(path.relative_to(folder)) for path in paths]
    parents = subfolders(folder)
    columns = {SUBFOLDER: np.array(parents)} if len(set(parents)) > 1 else {}
    text = f"{len(paths):,} images as {width} x {height} {'grey' if mode == 'L' else 'coloured'} pixels"
    text += "." if sizes == {(width, height)} else "; they were scaled to this size."
    return replace(_array(folder, pixels, columns), ids=names, text=text)


def _read(pictures: Any, path: Path, read: Callable[[Any], Any]) -> Any:
    """What one picture says; it is closed at once."""
    try:
        with pictures.open(path) as picture:
            return read(picture)
    except (OSError, ValueError) as error:
        raise InvalidDataError(f"{path} cannot be read as an image: {error}") from error


def _of_8_bits(pictures: Any, picture: Any) -> Any:
    """Pillow would cut off grey values of 16 bits at 255."""
    if picture.mode not in GREY_OF_16_BITS:
        return picture
    return pictures.fromarray((np.asarray(picture) // 256).astype(np.uint8))


def _common_size(sizes: set[tuple[int, int]]) -> tuple[int, int]:
    width, height = max(sizes, key=lambda size: size[0] * size[1])
    shrink = max(width, height, LARGEST_SIDE) / LARGEST_SIDE
    return max(round(width / shrink), 1), max(round(height / shrink), 1)


READERS = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _csv,
    ".parquet": _parquet,
    ".npy": _npy,
    ".npz": _npz,
    ".h5ad": _h5ad,
}
