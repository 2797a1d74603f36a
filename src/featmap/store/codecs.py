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
MOST_CHARACTERS = 60  # shown of a value that is refused
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
        shown = text if len(text) < MOST_CHARACTERS else text[:MOST_CHARACTERS] + "…"
        raise ValueError(f"it has {shown} where {expected} should be")


# Plain values


@dataclass(frozen=True)
class Plain:
    """A value without arrays. ``fits`` and ``write`` take the value, ``is_written`` and ``read`` what a file has."""

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
NOTHING = Plain("nothing", lambda value: False, str, lambda node: False)
UNDECODED = Plain("a mapping", _is_a(dict), dict, _is_a(dict))  # a part of the tree that is decoded later
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


# Arrays


@dataclass(frozen=True)
class Array:
    """An array of one of some types, with a size for each name in ``shape``. None allows any."""

    dtypes: tuple[str, ...] | None
    shape: tuple[str, ...] | None
    finite: bool = True

    def encode(self, value: Any, arrays: Collected) -> Any:
        self._check(value)
        return arrays.number(value)

    def decode(self, node: Any, arrays: Arrays) -> np.ndarray:
        expect(type(node) is int and 0 <= node < len(arrays), node, "the number of an array")
        array = arrays[node]
        self._check(array)
        # NaN and infinity both reach the smallest or the largest value, which need no copy of a mapped array.
        if self.finite and array.size and not np.isfinite([array.min(), array.max()]).all():
            raise ValueError("it has NaN or infinite numbers")
        return array

    def _check(self, array: Any) -> None:
        expect(isinstance(array, np.ndarray), array, "an array")
        expect(self.dtypes is None or array.dtype.name in self.dtypes, array.dtype, f"an array of {self.dtypes}")
        fits = self.shape is None or array.ndim == len(self.shape)
        expect(fits, array.shape, f"an array of shape ({', '.join(self.shape or ())})")


@dataclass(frozen=True)
class Sparse:
    """A CSR matrix with values of one of some types. None allows any."""

    dtypes: tuple[str, ...] | None
    finite: bool = True

    def encode(self, value: Any, arrays: Collected) -> Any:
        expect(type(value).__name__ in CSR and value.ndim == 2, value, "a CSR matrix")
        parts = {name: getattr(value, name) for name in ("shape", "data", "indices", "indptr")}
        return self._table.encode({"class": type(value).__name__, **parts}, arrays)

    def decode(self, node: Any, arrays: Arrays) -> Any:
        parts = self._table.decode(node, arrays)
        made, shape, data, indices, indptr = (parts[name] for name in self._table.required)
        expect(made in CSR, made, "a CSR matrix")
        expect(fits_csr(shape, len(data), indices, indptr), shape, "the shape of a CSR matrix with these entries")
        matrix = CSR[made](shape, dtype=data.dtype)
        # Set rather than given: the constructor would make copies where another type of index would do.
        matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
        return matrix

    @property
    def _table(self) -> Table:
        values, index = Array(self.dtypes, ("entries",), self.finite), Array(("int32", "int64"), ("entries",))
        shape = List(INTEGER, tuple)
        return Table({"class": TEXT, "shape": shape, "data": values, "indices": index, "indptr": index})


def fits_csr(shape: tuple[int, ...], n_values: int, indices: np.ndarray, indptr: np.ndarray) -> bool:
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
    """An array, or a value that is written as a mapping."""

    array: Array
    mapping: Codec

    def encode(self, value: Any, arrays: Collected) -> Any:
        return (self.array if isinstance(value, np.ndarray) else self.mapping).encode(value, arrays)

    def decode(self, node: Any, arrays: Arrays) -> Any:
        return (self.mapping if isinstance(node, dict) else self.array).decode(node, arrays)


@dataclass(frozen=True)
class Table:
    """A mapping with known keys, some of which may be missing, and perhaps others. Errors name the key."""

    required: Mapping[str, Codec] = field(default_factory=dict)
    optional: Mapping[str, Codec] = field(default_factory=dict)
    others: Codec = NOTHING

    def encode(self, value: Any, arrays: Collected) -> Any:
        return self._each(value, lambda codec, item: codec.encode(item, arrays))

    def decode(self, node: Any, arrays: Arrays) -> dict[str, Any]:
        expect(isinstance(node, dict), node, "a mapping")
        return self._each(node, lambda codec, item: codec.decode(item, arrays))

    def _each(self, items: Mapping[str, Any], code: Callable[[Codec, Any], Any]) -> dict[str, Any]:
        known, coded = {**self.required, **self.optional}, {}
        expect(self.required.keys() <= items.keys(), list(items), f"a mapping with {', '.join(self.required)}")
        for key, item in items.items():
            try:
                coded[key] = code(known.get(key, self.others), item)
            except ValueError as error:
                raise ValueError(f"{key}: {error}") from error
        return coded


@dataclass(frozen=True)
class Fields:
    """A value class, field by field. If the class checks its fields when made, it does so again when it is read."""

    made: type
    fields: Mapping[str, Codec]

    def encode(self, value: Any, arrays: Collected) -> Any:
        expect(type(value) is self.made, type(value).__name__, self.made.__name__)
        return Table(self.fields).encode({name: getattr(value, name) for name in self.fields}, arrays)

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


# Parameters of an estimator, which may be of many types


class Parameter:
    """None, a truth value, a number, a text, an array, a sparse matrix, a RandomState, or dicts, lists and tuples of
    these.

    What JSON has is written as it is, everything else with the name of its kind. Sparse matrices become CSR.
    """

    def encode(self, value: Any, arrays: Collected) -> Any:
        if isinstance(value, str):
            return str(value)  # numpy's texts too: files have no arrays of texts
        if isinstance(value, np.generic):
            return {"scalar": arrays.number(np.asarray(value))}
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float) and math.isfinite(value):
            return value
        if sp.issparse(value):
            value = value.tocsr()
        elif hasattr(value, "__array__"):
            value = np.asarray(value)
        kind = next((name for name, (made, _) in self._kinds.items() if isinstance(value, made)), None)
        expect(kind is not None, value, "a number, a text, an array or a sparse matrix")
        return {kind: self._kinds[str(kind)][1].encode(value, arrays)}

    def decode(self, node: Any, arrays: Arrays) -> Any:
        if node is None or isinstance(node, bool | int | float | str):
            return node
        expect(isinstance(node, dict) and len(node) == 1, node, "a parameter")
        ((kind, inner),) = node.items()
        if kind == "scalar":
            return Array(None, (), finite=False).decode(inner, arrays)[()]
        expect(kind in self._kinds, kind, "a parameter")
        return self._kinds[kind][1].decode(inner, arrays)

    @property
    def _kinds(self) -> dict[str, tuple[Any, Codec]]:
        """The types of values that JSON does not have, and how they are written."""
        return {
            "float": (float, NUMBER),
            "dict": (dict, Table(others=self)),
            "list": (list, List(self)),
            "tuple": (tuple, List(self, tuple)),
            "random_state": (np.random.RandomState, RandomState()),
            "sparse": ((sp.csr_matrix, sp.csr_array), Sparse(None, finite=False)),
            "array": (np.ndarray, Array(None, None, finite=False)),
        }


class RandomState:
    """numpy's RandomState of the usual kind, a Mersenne Twister."""

    twister = Table({"key": Array(("uint32",), ("624",)), "pos": INTEGER, "has_gauss": INTEGER, "gauss": NUMBER})

    def encode(self, value: np.random.RandomState, arrays: Collected) -> Any:
        state = value.get_state(legacy=False)
        expect(state["bit_generator"] == "MT19937", state["bit_generator"], "a RandomState of numpy's usual kind")
        flat = {**state["state"], "has_gauss": state["has_gauss"], "gauss": state["gauss"]}
        return self.twister.encode(flat, arrays)

    def decode(self, node: Any, arrays: Arrays) -> np.random.RandomState:
        state = self.twister.decode(node, arrays)
        is_state = len(state["key"]) == 624 and 0 <= state["pos"] <= 624 and state["has_gauss"] in (0, 1)
        expect(is_state, node, "the state of a RandomState")
        restored = np.random.RandomState()
        restored.set_state(("MT19937", state["key"], state["pos"], state["has_gauss"], state["gauss"]))
        return restored
