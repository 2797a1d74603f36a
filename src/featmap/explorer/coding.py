"""Arrays as the parts of a record: little-endian bytes, arranged so that they compress well, and gzip.

Decoding is in `web/src/record.ts`. The same arrays give the same bytes.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import IntArray, Order

TYPES = {
    "uint8": "u8",
    "int8": "i8",
    "uint16": "u16",
    "int16": "i16",
    "uint32": "u32",
    "int32": "i32",
    "float32": "f32",
    "float64": "f64",
}
LEVEL = 6  # of gzip: 9 takes several times as long and saves a percent


@dataclass(frozen=True)
class Part:
    """One array of a record, with a name, compressed."""

    name: str
    type: str
    shape: tuple[int, ...]
    coding: str
    compressed: bytes

    def head(self) -> dict[str, Any]:
        """What the head of the record says of it."""
        return {
            "name": self.name,
            "type": self.type,
            "shape": list(self.shape),
            "coding": self.coding,
            "bytes": len(self.compressed),
        }


def raw(name: str, array: np.ndarray) -> Part:
    """Elements one after the other."""
    return _part(name, array, "raw", _little(array).tobytes())


def planes(name: str, array: np.ndarray) -> Part:
    """The first bytes of all elements, then the second bytes, and so on."""
    return _part(name, array, "planes", _planes(array))


def steps(name: str, array: np.ndarray) -> Part:
    """Planes of the differences between whole numbers, each from the one before it; they wrap around."""
    flat = array.ravel()
    changes = np.diff(flat, prepend=flat.dtype.type(0))
    return _part(name, array, "steps", _planes(changes))


def neighbours(name: str, indices: IntArray, order: Order) -> Part:
    """Planes of zigzag steps from a row's own place, with rows and their numbers in an order along the map."""
    ordered = order.positions[indices[order.rows]].astype(np.int64)
    changes = ordered - np.arange(len(ordered))[:, None]
    zigzag = np.where(changes >= 0, 2 * changes, -2 * changes - 1).astype(np.uint32)
    return _part(name, zigzag, "neighbours", _planes(zigzag))


def _part(name: str, array: np.ndarray, coding: str, content: bytes) -> Part:
    return Part(name, TYPES[array.dtype.name], array.shape, coding, gzip.compress(content, LEVEL, mtime=0))


def _little(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)


def _planes(array: np.ndarray) -> bytes:
    width = array.dtype.itemsize
    return np.ascontiguousarray(_little(array).view(np.uint8).reshape(-1, width).T).tobytes()
