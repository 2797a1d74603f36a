"""Replacing a file by another as a whole, or not at all."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ..errors import StoreError

STALE_AFTER = 3600.0  # seconds; a living writer is never silent for so long


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that becomes ``path`` when the block ends. Until then, and after any error, the old file stays.

    The new file is written beside the old one under a name of its own. It is on the disk before it is renamed, and is
    removed if the block fails. What a killed writer left is removed by the next writer after an hour.
    """
    path = Path(os.path.realpath(path))  # a link stays, and the file that it points to is replaced
    if path.exists() and not path.is_file():
        raise StoreError(f"{path} is not a file, so it cannot be replaced by one; choose another path")
    try:
        prefix = f".{path.name}."
        _remove_stale(path.parent, prefix)
        own = path.with_name(f"{prefix}{secrets.token_hex(8)}.part")
        try:
            with own.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(own, path)
        except BaseException:
            own.unlink(missing_ok=True)
            raise
    except OSError as error:
        state = "the file that was there is unchanged" if path.exists() else "nothing was left there"
        raise StoreError(f"{path} could not be written: {error.strerror or error}; {state}") from error
    with suppress(OSError):  # the renaming itself; some file systems cannot sync a folder
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _remove_stale(folder: Path, prefix: str) -> None:
    for other in folder.iterdir():
        if other.name.startswith(prefix) and other.suffix == ".part":
            with suppress(OSError):  # another writer may have removed it
                if time.time() - other.stat().st_mtime > STALE_AFTER:
                    other.unlink()
