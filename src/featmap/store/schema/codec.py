"""What a codec is, and the arrays that a tree refers to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..container import Contents

Arrays = Sequence[np.ndarray]
MOST_SHOWN = 60  # characters of a value that is refused


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
