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
    """Give the path of a published file to a reader, whose errors then name the file."""
    path = fetch(data_set, file)
    with reading(path, "delete it and load again"):
        yield path


def fetch(data_set: str, file: str) -> Path:
    """Download a published file unless it is in the cache. A file with a wrong checksum is deleted."""
    pooch = optional_package("pooch")
    source = SOURCES[data_set]
    url, checksum = source.address + file, source.checksums[file]
    folder = Path(os.environ.get("FEATMAP_CACHE") or pooch.os_cache("featmap")) / data_set
    by_hand = f"or download it by hand and save it as {folder / file}"
    try:
        return Path(pooch.retrieve(url, checksum, fname=file, path=folder))
    except OSError as error:
        raise DatasetError(
            f"{url} could not be downloaded into {folder} ({error}): try again later, {by_hand}"
        ) from error
    except ValueError as error:
        raise DatasetError(
            f"the file downloaded from {url} does not have the published checksum {checksum} and was "
            f"deleted: try again, {by_hand}"
        ) from error


def optional_package(name: str) -> Any:
    """Import a package that only downloads need."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(
            f"downloading data sets needs {name.split('.')[0]}: pip install 'featmap[datasets]'; without it, "
            "FEATMAP_DATA must name a folder with the data sets as npz files"
        ) from error
