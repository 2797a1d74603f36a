"""Value classes, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .codec import Arrays, Codec, Collected, expect
from .containers import Table


@dataclass(frozen=True)
class Record:
    """A value class. If the class checks its fields when made, it does so again when it is read."""

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

    records: tuple[Record, ...]

    def encode(self, value: Any, arrays: Collected) -> Any:
        name = type(value).__name__
        return [name, self._named(name).encode(value, arrays)]

    def decode(self, node: Any, arrays: Arrays) -> Any:
        expect(isinstance(node, list) and len(node) == 2, node, "a name and its value")
        return self._named(node[0]).decode(node[1], arrays)

    def _named(self, name: Any) -> Record:
        found = [record for record in self.records if record.made.__name__ == name]
        expect(bool(found), name, f"one of {', '.join(record.made.__name__ for record in self.records)}")
        return found[0]
