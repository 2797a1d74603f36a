"""How a record carries the data: so that the page computes with the numbers that the library computes with.

Whole numbers are carried as they are, in as few bytes as hold them; other numbers in float32, scaled as the library
holds them. If that is too much, dense data are rounded to 16 bits per feature, and the record says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data.scaling import ScaledData
from ..data.sparse import SparseRows
from ..values import DoubleArray
from .coding import Part, planes, raw, steps

WHOLE_TYPES = (np.uint8, np.int8, np.uint16, np.int16)
ROWS_AT_ONCE = 4096
LEVELS = 2**16 - 1


@dataclass(frozen=True)
class Carried:
    """The data as parts of a record. ``data`` is what the page will compute with."""

    form: str  # "dense" or "sparse"
    parts: tuple[Part, ...]
    text: str
    is_exact: bool
    data: ScaledData

    def with_text(self, text: str) -> Carried:
        """The same data with another description."""
        return replace(self, text=text)


def carried(data: ScaledData) -> Carried:
    """The data as they are, compressed without loss."""
    common = (raw("center", data.user_center), *_units(data), *_lengths(data))
    if isinstance(data.matrix, SparseRows):
        parts, text = _sparse(data)
        return Carried("sparse", (*parts, *common), text, True, data)
    whole = _whole_rows(data)
    if whole is None:
        parts, text = (planes("x", data.matrix),), "float32, as the library holds them"
    else:
        parts, text = (raw("x", whole), *_scaling(data)), f"whole numbers of {8 * whole.itemsize} bits"
    return Carried("dense", (*parts, *common), text, True, data)


def carried_in_16_bits(data: ScaledData) -> Carried:
    """Dense data with every feature rounded to 65,536 equal steps between its least and its greatest value."""
    matrix = data.matrix
    low, high = matrix.min(axis=0).astype(np.float64), matrix.max(axis=0).astype(np.float64)
    step = np.where(high > low, (high - low) / LEVELS, 1.0)
    levels = np.empty(matrix.shape, np.uint16)
    rounded = np.empty(matrix.shape, np.float32)
    for start in range(0, len(matrix), ROWS_AT_ONCE):
        here = slice(start, start + ROWS_AT_ONCE)
        levels[here] = np.rint((matrix[here] - low) / step)
        rounded[here] = levels[here] * step + low
    own = (planes("x", levels), raw("step", step), raw("low", low), raw("center", data.user_center))
    parts = (*own, *_units(data), *_lengths(data))
    return Carried("dense", parts, "rounded to 16 bits per feature", False, replace(data, matrix=rounded))


def _units(data: ScaledData) -> tuple[Part, ...]:
    """How large a step of the data is in the units of the user, and which columns are one feature."""
    units = data.units
    return () if units is None else (raw("unitFactors", units.factor), raw("groups", units.groups))


def _lengths(data: ScaledData) -> tuple[Part, ...]:
    return () if data.lengths is None else (raw("lengths", data.lengths),)


def _sparse(data: ScaledData) -> tuple[tuple[Part, ...], str]:
    entries, zeros = data.matrix.entries, data.matrix.zeros
    columns = entries.indices.astype(np.uint16 if entries.shape[1] <= 2**16 else np.uint32)
    where = (
        steps("xStarts", entries.indptr.astype(np.uint32)),
        steps("xColumns", columns),
        raw("zeros", zeros),
    )
    whole = _whole_entries(data)
    if whole is None:
        return (planes("x", entries.data), *where), "float32, as the library holds them; zeros are left out"
    text = f"whole numbers of {8 * whole.itemsize} bits; zeros are left out"
    return (raw("x", whole), *where, *_scaling(data)), text


def _scaling(data: ScaledData) -> tuple[Part, Part]:
    """Scaled values are those of the user times ``step`` plus ``low``."""
    return raw("step", np.full(data.shape[1], data.scale)), raw("low", _low(data))


def _low(data: ScaledData) -> DoubleArray:
    return -data.center * data.scale


def _whole_rows(data: ScaledData) -> np.ndarray | None:
    """The rows in the units of the user, if they are whole numbers that give the scaled rows again; else None."""
    type_ = _whole_type(data, data.restore(data.matrix.min(axis=0)), data.restore(data.matrix.max(axis=0)))
    if type_ is None:
        return None
    whole: np.ndarray = np.empty(data.shape, type_)
    for start in range(0, data.shape[0], ROWS_AT_ONCE):
        here = slice(start, start + ROWS_AT_ONCE)
        if not _holds(data.matrix[here], data, slice(None), whole[here]):
            return None
    return whole


def _whole_entries(data: ScaledData) -> np.ndarray | None:
    """The carried values of the stored entries of sparse data."""
    entries = data.matrix.entries
    values = data.in_units(entries.data) + data.center[entries.indices]
    type_ = _whole_type(data, values.min(initial=0.0), values.max(initial=0.0))
    if type_ is None:
        return None
    whole: np.ndarray = np.empty(entries.nnz, type_)
    return whole if _holds(entries.data, data, entries.indices, whole) else None


def _whole_type(data: ScaledData, least: Any, greatest: Any) -> type | None:
    """The narrowest type that could hold all values; None for rows in other units, and if two bytes are too few."""
    for type_ in () if data.unit_rows or data.units is not None else WHOLE_TYPES:
        limits = np.iinfo(type_)
        if limits.min <= np.min(least) and np.max(greatest) <= limits.max:
            return type_
    return None


def _holds(scaled: np.ndarray, data: ScaledData, features: Any, out: np.ndarray) -> bool:
    """Write scaled values into ``out`` in the units of the user, and tell whether they can be had again from it."""
    out[...] = np.rint(data.in_units(scaled) + data.center[features])
    return bool(((out * data.scale + _low(data)[features]).astype(np.float32) == scaled).all())
