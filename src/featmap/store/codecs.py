"""How values become a tree of JSON and a list of arrays, and back: a codec for each kind of value.

Reading follows the codec, never the file: a tree of another form than the codec expects is refused.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from .container import Contents

Arrays = Sequence[np.ndarray]
MOST_SHOWN = 60  # characters of a value that is refused
CSR = {"csr_matrix": sp.csr_matrix, "csr_array": sp.csr_array}


@dataclass
class Collected:
    """The arrays of a tree. An array that is referred to several times is kept once."""

    arrays: list[np.ndarray] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)

    def number(self, array: np.ndarray) -> int:
        """The number by which the tree refers to an array."""
        if id(array) not in self._numbers:
            self._numbers[id(array)] = len(self.arrays)
            self.arrays.append(array)
        return self._numbers[id(array)]


class Codec(Protocol):
    """Writes and reads one kind of value. Both raise a ValueError for any other kind."""

    def encode(self, value: Any, arrays: Collected) -> Any: ...

    def decode(self, node: Any, arrays: Arrays) -> Any: ...


def pack(codec: Codec, value: Any) -> Contents:
    """A value as the contents of a file."""
    arrays = Collected()
    return Contents(codec.encode(value, arrays), arrays.arrays)


def unpack(codec: Codec, contents: Contents) -> Any:
    """The value that was packed."""
    return codec.decode(contents.content, contents.arrays)


def expect(holds: bool, found: Any, expected: str) -> None:
    """Refuse what was found where something else was expected."""
    if not holds:
        text = repr(found)
        shown = text if len(text) < MOST_SHOWN else text[:MOST_SHOWN] + "…"
        raise ValueError(f"it has {shown} where {expected} should be")


# Plain values


@dataclass(frozen=True)
class Plain:
    """A value without arrays: whether it is of this kind, how it is written, and the same of what is read."""

    expected: str
    fits: Callable[[Any], bool]
    write: Callable[[Any], Any]
    is_written: Callable[[Any], bool]
    read: Callable[[Any], Any] | None = None

    def encode(self, value: Any, arrays: Collected) -> Any:
        expect(self.fits(value), value, self.expected)
        return self.write(value)

    def decode(self, node: Any, arrays: Arrays) -> Any:
        expect(self.is_written(node), node, self.expected)
        return node if self.read is None else self.read(node)


def _is_a(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _is_number(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind) and not isinstance(value, bool)


def _is_list_of(*kinds: type) -> Callable[[Any], bool]:
    return lambda node: isinstance(node, list) and all(type(item) in kinds for item in node)


def _names(node: list[Any]) -> np.ndarray:
    return np.array(node, dtype=object)


TEXT = Plain("a text", _is_a(str), str, _is_a(str))
TRUTH = Plain("true or false", _is_a(bool, np.bool_), bool, _is_a(bool))
INTEGER = Plain("an integer", _is_number(numbers.Integral), int, lambda node: type(node) is int)
# NaN and infinity, which JSON does not have, are written as text.
NUMBER = Plain(
    "a number",
    _is_number(numbers.Real),
    lambda value: float(value) if math.isfinite(value) else str(float(value)),
    lambda node: type(node) is float or node in ("nan", "inf", "-inf"),
    float,
)
# Arrays of names. Names of rows are texts and integers, as in the index of a frame; others become texts.
FEATURE_NAMES = Plain(
    "names of features",
    lambda names: all(isinstance(name, str) for name in names),
    lambda names: [str(name) for name in names],
    _is_list_of(str),
    _names,
)
ROW_NAMES = Plain(
    "names of rows",
    _is_a(np.ndarray),
    lambda names: [name if type(name) in (str, int) else str(name) for name in names.tolist()],
    _is_list_of(str, int),
    _names,
)


class Undecoded:
    """A part of the tree that is decoded later."""

    def encode(self, value: Any, arrays: Collected) -> Any:
        return value

    def decode(self, node: Any, arrays: Arrays) -> Any:
        return node


# Arrays


@dataclass(frozen=True)
class Array:
    """An array of one of some types, with a number of dimensions. None allows any."""

    dtypes: tuple[str, ...] | None
    ndim: int | None

    def encode(self, value: Any, arrays: Collected) -> Any:
        self._check(value)
        return arrays.number(value)

    def decode(self, node: Any, arrays: Arrays) -> np.ndarray:
        expect(type(node) is int and 0 <= node < len(arrays), node, "the number of an array")
        self._check(arrays[node])
        return arrays[node]

    def _check(self, array: Any) -> None:
        expect(isinstance(array, np.ndarray), array, "an array")
        expect(self.dtypes is None or array.dtype.name in self.dtypes, array.dtype, f"an array of {self.dtypes}")
        expect(self.ndim is None or array.ndim == self.ndim, array.shape, f"an array of {self.ndim} dimensions")


@dataclass(frozen=True)
class Sparse:
    """A CSR matrix with values of one of some types. None allows any."""

    dtypes: tuple[str, ...] | None

    def encode(self, value: Any, arrays: Collected) -> Any:
        expect(type(value).__name__ in CSR and value.ndim == 2, value, "a CSR matrix")
        node = {name: codec.encode(getattr(value, name), arrays) for name, codec in self._parts.items()}
        return {"class": type(value).__name__, "shape": [int(size) for size in value.shape], **node}

    def decode(self, node: Any, arrays: Arrays) -> Any:
        expect(isinstance(node, dict) and set(node) == {"class", "shape", *self._parts}, node, "a CSR matrix")
        made, shape = node["class"], node["shape"]
        expect(isinstance(made, str) and made in CSR, made, "a CSR matrix")
        expect(_is_list_of(int)(shape), shape, "a shape")
        data, indices, indptr = (codec.decode(node[name], arrays) for name, codec in self._parts.items())
        expect(fits_csr(shape, len(data), indices, indptr), shape, "the shape of a CSR matrix with these entries")
        matrix = CSR[made](tuple(shape), dtype=data.dtype)
        # Set rather than given: the constructor would make copies where another type of index would do.
        matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
        return matrix

    @property
    def _parts(self) -> dict[str, Array]:
        index = Array(("int32", "int64"), 1)
        return {"data": Array(self.dtypes, 1), "indices": index, "indptr": index}


def fits_csr(shape: list[int], n_values: int, indices: np.ndarray, indptr: np.ndarray) -> bool:
    if len(shape) != 2 or len(indptr) != shape[0] + 1 or shape[0] < 0 or not 0 <= shape[1] < 2**31:
        return False
    rises = indptr[0] == 0 and indptr[-1] == len(indices) == n_values and bool((indptr[1:] >= indptr[:-1]).all())
    return rises and within(indices, 0, shape[1])


def within(values: np.ndarray, least: int, beyond: int) -> bool:
    """Whether all integers are at least ``least`` and below ``beyond``."""
    return values.size == 0 or bool(values.min() >= least and values.max() < beyond)


# Values made of others


@dataclass(frozen=True)
class List:
    """A list of values of one kind, which is made into a list or a tuple when it is read."""

    of: Codec
    made: Callable[[Iterable[Any]], Any] = list

    def encode(self, value: Any, arrays: Collected) -> Any:
        return [self.of.encode(item, arrays) for item in value]

    def decode(self, node: Any, arrays: Arrays) -> Any:
        expect(isinstance(node, list), node, "a list")
        return self.made([self.of.decode(item, arrays) for item in node])


@dataclass(frozen=True)
class Optional:
    """A value, or None."""

    of: Codec

    def encode(self, value: Any, arrays: Collected) -> Any:
        return None if value is None else self.of.encode(value, arrays)

    def decode(self, node: Any, arrays: Arrays) -> Any:
        return None if node is None else self.of.decode(node, arrays)


@dataclass(frozen=True)
class Either:
    """A value of some types, which is written as a mapping, or a value that is not."""

    kinds: tuple[type, ...]
    mapping: Codec
    other: Codec

    def encode(self, value: Any, arrays: Collected) -> Any:
        return (self.mapping if isinstance(value, self.kinds) else self.other).encode(value, arrays)

    def decode(self, node: Any, arrays: Arrays) -> Any:
        return (self.mapping if isinstance(node, dict) else self.other).decode(node, arrays)


@dataclass(frozen=True)
class Table:
    """A mapping with known keys, some of which may be missing."""

    required: Mapping[str, Codec]
    optional: Mapping[str, Codec] = field(default_factory=dict)

    def encode(self, value: Any, arrays: Collected) -> Any:
        codecs = self._codecs_of(value)
        return {key: codecs[key].encode(item, arrays) for key, item in value.items()}

    def decode(self, node: Any, arrays: Arrays) -> dict[str, Any]:
        expect(isinstance(node, dict), node, "a mapping")
        codecs = self._codecs_of(node)
        return {key: codecs[key].decode(item, arrays) for key, item in node.items()}

    def _codecs_of(self, keys: Any) -> dict[str, Codec]:
        known = {**self.required, **self.optional}
        is_right = self.required.keys() <= set(keys) <= known.keys()
        expect(is_right, sorted(keys), f"a mapping with {', '.join(self.required)}")
        return known


@dataclass(frozen=True)
class Entries:
    """A mapping with any keys. Errors name the key."""

    of: Codec

    def encode(self, value: Any, arrays: Collected) -> Any:
        return {key: self._named(key, self.of.encode, item, arrays) for key, item in value.items()}

    def decode(self, node: Any, arrays: Arrays) -> dict[str, Any]:
        expect(isinstance(node, dict), node, "a mapping")
        return {key: self._named(key, self.of.decode, item, arrays) for key, item in node.items()}

    def _named(self, key: str, code: Callable[[Any, Any], Any], item: Any, arrays: Any) -> Any:
        try:
            return code(item, arrays)
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from error


@dataclass(frozen=True)
class Fields:
    """A value class, field by field. If the class checks its fields when made, it does so again when it is read."""

    made: type
    fields: Mapping[str, Codec]

    def encode(self, value: Any, arrays: Collected) -> Any:
        expect(type(value) is self.made, type(value).__name__, self.made.__name__)
        return {name: codec.encode(getattr(value, name), arrays) for name, codec in self.fields.items()}

    def decode(self, node: Any, arrays: Arrays, **given: Any) -> Any:
        """``given`` are fields that are not in the file."""
        return self.made(**given, **Table(self.fields).decode(node, arrays))


@dataclass(frozen=True)
class OneOf:
    """One of several value classes, with its name."""

    classes: tuple[Fields, ...]

    def encode(self, value: Any, arrays: Collected) -> Any:
        name = type(value).__name__
        return [name, self._named(name).encode(value, arrays)]

    def decode(self, node: Any, arrays: Arrays) -> Any:
        expect(isinstance(node, list) and len(node) == 2, node, "a name and its value")
        return self._named(node[0]).decode(node[1], arrays)

    def _named(self, name: Any) -> Fields:
        found = [fields for fields in self.classes if fields.made.__name__ == name]
        expect(bool(found), name, f"one of {', '.join(fields.made.__name__ for fields in self.classes)}")
        return found[0]
