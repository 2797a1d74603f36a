"""What is known of the rows: their own values, which may be other columns than those that the map was made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..data.sparse import Matrix
from ..explanation.points import MappedData
from ..values import FloatArray

Levels = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Table:
    """The values that a person knows the rows by.

    Parameters
    ----------
    values : ndarray or CSR matrix of shape (m, p)
        Numbers, and the numbers of levels for categories. NaN where a value is missing, also where a fit had it
        filled. A sparse matrix holds counts, or what was made of counts, of which 0 means "not seen".
    names : tuple of str
        Names of the columns.
    levels : tuple
        For each column None if it holds numbers, else the texts of its levels. Empty if all columns hold numbers.
    unit : str
        What a row is, "cell" for example.
    row_names : ndarray or None
        What the rows are called. By default their numbers.
    image_shape : tuple of int or None
        Height and width, and the number of channels, if the columns are pixels.
    alike : tuple of tuple of str
        Columns that belong together, as the user says. By default they are found.
    unused : tuple of (str, str)
        Columns of the user's that had no part, and why.
    positions : tuple of int
        Where the columns are in the user's own table. By default they are all of it, in their order.

    Examples
    --------
    >>> import numpy as np
    >>> from featmap.answers.table import Table
    >>> Table.of_array(np.zeros((3, 2)), names=["mass", "length"]).names
    ('mass', 'length')
    """

    values: Annotated[Matrix, "(m, p)"]
    names: tuple[str, ...]
    levels: tuple[Levels | None, ...] = ()
    unit: str = "row"
    row_names: np.ndarray | None = None
    image_shape: tuple[int, ...] | None = None
    alike: tuple[tuple[str, ...], ...] = ()
    unused: tuple[tuple[str, str], ...] = ()
    positions: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.names) != self.values.shape[1]:
            raise ValueError(f"Table: {self.values.shape[1]} columns, but {len(self.names)} names")
        if self.levels and len(self.levels) != len(self.names):
            raise ValueError(f"Table: {len(self.names)} columns, but {len(self.levels)} entries of levels")

    @classmethod
    def of_array(cls, X: Any, *, names: Sequence[Any] | None = None, **known: Any) -> Table:
        """Numbers as they are. Columns without names are called by their numbers, from 1."""
        values = sp.csr_matrix(X) if sp.issparse(X) else np.asarray(X, np.float64)
        made = [f"column {number}" for number in range(1, values.shape[1] + 1)] if names is None else names
        return cls(values, tuple(str(name) for name in made), **known)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return self.values.shape

    @property
    def are_counts(self) -> bool:
        """Whether 0 means that a feature was not seen, and a small value that it was seen once."""
        return sp.issparse(self.values)

    @cached_property
    def is_category(self) -> NDArray[np.bool_]:
        """Which columns are categories: (p,)."""
        return np.array([bool(levels) for levels in self.levels or (None,) * len(self.names)], bool)

    def position_of(self, column: int) -> int:
        """Where a column is in the user's own table."""
        return self.positions[column] if self.positions else column

    def name_of(self, row: int) -> str:
        """What a row is called."""
        return str(row if self.row_names is None else self.row_names[row])


@dataclass(frozen=True, eq=False)
class Drawn:
    """The map of the rows, and what is needed to place changed rows on it.

    Parameters
    ----------
    mapped : MappedData
        The data of the fit with their neighbours, and the map.
    prepare : callable or None
        Makes rows of the table, (k, p), into rows as the fit was given them. None if changed rows cannot be placed.
    no_moves : str
        Why they cannot.
    refit : callable or None
        Called with a row number, the prepared row that is put in its place, and a seed: the new map of all rows.
    as_given : callable or None
        Makes the values of a row, (p,), and its number into the row of the user's own table. By default the values.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> from featmap.answers.table import Drawn
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
    >>> Drawn(model._points.mapped, lambda rows: rows).can_move
    True
    """

    mapped: MappedData
    prepare: Callable[[np.ndarray], Matrix] | None = None
    no_moves: str = "changed rows cannot be placed on this map"
    refit: Callable[[int, Matrix, int], FloatArray] | None = None
    as_given: Callable[[np.ndarray, int], Any] | None = None

    @property
    def can_move(self) -> bool:
        """Whether a changed row can be placed on the map."""
        return self.prepare is not None
