"""Readers of arrays, tables, columns and pictures. No code in a file is run, and damaged files are refused."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..errors import InvalidDataError, InvalidParameterError, MissingExtraError

ARRAY, ARCHIVE = b"\x93NUMPY", b"PK"  # how files of NumPy begin
SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}  # of text files whose first line shows none
# What polars says of a text file, and what to do.
QUOTES = (
    "a quotation mark within a value, or one that is not closed; put the whole value in quotes and double the mark"
)
REMEDIES_FOR_CSV = {
    "CSV malformed": QUOTES,
    'could not parse `"': QUOTES,
    "found more fields": "a line has more values than the first; give each line as many",
}
GAPS = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?")
LINES_LOOKED_AT = 200  # for decimal commas
WITH_COMMA, WITH_POINT = re.compile(r"\s*-?\d+,\d+\s*"), re.compile(r"\s*-?\d+\.\d+\s*")
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp")
GREY_OF_16_BITS = ("I;16", "I;16L", "I;16B", "I")
GREY = ("1", "L", "LA", *GREY_OF_16_BITS)
SUBFOLDER = "folder"  # the column that names the subfolder of a picture
LARGEST_SIDE = 32  # of pictures; larger ones are made smaller


def package(name: str, path: Path, extra: str) -> Any:
    """Import a package that is needed to read a file."""
    try:
        return import_module(name)
    except ImportError as error:
        known_as = {"PIL.Image": "pillow"}.get(name, name)
        raise MissingExtraError(f"reading {path.name} needs {known_as}: pip install 'featmap[{extra}]'") from error


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


def read_table(path: Path) -> Any:
    """The frame of polars in a .csv, .tsv, .txt or .parquet file."""
    polars = package("polars", path, "io")
    with _refusing(path, polars):
        if path.suffix.lower() == ".parquet":
            return polars.read_parquet(path)
        separator = _separator(path)
        return polars.read_csv(
            path,
            separator=separator,
            decimal_comma=separator != "," and _has_decimal_commas(_texts(path, polars, n_rows=LINES_LOOKED_AT)),
            null_values=list(GAPS),
            infer_schema_length=None,
            try_parse_dates=True,
        )


def _texts(path: Path, polars: Any, **options: Any) -> Any:
    """All cells of a text file as texts, in a frame of polars whose first row is the first line."""
    return polars.read_csv(path, separator=_separator(path), has_header=False, infer_schema_length=0, **options)


@contextmanager
def _refusing(path: Path, polars: Any) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise InvalidDataError(
            f"{path} is not a text in UTF-8 ({error.reason} at byte {error.start:,}); save it in UTF-8"
        ) from error
    except (polars.exceptions.PolarsError, ValueError) as error:
        if "utf-8" in str(error).lower():  # beyond the lines that were read here
            raise InvalidDataError(f"{path} is not a text in UTF-8; save it in UTF-8") from error
        reason = " ".join(str(error).split()).partition(" Consider setting")[0].partition(" You might want")[0][:200]
        for words, remedy in REMEDIES_FOR_CSV.items():
            if words in reason:
                reason = remedy
        raise InvalidDataError(f"{path} cannot be read as a table: {reason}") from error


def _separator(path: Path) -> str:
    """What separates the columns of a text file, by its name and its first line."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        head = file.readline()
    separator = "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=head.count)
    return separator if separator in head else SEPARATORS[path.suffix.lower()]


def _has_decimal_commas(texts: Any) -> bool:
    cells = [cell for column in texts.iter_columns() for cell in column if cell]
    n_commas, n_points = (sum(bool(kind.fullmatch(cell)) for cell in cells) for kind in (WITH_COMMA, WITH_POINT))
    return n_commas > n_points


def pictures_in(folder: Path) -> list[Path]:
    """The pictures in a folder and its subfolders, in the order of their names."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in PICTURES)


def subfolders_of(folder: Path) -> list[str]:
    """The subfolder of each picture."""
    return [str(path.parent.relative_to(folder)) for path in pictures_in(folder)]


def read_pictures(folder: Path, paths: list[Path]) -> tuple[np.ndarray, bool]:
    """The pixels of pictures, all of one size and at most 32 on a side, and whether they had to be scaled to it.

    They are grey, (pictures, height, width), unless one has colours.
    """
    pictures = package("PIL.Image", folder, "datasets")
    seen = [_read_picture(pictures, path, lambda picture: (picture.mode, picture.size)) for path in paths]
    mode = "L" if all(mode in GREY for mode, _ in seen) else "RGB"
    sizes = {size for _, size in seen}
    width, height = max(sizes, key=lambda size: size[0] * size[1])
    shrink = max(width, height, LARGEST_SIDE) / LARGEST_SIDE
    size = max(round(width / shrink), 1), max(round(height / shrink), 1)

    def pixels_of(picture: Any) -> np.ndarray:
        if picture.mode in GREY_OF_16_BITS:  # Pillow would cut off their values at 255
            picture = pictures.fromarray((np.asarray(picture) // 256).astype(np.uint8))
        return np.asarray(picture.convert(mode).resize(size))

    pixels = np.stack([_read_picture(pictures, path, pixels_of) for path in paths])
    if mode == "RGB" and (pixels == pixels[..., :1]).all():  # grey pictures that were saved in colours
        pixels = pixels[..., 0]
    return pixels, sizes != {size}


def _read_picture(pictures: Any, path: Path, read: Callable[[Any], Any]) -> Any:
    """Open a picture, read from it and close it."""
    try:
        with pictures.open(path) as picture:
            return read(picture)
    except (OSError, ValueError) as error:
        raise InvalidDataError(f"{path} cannot be read as an image: {error}") from error


def read_column(said: str, n_rows: int) -> FileColumn:
    """The column that ``file`` or ``file:column`` names, with one value for each row."""
    path, colon, name = said.rpartition(":")
    is_whole = not colon or Path(said).exists()  # a name of a file may have a colon
    column = _column_of(Path(said), None, n_rows) if is_whole else _column_of(Path(path), name, n_rows)
    if len(column.texts) != n_rows:
        raise InvalidDataError(f"{said} has {len(column.texts):,} values; the map has {n_rows:,} rows")
    return column


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
        """The values. A column has these and a name, so it can be given in place of a pandas Series."""
        return self.values.astype(dtype or self.values.dtype)


def check_finite(name: str, values: np.ndarray) -> None:
    """Raise an error if labels are infinite. They may be missing."""
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise InvalidDataError(f"the label {name!r} has infinite values; replace them, or leave them empty")


def _column_of(path: Path, name: str | None, n_rows: int) -> FileColumn:
    if path.is_dir():
        if name not in (None, SUBFOLDER):
            raise InvalidParameterError(
                f"{path}:{name}: pictures have the column {SUBFOLDER!r} only, their subfolder"
            )
        return FileColumn(SUBFOLDER, subfolders_of(path))
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
    polars = package("polars", path, "io")
    with _refusing(path, polars):
        # Further values of longer lines do not concern a column that is named.
        lines = _texts(path, polars, truncate_ragged_lines=name is not None)
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
