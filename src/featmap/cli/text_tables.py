"""What separates the columns of a table in a text file, and how its numbers are written."""

from __future__ import annotations

import csv
import re
from itertools import islice
from pathlib import Path

from ..errors import InvalidDataError

LINES = 200  # that are looked at
GAPS = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?")
USUAL = {".csv": ",", ".tsv": "\t", ".txt": "\t"}  # separators of files that show none
WITH_COMMA, WITH_POINT = re.compile(r"\s*-?\d+,\d+\s*"), re.compile(r"\s*-?\d+\.\d+\s*")


def separator_of(path: Path) -> tuple[str, bool]:
    """What separates the columns of a text file, and whether its numbers have decimal commas."""
    lines = _first_lines(path)
    usual = USUAL[path.suffix.lower()]
    separator = "\t" if path.suffix.lower() == ".tsv" else _most_frequent(lines[0] if lines else "", usual)
    cells = [cell for line in csv.reader(lines[1:], delimiter=separator) for cell in line]
    n_commas, n_points = (sum(bool(kind.fullmatch(cell)) for cell in cells) for kind in (WITH_COMMA, WITH_POINT))
    return separator, separator != "," and n_commas > n_points


def _most_frequent(head: str, usual: str) -> str:
    separator = max(",;\t", key=head.count)
    return separator if separator in head else usual


def _first_lines(path: Path) -> list[str]:
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            return list(islice(file, LINES + 1))
    except UnicodeDecodeError as error:
        raise InvalidDataError(
            f"{path} is not a text in UTF-8 ({error.reason} at byte {error.start:,}); save it in UTF-8"
        ) from error
