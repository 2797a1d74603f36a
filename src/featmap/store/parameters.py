"""Parameters of an estimator, which may be of many types."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from .codecs import INTEGER, NUMBER, Array, Arrays, Codec, Collected, Entries, List, Sparse, Table, expect


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
            return Array(None, 0).decode(inner, arrays)[()]
        expect(kind in self._kinds, kind, "a parameter")
        return self._kinds[kind][1].decode(inner, arrays)

    @property
    def _kinds(self) -> dict[str, tuple[Any, Codec]]:
        """The types of values that JSON does not have, and how they are written."""
        return {
            "float": (float, NUMBER),
            "dict": (dict, Entries(self)),
            "list": (list, List(self)),
            "tuple": (tuple, List(self, tuple)),
            "random_state": (np.random.RandomState, RandomState()),
            "sparse": ((sp.csr_matrix, sp.csr_array), Sparse(None)),
            "array": (np.ndarray, Array(None, None)),
        }


class RandomState:
    """numpy's RandomState of the usual kind, a Mersenne Twister."""

    twister = Table({"key": Array(("uint32",), 1), "pos": INTEGER, "has_gauss": INTEGER, "gauss": NUMBER})

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
