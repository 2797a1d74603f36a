"""Columns of tables in files, as the command line names them: ``table.csv:column``."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidDataError, InvalidParameterError
from .arrays import read_array
from .reading import SUBFOLDER, subfolders
from .text_tables import GAPS, USUAL, separator_of


@dataclass(frozen=True)
class FileColumn:
    """One value for each row, as texts and as what the texts say."""

    name: str
    texts: list[str]

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
    path, name = _parts(said)
    if path.is_dir():
        return _checked(said, FileColumn(SUBFOLDER, _from_folder(path, name)), n_rows)
    if path.suffix.lower() == ".npy":
        return _checked(said, FileColumn(path.stem, _from_array(path, name)), n_rows)
    if path.suffix.lower() not in USUAL:
        raise InvalidParameterError(f"{said}: the file must be a .csv, .tsv or .npy file, or a folder of images")
    lines = _lines(path, n_rows + 1)
    column = _only(lines, path, n_rows) if name is None else _named(lines, path, name)
    return _checked(said, column, n_rows)


def _parts(said: str) -> tuple[Path, str | None]:
    """A file that is there is meant as a whole, even if its name has a colon."""
    path, colon, name = said.rpartition(":")
    if not colon or Path(said).exists():
        return Path(said), None
    return Path(path), name


def _from_folder(path: Path, name: str | None) -> list[str]:
    if name not in (None, SUBFOLDER):
        raise InvalidParameterError(f"{path}:{name}: pictures have the column {SUBFOLDER!r} only, their subfolder")
    return subfolders(path)


def _from_array(path: Path, name: str | None) -> list[str]:
    values = read_array(path)
    if name is not None or values.ndim != 1:
        raise InvalidDataError(f"{path}: an array must have one value for each row, and has no named columns")
    return [str(value) for value in values.tolist()]


def _lines(path: Path, most: int) -> list[list[str]]:
    """The lines of a table. An empty line is a missing value, but for those at the end that are too many."""
    separator, _ = separator_of(path)
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            lines = [line or [""] for line in csv.reader(file, delimiter=separator)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidDataError(f"{path}: the file is not a table in UTF-8 ({error})") from error
    while len(lines) > most and lines[-1] == [""]:
        lines.pop()
    return lines


def _named(lines: list[list[str]], path: Path, name: str) -> FileColumn:
    names = lines[0] if lines else []
    if names.count(name) != 1:
        raise InvalidDataError(f"{path} has no single column {name!r}; its columns are {', '.join(map(repr, names))}")
    place = names.index(name)
    return FileColumn(name, [_known(line[place]) if place < len(line) else "" for line in lines[1:]])


def _known(text: str) -> str:
    """A text, empty if it stands for a gap."""
    return "" if text in GAPS else text


def _only(lines: list[list[str]], path: Path, n_rows: int) -> FileColumn:
    """The column of a table that has one. Its first line is a name if there is a line more than rows."""
    if any(len(line) > 1 for line in lines):
        raise InvalidDataError(f"{path} has several columns; name one of them, as in {path.name}:{lines[0][0]}")
    texts = [_known(line[0]) for line in lines]
    return FileColumn(texts[0], texts[1:]) if len(texts) == n_rows + 1 else FileColumn(path.stem, texts)


def _checked(said: str, column: FileColumn, n_rows: int) -> FileColumn:
    if len(column.texts) != n_rows:
        raise InvalidDataError(f"{said} has {len(column.texts):,} values; the map has {n_rows:,} rows")
    return column
