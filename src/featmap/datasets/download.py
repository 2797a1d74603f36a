"""Published files, downloaded once, checked and kept in the cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import DatasetError, MissingExtraError
from .reading import reading
from .sources import SOURCES


@contextmanager
def published(data_set: str, file: str) -> Iterator[Path]:
    """Where a published file of a data set lies, for a reader whose complaints then name the file."""
    path = fetch(data_set, file)
    with reading(path, "delete it and load again"):
        yield path


def fetch(data_set: str, file: str) -> Path:
    """Download a published file unless the cache has it; a file with a wrong checksum is never left there."""
    pooch = package("pooch")
    source = SOURCES[data_set][file]
    folder = Path(os.environ.get("FEATMAP_CACHE") or pooch.os_cache("featmap")) / data_set
    by_hand = f"or download it by hand and put it there as {folder / file}"
    try:
        return Path(pooch.retrieve(source.url, source.checksum, fname=file, path=folder))
    except OSError as error:
        raise DatasetError(
            f"{source.url} could not be downloaded into {folder} ({error}): try again when it can be, {by_hand}"
        ) from error
    except ValueError as error:
        raise DatasetError(
            f"{source.url} gave another file than the one published, whose checksum is {source.checksum}; "
            f"it was thrown away: try again, {by_hand}"
        ) from error


def package(name: str) -> Any:
    """A package that only downloaded data sets need."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(
            f"downloading data sets needs {name.split('.')[0]}: pip install 'featmap[datasets]'; without it, "
            "FEATMAP_DATA must name a folder with the data sets as npz files"
        ) from error
