"""Questions and answers as bytes, between the page and Python: `web/src/wire.ts` is the other side.

    4 bytes   length of the head, little-endian
    head      JSON in UTF-8: {"value": …, "arrays": [[type, length], …]}
    arrays    each at the next multiple of 8, little-endian, in the order of the table

In the value, {"array": i} stands for an array, and {"number": "NaN"} (or "Infinity", "-Infinity") for a number that
JSON does not have. All arrays are flat.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

TYPES: dict[str, np.dtype[Any]] = {
    "u8": np.dtype("u1"),
    "i8": np.dtype("i1"),
    "u16": np.dtype("<u2"),
    "i16": np.dtype("<i2"),
    "u32": np.dtype("<u4"),
    "i32": np.dtype("<i4"),
    "f32": np.dtype("<f4"),
    "f64": np.dtype("<f8"),
}
NAMES = {dtype: name for name, dtype in TYPES.items()} | {np.dtype(bool): "u8", np.dtype(np.int64): "i32"}
NOT_IN_JSON = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
LENGTH = struct.Struct("<I")
ALIGNMENT = 8
MOST_HEAD_BYTES = 2**16  # of what comes from the page, where long lists are arrays


class WireError(ValueError):
    """Bytes that are not a question."""


def packed(value: Any) -> bytes:
    """A value of dicts, lists, texts, numbers and arrays as bytes."""
    arrays: list[np.ndarray] = []
    plain = _plain(value, arrays)
    table = [[NAMES[array.dtype], array.size] for array in arrays]
    head = json.dumps({"value": plain, "arrays": table}, allow_nan=False, separators=(",", ":")).encode()
    pieces = [LENGTH.pack(len(head)), head]
    size = len(head) + LENGTH.size
    for array in arrays:
        content = array.astype(TYPES[NAMES[array.dtype]], order="C", copy=False).tobytes()
        pieces += [bytes(-size % ALIGNMENT), content]
        size += -size % ALIGNMENT + len(content)
    return b"".join(pieces)


def _plain(value: Any, arrays: list[np.ndarray]) -> Any:
    if isinstance(value, np.ndarray) and value.ndim:
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, np.generic | np.ndarray):
        return _plain(value.item(), arrays)
    if isinstance(value, dict):
        return {name: _plain(inner, arrays) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, arrays) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    return value


def unpacked(content: bytes) -> Any:
    """The value that the page has packed. Whatever else the bytes are ends in a `WireError`."""
    head, end = _head(content)
    try:
        table, value = head["arrays"], head["value"]
        arrays = _arrays(content, table, end)
        return _whole(value, lambda number: arrays[number])
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, RecursionError) as error:
        raise WireError("This is not a question: its head does not describe it.") from error


def _head(content: bytes) -> tuple[dict[str, Any], int]:
    if len(content) < LENGTH.size:
        raise WireError("This is not a question: it has no head.")
    (length,) = LENGTH.unpack_from(content)
    end = LENGTH.size + length
    if length > MOST_HEAD_BYTES or end > len(content):
        raise WireError("This is not a question: its head has the wrong length.")
    try:
        head = json.loads(content[LENGTH.size : end].decode(), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise WireError("This is not a question: its head is not JSON.") from error
    if not isinstance(head, dict):
        raise WireError("This is not a question: its head is not an object.")
    return head, end


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")


def _arrays(content: bytes, table: list[Any], end: int) -> list[np.ndarray]:
    arrays = []
    for name, length in table:
        if type(length) is not int or length < 0:
            raise ValueError("a length is not a number of elements")
        start = end + -end % ALIGNMENT
        arrays.append(np.frombuffer(content, TYPES[name], length, start) if length else np.empty(0, TYPES[name]))
        end = start + arrays[-1].nbytes
    if end != len(content):
        raise ValueError("the arrays do not fill the bytes")
    return arrays


def _whole(value: Any, array: Callable[[Any], np.ndarray]) -> Any:
    if isinstance(value, list):
        return [_whole(inner, array) for inner in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"array"}:
        if type(value["array"]) is not int or value["array"] < 0:
            raise ValueError("an array has no number")
        return array(value["array"])
    if value.keys() == {"number"}:
        return NOT_IN_JSON[value["number"]]
    return {name: _whole(inner, array) for name, inner in value.items()}
