"""The user's columns behind the columns of a fit: their units, and the levels of categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..values import DoubleArray, IntArray


class Level(str):
    """The name of a column that tells whether a category has a certain value: "island: Biscoe"."""

    category: str
    level: str

    def __new__(cls, category: str, level: str) -> Level:
        name = super().__new__(cls, f"{category}: {level}")
        name.category, name.level = category, level
        return name

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.category, self.level


@dataclass(frozen=True)
class Units:
    """How values of a fit become the user's values: ``user = given * factor + offset``, column by column.

    Columns of one feature of the user, such as the levels of a category, have the same number in ``groups``.
    """

    factor: DoubleArray  # (n,)
    offset: DoubleArray  # (n,)
    groups: IntArray  # (n,)

    def part(self, columns: IntArray | slice) -> Units:
        """Some of the columns."""
        return Units(self.factor[columns], self.offset[columns], self.groups[columns])


def first_of_each(order: np.ndarray, groups: IntArray | None) -> np.ndarray:
    """Columns in their order, of each group only the first."""
    if groups is None:
        return order
    return order[np.sort(np.unique(groups[order], return_index=True)[1])]


def groups_of_names(names: np.ndarray) -> IntArray:
    """A number for each name, the same for all levels of a category: (n,)."""
    sources = [name.category if isinstance(name, Level) else name for name in names]
    numbers = {source: number for number, source in enumerate(dict.fromkeys(sources))}
    return np.array([numbers[source] for source in sources], np.int32)


def summed(values: DoubleArray, groups: IntArray | None) -> DoubleArray:
    """The sum over the columns of each group, at each of them: (n,)."""
    return values if groups is None else np.asarray(np.bincount(groups, values), np.float64)[groups]


def joined(importance: np.ndarray, groups: IntArray | None) -> np.ndarray:
    """The root of the sum of squares over the columns of each group, at each of them: (…, n)."""
    if groups is None or len(np.unique(groups)) == len(groups):
        return importance
    n = len(groups)
    of_column = sp.csr_matrix((np.ones(n), (np.arange(n), groups)))
    return np.sqrt((np.square(importance, dtype=np.float64) @ of_column)[..., groups])
