"""Values made of other values: lists, mappings, and values that may be missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .codec import Arrays, Codec, Collected, expect


@dataclass(frozen=True)
class List:
    of: Codec

    def encode(self, value: Any, arrays: Collected) -> Any:
        return [self.of.encode(item, arrays) for item in value]

    def decode(self, node: Any, arrays: Arrays) -> list[Any]:
        expect(isinstance(node, list), node, "a list")
        return [self.of.decode(item, arrays) for item in node]


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
        expect(isinstance(node, dict), node, "a mapping")
        self._check(node)
        return {key: self._all[key].decode(item, arrays) for key, item in node.items()}

    def _check(self, keys: Any) -> None:
        unknown, missing = set(keys) - set(self._all), set(self.required) - set(keys)
        expect(not unknown and not missing, sorted(keys), f"a mapping with {', '.join(self.required)}")

    @property
    def _all(self) -> dict[str, Codec]:
        return {**self.required, **self.optional}


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
