"""Where the columns of a fit come from: columns of the user, and levels of categories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..data.units import Level, Units
from ..values import DoubleArray


@dataclass(frozen=True)
class Origins:
    """Of every column of a fit: the user's column, the level if it is one of a category, and how to get back.

    The value of the user is ``given * factor + offset``; of a level it is 1 for rows that have it and 0 for others.
    """

    sources: np.ndarray  # (n,) names of the user's columns
    levels: tuple[str | None, ...]  # (n,)
    factor: DoubleArray  # (n,)
    offset: DoubleArray  # (n,)

    def __post_init__(self) -> None:
        if not (len(self.sources) == len(self.levels) == len(self.factor) == len(self.offset)):
            raise ValueError("origins must have one entry for each column")

    @classmethod
    def of(cls, names: Iterable[str]) -> Origins:
        """Columns as they are."""
        sources = np.array([str(name) for name in names], dtype=object)
        return cls(sources, (None,) * len(sources), np.ones(len(sources)), np.zeros(len(sources)))

    @classmethod
    def joined(cls, parts: list[Origins]) -> Origins:
        """The columns of several parts side by side."""
        return cls(
            np.concatenate([part.sources for part in parts]),
            tuple(level for part in parts for level in part.levels),
            np.concatenate([part.factor for part in parts]),
            np.concatenate([part.offset for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, columns: np.ndarray) -> Origins:
        levels = tuple(self.levels[column] for column in columns)
        return Origins(self.sources[columns], levels, self.factor[columns], self.offset[columns])

    def before(self, scale: DoubleArray, shift: DoubleArray) -> Origins:
        """After a step whose input is its output times ``scale`` plus ``shift``."""
        return replace(self, factor=self.factor * scale, offset=self.factor * shift + self.offset)

    @property
    def names(self) -> np.ndarray:
        """Names of the columns of the fit: (n,)."""
        names = np.empty(len(self), dtype=object)
        pairs = zip(self.sources, self.levels, strict=True)
        names[:] = [source if level is None else Level(source, level) for source, level in pairs]
        return names

    @property
    def units(self) -> Units:
        """What leads back to the values of the user. Groups are numbered as they come."""
        numbers = {source: number for number, source in enumerate(dict.fromkeys(self.sources))}
        groups = np.array([numbers[source] for source in self.sources], np.int32)
        return Units(self.factor, self.offset, groups)
