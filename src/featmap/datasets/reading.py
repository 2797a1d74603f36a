"""Errors that name the file which cannot be read."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import DatasetError

# What the readers of npz, gzip, zip, tar and PNG files raise if a file is truncated or of another format.
UNREADABLE = (OSError, EOFError, ValueError, TypeError, LookupError, zipfile.BadZipFile, tarfile.TarError, zlib.error)


@contextmanager
def reading(path: Path, advice: str) -> Iterator[None]:
    """Turn any error of a reader into one that names the file and says what to do."""
    try:
        yield
    except UNREADABLE as error:
        raise DatasetError(f"{path} cannot be read ({type(error).__name__}: {error}): {advice}") from error
