"""Files that cannot be read are told by their names."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import DatasetError

# What readers of numpy, gzip, zip, tar, PNG, HDF5 and text raise at files that are cut short or something else.
UNREADABLE = (OSError, EOFError, ValueError, TypeError, LookupError, zipfile.BadZipFile, tarfile.TarError, zlib.error)


@contextmanager
def reading(path: Path, advice: str) -> Iterator[None]:
    """Turn whatever a reader says of a damaged file into an error that names it and says what to do."""
    try:
        yield
    except UNREADABLE as error:
        raise DatasetError(f"{path} cannot be read ({type(error).__name__}: {error}): {advice}") from error


def tar_member(archive: tarfile.TarFile, name: str) -> bytes:
    """What a file in an archive holds; nothing is unpacked onto the disk."""
    file = archive.extractfile(name)
    if file is None:
        raise ValueError(f"{name} is no file")
    return file.read()
