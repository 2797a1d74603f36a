"""Arrays and sparse matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .codec import Arrays, Codec, Collected, expect

SPARSE = {"csr_matrix": sp.csr_matrix, "csr_array": sp.csr_array}


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
        expect(type(value).__name__ in SPARSE and value.ndim == 2, value, "a CSR matrix")
        node = {name: codec.encode(getattr(value, name), arrays) for name, codec in self._parts.items()}
        return {"class": type(value).__name__, "shape": [int(size) for size in value.shape], **node}

    def decode(self, node: Any, arrays: Arrays) -> Any:
        expect(isinstance(node, dict) and set(node) == {"class", "shape", *self._parts}, node, "a CSR matrix")
        made, shape = node["class"], node["shape"]
        expect(isinstance(made, str) and made in SPARSE, made, "a CSR matrix")
        expect(isinstance(shape, list) and all(type(size) is int for size in shape), shape, "a shape")
        data, indices, indptr = (codec.decode(node[name], arrays) for name, codec in self._parts.items())
        expect(_is_csr(shape, len(data), indices, indptr), shape, "the shape of a CSR matrix with these entries")
        matrix = SPARSE[made](tuple(shape), dtype=data.dtype)
        # Set rather than given: the constructor would make copies where another type of index would do.
        matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
        return matrix

    @property
    def _parts(self) -> dict[str, Array]:
        index = Array(("int32", "int64"), 1)
        return {"data": Array(self.dtypes, 1), "indices": index, "indptr": index}


def _is_csr(shape: list[int], n_values: int, indices: np.ndarray, indptr: np.ndarray) -> bool:
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
