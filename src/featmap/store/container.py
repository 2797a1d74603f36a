"""The bytes of a file: a header in JSON, arrays as they are in memory, and a digest of all of it.

    8 bytes   magic
    4 bytes   version of the format; numbers are little-endian
    4 bytes   zero
    8 bytes   length of the file
    8 bytes   length of the header
    header    {"kind": …, "featmap": …, "arrays": [[dtype, order, shape], …], "content": …}
    arrays    each at the next multiple of 64, in the order of the table, with zeros between
    32 bytes  BLAKE2b of all bytes before

Nothing in a file is ever run: there is no pickle, and no name is imported. Offsets of arrays are not stored. They
follow from the table, so arrays cannot overlap or lie outside the file. The digest guards against accidents, not
against forgery. So a header is believed only as far as it fits the file, and what it describes is checked when it is
built (`codecs`, `checks`).

Magic, version, length and digest are the same in all versions. So a file of a later version is known to be undamaged
before it is refused.
"""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np

from .. import __version__
from ..errors import StoreError
from .replacing import replacing

FORMAT = 2  # 1 is that of featmap 0.1.0, whose models are still read (`earlier`)
MAGIC = b"\x93FEATMAP"
PREAMBLE = struct.Struct("<8sIIQQ")
ALIGNMENT = 64
DIGEST_SIZE = 32
CHUNK = 2**20
MAPPED_FROM = 2**20  # bytes; smaller arrays are read, larger ones mapped
DTYPES = {"|b1", "|i1", "|u1", *(f"<{kind}{size}" for kind in "iu" for size in (2, 4, 8)), "<f2", "<f4", "<f8"}
MOST_DIMENSIONS, LARGEST_DIMENSION = 8, 2**62


@dataclass(frozen=True)
class Contents:
    """What is in a file: a tree of plain JSON values, and the arrays to which it refers by number."""

    content: Any
    arrays: Sequence[np.ndarray]
    format: int = FORMAT


def write_file(path: Path, kind: str, contents: Contents) -> None:
    """Write contents to ``path``. A file that is there is replaced as a whole."""
    arrays = [_storable(array) for array in contents.arrays]
    table = [[a.dtype.str, "C" if a.flags.c_contiguous else "F", list(a.shape)] for a in arrays]
    described = {"kind": kind, "featmap": __version__, "arrays": table, "content": contents.content}
    header = json.dumps(described, allow_nan=False, separators=(",", ":")).encode()
    offsets, end = _offsets([array.nbytes for array in arrays], PREAMBLE.size + len(header))
    preamble = PREAMBLE.pack(MAGIC, FORMAT, 0, end + DIGEST_SIZE, len(header))
    digest = blake2b(digest_size=DIGEST_SIZE)
    with replacing(path) as file:
        for piece in chain([preamble, header], _pieces(arrays, offsets, PREAMBLE.size + len(header))):
            digest.update(piece)
            file.write(piece)
        file.write(digest.digest())


def _pieces(arrays: Sequence[np.ndarray], offsets: Sequence[int], end: int) -> Iterator[Any]:
    """The bytes of the arrays at their offsets, with zeros between, after ``end`` bytes."""
    for array, offset in zip(arrays, offsets, strict=True):
        yield bytes(offset - end)
        flat = array.ravel(order="K").view(np.uint8)
        yield from (flat[start : start + CHUNK] for start in range(0, len(flat), CHUNK))
        end = offset + array.nbytes


def read_file(path: Path, kind: str, *, mapped: bool) -> Contents:
    """Read what was written to ``path``, after checking that no byte has changed.

    With ``mapped``, large arrays stay in the file until they are used, and changes to them stay in memory.
    """
    with open(path, "rb") as file, refusing(path):
        version, header_size, end = _checked_sizes(file)
        header = _read_header(file, header_size, kind)
        table = _checked_table(header["arrays"])
        sizes = [dtype.itemsize * math.prod(shape) for dtype, _, shape in table]
        offsets, table_end = _offsets(sizes, PREAMBLE.size + header_size)
        if table_end != end:
            raise ValueError("its arrays do not fill the file")
        arrays = [
            _read_array(file, offset, *entry, mapped=mapped and size >= MAPPED_FROM)
            for offset, size, entry in zip(offsets, sizes, table, strict=True)
        ]
    return Contents(header["content"], arrays, version)


def _read_header(file: BinaryIO, size: int, kind: str) -> dict[str, Any]:
    file.seek(PREAMBLE.size)
    header = json.loads(file.read(size).decode(), parse_constant=_refuse_constant)
    if not isinstance(header, dict) or set(header) != {"kind", "featmap", "arrays", "content"}:
        raise ValueError("its header is not one of featmap")
    if header["kind"] != kind:
        raise ValueError(f"it holds a {header['kind']}, not a {kind}")
    return header


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Turn errors about what is in a file into a StoreError that names the file."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # numbers that overflow are refused, without a warning
            yield
    except (ValueError, OverflowError, RecursionError) as error:
        reason = "its header is nested too deep" if isinstance(error, RecursionError) else error
        raise StoreError(f"{path} cannot be read: {reason}") from error


def _checked_sizes(file: BinaryIO) -> tuple[int, int, int]:
    """The format, the length of the header and the end of the arrays, once the digest is known to be right."""
    size = os.fstat(file.fileno()).st_size
    beginning = file.read(PREAMBLE.size)
    if not beginning.startswith(MAGIC):
        raise ValueError("it is not a featmap file")
    if len(beginning) < PREAMBLE.size:
        raise ValueError("it is damaged: it ends too early")
    _, version, zero, stated_size, header_size = PREAMBLE.unpack(beginning)
    if size != stated_size:
        raise ValueError(f"it is damaged: it has {size} bytes, and should have {stated_size}")
    end = size - DIGEST_SIZE
    if end < PREAMBLE.size or _digest(file, end) != file.read(DIGEST_SIZE):
        raise ValueError("it is damaged: its checksum is wrong")
    if version > FORMAT:
        raise ValueError(
            f"its format is {version}, and this featmap ({__version__}) reads up to {FORMAT}; upgrade featmap"
        )
    if version < 1 or zero != 0 or header_size > end - PREAMBLE.size:
        raise ValueError("its header is not one of featmap")
    return version, header_size, end


def _digest(file: BinaryIO, end: int) -> bytes:
    """The digest of the first ``end`` bytes. The file is left at their end."""
    digest = blake2b(digest_size=DIGEST_SIZE)
    file.seek(0)
    for start in range(0, end, CHUNK):
        digest.update(file.read(min(CHUNK, end - start)))
    return digest.digest()


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"its header has {text} where a number should be")


def _checked_table(table: Any) -> list[tuple[np.dtype, str, tuple[int, ...]]]:
    if not isinstance(table, list):
        raise ValueError("its header has no table of arrays")
    checked = []
    for entry in table:
        if not isinstance(entry, list) or len(entry) != 3:
            raise ValueError("its table of arrays is wrong")
        dtype, order, shape = entry
        if not isinstance(dtype, str) or dtype not in DTYPES:
            raise ValueError(f"it has an array of type {dtype!r}, which featmap does not write")
        is_shape = isinstance(shape, list) and len(shape) <= MOST_DIMENSIONS
        is_shape = is_shape and all(type(size) is int and 0 <= size < LARGEST_DIMENSION for size in shape)
        if order not in ("C", "F") or not is_shape:
            raise ValueError(f"it has an array whose shape {shape!r} is not valid")
        checked.append((np.dtype(dtype), order, tuple(shape)))
    return checked


def _offsets(sizes: Sequence[int], begin: int) -> tuple[list[int], int]:
    """Where each array begins, and where the last one ends."""
    offsets, end = [], begin
    for size in sizes:
        offsets.append(end + -end % ALIGNMENT)
        end = offsets[-1] + size
    return offsets, end


def _read_array(
    file: BinaryIO, offset: int, dtype: np.dtype, order: Any, shape: tuple[int, ...], *, mapped: bool
) -> np.ndarray:
    """A writable array: kernels are compiled for writable arrays, and would be compiled again for others."""
    if mapped:
        return np.asarray(np.memmap(file, dtype, "c", offset, shape, order))
    array = np.empty(shape, dtype, order)
    file.seek(offset)
    if file.readinto(array.ravel(order="K").view(np.uint8)) != array.nbytes:  # type: ignore[attr-defined]
        raise ValueError("it changed while it was read")
    return array


def _storable(array: np.ndarray) -> np.ndarray:
    stored = array.astype(array.dtype.newbyteorder("<"), copy=False)
    if stored.dtype.str not in DTYPES:
        raise StoreError(f"an array of type {array.dtype} cannot be stored; convert it to float64")
    return stored if stored.flags.f_contiguous or stored.flags.c_contiguous else np.ascontiguousarray(stored)
