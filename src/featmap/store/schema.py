"""How values become a tree of JSON and a list of arrays, and back: a codec for each kind of value.

Reading follows the codec, never the file: a tree of another form than the codec expects is refused.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from .container import Contents

Arrays = Sequence[np.ndarray]


@dataclass
class Collected:
    """The arrays of a tree, each of them once, however often it is referred to."""

    arrays: list[np.ndarray] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)

    def number(self, array: np.ndarray) -> int:
        if id(array) not in self._numbers:
            self._numbers[id(array)] = len(self.arrays)
            self.arrays.append(array)
        return self._numbers[id(array)]


class Codec(Protocol):
    """One kind of value. Both ways raise a ValueError for what is not of this kind."""

    def encode(self, value: Any, arrays: Collected) -> Any: ...

    def decode(self, node: Any, arrays: Arrays) -> Any: ...


def pack(codec: Codec, value: Any) -> Contents:
    """A value as the contents of a file."""
    arrays = Collected()
    return Contents(codec.encode(value, arrays), arrays.arrays)


def unpack(codec: Codec, contents: Contents) -> Any:
    """The value that was packed."""
    return codec.decode(contents.content, contents.arrays)


def _require(holds: bool, node: Any, expected: str) -> None:
    if not holds:
        text = repr(node)
        raise ValueError(f"it has {text if len(text) < 60 else text[:60] + '…'} where {expected} should be")


class Text:
    def encode(self, value: Any, arrays: Collected) -> Any:
        _require(isinstance(value, str), value, "a text")
        return str(value)

    def decode(self, node: Any, arrays: Arrays) -> str:
        _require(isinstance(node, str), node, "a text")
        return node


class Truth:
    def encode(self, value: Any, arrays: Collected) -> Any:
        _require(isinstance(value, bool | np.bool_), value, "true or false")
        return bool(value)

    def decode(self, node: Any, arrays: Arrays) -> bool:
        _require(isinstance(node, bool), node, "true or false")
        return node


class Integer:
    def encode(self, value: Any, arrays: Collected) -> Any:
        _require(isinstance(value, numbers.Integral) and not isinstance(value, bool), value, "an integer")
        return int(value)

    def decode(self, node: Any, arrays: Arrays) -> int:
        _require(type(node) is int, node, "an integer")
        return node


class Number:
    """A float; one that JSON does not know is written as text."""

    def encode(self, value: Any, arrays: Collected) -> Any:
        _require(isinstance(value, numbers.Real) and not isinstance(value, bool), value, "a number")
        return float(value) if math.isfinite(value) else str(float(value))

    def decode(self, node: Any, arrays: Arrays) -> float:
        _require(type(node) is float or node in ("nan", "inf", "-inf"), node, "a number")
        return float(node)


@dataclass(frozen=True)
class Array:
    """An array of one of some types, with a number of dimensions (None: any)."""

    dtypes: tuple[str, ...] | None
    ndim: int | None

    def encode(self, value: Any, arrays: Collected) -> Any:
        self._check(value)
        return arrays.number(value)

    def decode(self, node: Any, arrays: Arrays) -> np.ndarray:
        _require(type(node) is int and 0 <= node < len(arrays), node, "the number of an array")
        self._check(arrays[node])
        return arrays[node]

    def _check(self, array: Any) -> None:
        _require(isinstance(array, np.ndarray), array, "an array")
        _require(self.dtypes is None or array.dtype.name in self.dtypes, array.dtype, f"an array of {self.dtypes}")
        _require(self.ndim is None or array.ndim == self.ndim, array.shape, f"an array of {self.ndim} dimensions")


SPARSE = {"csr_matrix": sp.csr_matrix, "csr_array": sp.csr_array}


@dataclass(frozen=True)
class Sparse:
    """A CSR matrix with values of one of some types."""

    dtypes: tuple[str, ...] | None

    def encode(self, value: Any, arrays: Collected) -> Any:
        _require(type(value).__name__ in SPARSE and value.ndim == 2, value, "a CSR matrix")
        node = {name: codec.encode(getattr(value, name), arrays) for name, codec in self._parts.items()}
        return {"class": type(value).__name__, "shape": [int(size) for size in value.shape], **node}

    def decode(self, node: Any, arrays: Arrays) -> Any:
        _require(isinstance(node, dict) and set(node) == {"class", "shape", *self._parts}, node, "a CSR matrix")
        _require(Text().decode(node["class"], arrays) in SPARSE, node["class"], "a CSR matrix")
        shape = tuple(List(Integer()).decode(node["shape"], arrays))
        data, indices, indptr = (codec.decode(node[name], arrays) for name, codec in self._parts.items())
        _require(_is_csr(shape, len(data), indices, indptr), shape, "the shape of a CSR matrix with these entries")
        matrix = SPARSE[node["class"]](shape, dtype=data.dtype)
        # Set rather than given: the constructor would make copies where another type of index would do.
        matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
        return matrix

    @property
    def _parts(self) -> dict[str, Array]:
        index = Array(("int32", "int64"), 1)
        return {"data": Array(self.dtypes, 1), "indices": index, "indptr": index}


def _is_csr(shape: tuple[int, ...], n_values: int, indices: np.ndarray, indptr: np.ndarray) -> bool:
    if len(shape) != 2 or len(indptr) != shape[0] + 1 or shape[0] < 0 or not 0 <= shape[1] < 2**31:
        return False
    rises = indptr[0] == 0 and indptr[-1] == len(indices) == n_values and bool((indptr[1:] >= indptr[:-1]).all())
    return rises and within(indices, 0, shape[1])


def within(values: np.ndarray, least: int, beyond: int) -> bool:
    """Whether all integers are at least ``least`` and below ``beyond``."""
    return values.size == 0 or bool(values.min() >= least and values.max() < beyond)


@dataclass(frozen=True)
class Matrix:
    """A dense or a CSR matrix."""

    dtypes: tuple[str, ...] | None

    def encode(self, value: Any, arrays: Collected) -> Any:
        return self._codec(sp.issparse(value)).encode(value, arrays)

    def decode(self, node: Any, arrays: Arrays) -> Any:
        return self._codec(isinstance(node, dict)).decode(node, arrays)

    def _codec(self, is_sparse: bool) -> Codec:
        return Sparse(self.dtypes) if is_sparse else Array(self.dtypes, 2)


@dataclass(frozen=True)
class List:
    of: Codec

    def encode(self, value: Any, arrays: Collected) -> Any:
        return [self.of.encode(item, arrays) for item in value]

    def decode(self, node: Any, arrays: Arrays) -> list[Any]:
        _require(isinstance(node, list), node, "a list")
        return [self.of.decode(item, arrays) for item in node]


class Names:
    """An array of texts, as scikit-learn keeps the names of features."""

    def encode(self, value: Any, arrays: Collected) -> Any:
        return List(Text()).encode(value, arrays)

    def decode(self, node: Any, arrays: Arrays) -> np.ndarray:
        return np.array(List(Text()).decode(node, arrays), dtype=object)


class RowNames:
    """An array of texts and integers, as the index of a frame has them. Other names become texts."""

    def encode(self, value: Any, arrays: Collected) -> Any:
        return [name if type(name) in (str, int) else str(name) for name in value.tolist()]

    def decode(self, node: Any, arrays: Arrays) -> np.ndarray:
        _require(isinstance(node, list) and all(type(name) in (str, int) for name in node), node, "names of rows")
        return np.array(node, dtype=object)


@dataclass(frozen=True)
class Optional:
    """A value, or None."""

    of: Codec

    def encode(self, value: Any, arrays: Collected) -> Any:
        return None if value is None else self.of.encode(value, arrays)

    def decode(self, node: Any, arrays: Arrays) -> Any:
        return None if node is None else self.of.decode(node, arrays)


@dataclass(frozen=True)
class Table:
    """A mapping with known keys, some of which may be missing."""

    required: Mapping[str, Codec]
    optional: Mapping[str, Codec] = field(default_factory=dict)

    def encode(self, value: Any, arrays: Collected) -> Any:
        self._check(value)
        return {key: self._all[key].encode(item, arrays) for key, item in value.items()}

    def decode(self, node: Any, arrays: Arrays) -> dict[str, Any]:
        _require(isinstance(node, dict), node, "a mapping")
        self._check(node)
        return {key: self._all[key].decode(item, arrays) for key, item in node.items()}

    def _check(self, keys: Any) -> None:
        unknown, missing = set(keys) - set(self._all), set(self.required) - set(keys)
        _require(not unknown and not missing, sorted(keys), f"a mapping with {', '.join(self.required)}")

    @property
    def _all(self) -> dict[str, Codec]:
        return {**self.required, **self.optional}


@dataclass(frozen=True)
class Entries:
    """A mapping with any keys."""

    of: Codec

    def encode(self, value: Any, arrays: Collected) -> Any:
        return {key: self._named(key, self.of.encode, item, arrays) for key, item in value.items()}

    def decode(self, node: Any, arrays: Arrays) -> dict[str, Any]:
        _require(isinstance(node, dict), node, "a mapping")
        return {key: self._named(key, self.of.decode, item, arrays) for key, item in node.items()}

    def _named(self, key: str, code: Callable[[Any, Any], Any], item: Any, arrays: Any) -> Any:
        try:
            return code(item, arrays)
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from error


@dataclass(frozen=True)
class Record:
    """A value class, field by field; one with checks of its own makes them again when it is read."""

    made: type
    fields: Mapping[str, Codec]

    def encode(self, value: Any, arrays: Collected) -> Any:
        _require(type(value) is self.made, type(value).__name__, self.made.__name__)
        return {name: codec.encode(getattr(value, name), arrays) for name, codec in self.fields.items()}

    def decode(self, node: Any, arrays: Arrays, **given: Any) -> Any:
        """``given`` are fields that are not in the file."""
        return self.made(**given, **Table(self.fields).decode(node, arrays))


@dataclass(frozen=True)
class OneOf:
    """One of several value classes, with its name."""

    records: tuple[Record, ...]

    def encode(self, value: Any, arrays: Collected) -> Any:
        name = type(value).__name__
        return [name, self._named(name).encode(value, arrays)]

    def decode(self, node: Any, arrays: Arrays) -> Any:
        _require(isinstance(node, list) and len(node) == 2, node, "a name and its value")
        return self._named(node[0]).decode(node[1], arrays)

    def _named(self, name: Any) -> Record:
        found = [record for record in self.records if record.made.__name__ == name]
        _require(bool(found), name, f"one of {', '.join(record.made.__name__ for record in self.records)}")
        return found[0]


class Undecoded:
    """What is decoded later."""

    def encode(self, value: Any, arrays: Collected) -> Any:
        return value

    def decode(self, node: Any, arrays: Arrays) -> Any:
        return node


class Plain:
    """A parameter: None, a truth, a number, a text, an array, lists of these, or a RandomState."""

    def encode(self, value: Any, arrays: Collected) -> Any:
        if isinstance(value, str):
            return str(value)  # numpy's texts too, of which there are no arrays in files
        if isinstance(value, np.generic):
            return {"scalar": arrays.number(np.asarray(value))}
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, list | tuple):
            return {"tuple" if isinstance(value, tuple) else "list": List(self).encode(value, arrays)}
        if isinstance(value, np.random.RandomState):
            return {"random_state": _encode_random_state(value, arrays)}
        _require(hasattr(value, "__array__"), value, "a number, a text or an array")
        return {"array": arrays.number(np.asarray(value))}

    def decode(self, node: Any, arrays: Arrays) -> Any:
        if node is None or isinstance(node, bool | int | float | str):
            return node
        _require(isinstance(node, dict) and len(node) == 1, node, "a parameter")
        ((kind, inner),) = node.items()
        if kind == "list":
            return List(self).decode(inner, arrays)
        if kind == "tuple":
            return tuple(List(self).decode(inner, arrays))
        if kind == "float":
            return Number().decode(inner, arrays)
        if kind == "random_state":
            return _decode_random_state(inner, arrays)
        _require(kind in ("array", "scalar"), kind, "a parameter")
        array = Array(None, 0 if kind == "scalar" else None).decode(inner, arrays)
        return array[()] if kind == "scalar" else array


_MERSENNE = Table({"key": Array(("uint32",), 1), "pos": Integer(), "has_gauss": Integer(), "gauss": Number()})


def _encode_random_state(value: np.random.RandomState, arrays: Collected) -> Any:
    state = value.get_state(legacy=False)
    _require(state["bit_generator"] == "MT19937", state["bit_generator"], "a RandomState of numpy's usual kind")
    return _MERSENNE.encode({**state["state"], "has_gauss": state["has_gauss"], "gauss": state["gauss"]}, arrays)


def _decode_random_state(node: Any, arrays: Arrays) -> np.random.RandomState:
    state = _MERSENNE.decode(node, arrays)
    is_state = len(state["key"]) == 624 and 0 <= state["pos"] <= 624 and state["has_gauss"] in (0, 1)
    _require(is_state, node, "the state of a RandomState")
    restored = np.random.RandomState()
    restored.set_state(("MT19937", state["key"], state["pos"], state["has_gauss"], state["gauss"]))
    return restored
