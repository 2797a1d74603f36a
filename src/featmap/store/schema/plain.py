"""Plain values: texts, truth values, integers, floats and names."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from .codec import Arrays, Collected, expect


class Text:
    def encode(self, value: Any, arrays: Collected) -> Any:
        expect(isinstance(value, str), value, "a text")
        return str(value)

    def decode(self, node: Any, arrays: Arrays) -> str:
        expect(isinstance(node, str), node, "a text")
        return node


class Truth:
    def encode(self, value: Any, arrays: Collected) -> Any:
        expect(isinstance(value, bool | np.bool_), value, "true or false")
        return bool(value)

    def decode(self, node: Any, arrays: Arrays) -> bool:
        expect(isinstance(node, bool), node, "true or false")
        return node


class Integer:
    def encode(self, value: Any, arrays: Collected) -> Any:
        expect(isinstance(value, numbers.Integral) and not isinstance(value, bool), value, "an integer")
        return int(value)

    def decode(self, node: Any, arrays: Arrays) -> int:
        expect(type(node) is int, node, "an integer")
        return node


class Number:
    """A float. NaN and infinity, which JSON does not have, are written as text."""

    def encode(self, value: Any, arrays: Collected) -> Any:
        expect(isinstance(value, numbers.Real) and not isinstance(value, bool), value, "a number")
        return float(value) if math.isfinite(value) else str(float(value))

    def decode(self, node: Any, arrays: Arrays) -> float:
        expect(type(node) is float or node in ("nan", "inf", "-inf"), node, "a number")
        return float(node)


class FeatureNames:
    """An array of texts, as scikit-learn keeps the names of features."""

    def encode(self, value: Any, arrays: Collected) -> Any:
        return [Text().encode(name, arrays) for name in value]

    def decode(self, node: Any, arrays: Arrays) -> np.ndarray:
        expect(isinstance(node, list) and all(isinstance(name, str) for name in node), node, "names of features")
        return np.array(node, dtype=object)


class RowNames:
    """An array of texts and integers, as in the index of a frame. Other names become texts."""

    def encode(self, value: Any, arrays: Collected) -> Any:
        return [name if type(name) in (str, int) else str(name) for name in value.tolist()]

    def decode(self, node: Any, arrays: Arrays) -> np.ndarray:
        expect(isinstance(node, list) and all(type(name) in (str, int) for name in node), node, "names of rows")
        return np.array(node, dtype=object)


class Undecoded:
    """A part of the tree that is decoded later."""

    def encode(self, value: Any, arrays: Collected) -> Any:
        return value

    def decode(self, node: Any, arrays: Arrays) -> Any:
        return node
