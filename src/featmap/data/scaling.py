"""X → ScaledData: the data are scaled to unit size once, so that later stages need not handle scale or offset.

Data are centred near their median and multiplied by a power of two (`sizing`). Both are done in float64 and are exact
for integers. The result is kept in float32. Sparse data stay sparse until some of their rows are needed (`sparse`).
`ScaledData` converts results back to the units of the user. For cosine distances rows are scaled to length 1 instead
(`sizing.unit_rows`); their lengths are kept beside them, so that `ScaledData.features` can give the rows back in the
units of the user.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from ..run import SERIAL, Run
from ..values import DoubleArray, FloatArray, IntArray
from .sizing import Sizing, column_ranges, power_of_two_below, rows_for_center, rows_in_cache, with_values
from .sizing import unit_rows as divided_by_lengths
from .sparse import Matrix, SparseRows, canonical, dense_rows
from .units import Units


@dataclass(frozen=True)
class ScaledData:
    """Data in unit size: ``data = matrix / scale + center``. It scales new rows and restores units.

    Unit rows have ``lengths`` besides: ``data = lengths * matrix``. With ``units`` the user's data are what went into
    the steps before a fit, and `restore` and `in_units` lead back to them.
    """

    matrix: Matrix
    center: Annotated[DoubleArray, "(n,)"]
    scale: float
    lengths: Annotated[DoubleArray, "(m,)"] | None = None  # what each row was divided by, in the units of the user
    units: Units | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape

    @property
    def unit_rows(self) -> bool:
        return self.lengths is not None

    def scaled(self, X: Matrix, run: Run = SERIAL) -> ScaledData:
        """New rows, scaled as these were."""
        if self.unit_rows:
            return scale_data(X, run, unit_rows=True)
        return replace(self, matrix=Sizing(self.center, self.scale).prepare(X, run))

    def prepare(self, X: Matrix, run: Run = SERIAL) -> Matrix:
        """The matrix of new rows, scaled as these were."""
        return self.scaled(X, run).matrix

    def features(self, rows: Any = slice(None)) -> ScaledData:
        """Some rows, unit rows times their lengths: `restore` and `in_units` then give the units of the user."""
        chosen = self.matrix[rows]
        if self.lengths is None:
            return replace(self, matrix=chosen)
        lengths = self.lengths[rows]
        scale = float(power_of_two_below(lengths.max(initial=0.0)))
        scaled = (lengths * scale).astype(np.float32)
        if isinstance(chosen, SparseRows):
            data = chosen.entries.data * np.repeat(scaled, np.diff(chosen.entries.indptr))
            matrix: Matrix = SparseRows(with_values(chosen.entries, data), chosen.zeros)
        else:
            matrix = chosen * scaled[:, None]
        return ScaledData(matrix, self.center, scale)

    def part(self, rows: Any) -> ScaledData:
        """Some rows."""
        return replace(self, matrix=self.matrix[rows], lengths=None if self.lengths is None else self.lengths[rows])

    def columns(self, chosen: IntArray) -> ScaledData:
        """Some columns."""
        units = None if self.units is None else self.units.part(chosen)
        if isinstance(self.matrix, SparseRows):
            entries = sp.csr_matrix(self.matrix.entries[:, chosen])
            matrix: Matrix = SparseRows(entries, self.matrix.zeros[chosen])
        else:
            matrix = np.ascontiguousarray(self.matrix[:, chosen])
        return replace(self, matrix=matrix, center=self.center[chosen], units=units)

    @property
    def groups(self) -> IntArray | None:
        """A number for each column, equal for columns of one feature of the user; None if each is a feature."""
        return None if self.units is None else self.units.groups

    @property
    def user_center(self) -> DoubleArray:
        """The center in the units of the user."""
        return self.center if self.units is None else self.center * self.units.factor + self.units.offset

    def as_given(self, rows: np.ndarray) -> DoubleArray:
        """Scaled dense rows as the fit was given them. Unit rows stay unit rows."""
        return replace(self, units=None).restore(rows)

    def restore(self, rows: np.ndarray) -> DoubleArray:
        """Scaled dense rows in the units of the user. Unit rows stay unit rows."""
        return self.in_units(rows) + self.user_center

    def in_units(self, scaled: np.ndarray) -> np.ndarray:
        """Differences, lengths or slopes of scaled data, in the units of the user; features are the last axis."""
        with np.errstate(over="ignore"):  # no number holds units beyond float64
            given = scaled.astype(np.float64, copy=False) / self.scale
            return given if self.units is None else given * self.units.factor

    def log_squares_in_units(self, logs: np.ndarray) -> np.ndarray:
        """Logarithms of squared lengths of scaled data, in the units of the user."""
        return logs - 2 * np.log(self.scale)

    def rows_per_block(self, rows_each: int = 1) -> int:
        """The number of points in a block that stays in cache if each point needs ``rows_each`` rows."""
        return rows_in_cache(4 * self.shape[1] * rows_each)

    def rows(self, indices: Any) -> FloatArray:
        """Dense copies of some rows."""
        return dense_rows(self.matrix, indices)

    def table(self, indices: IntArray) -> tuple[FloatArray, IntArray]:
        """Dense rows and the positions of ``indices`` among them. If the data are sparse, only those are made."""
        if not isinstance(self.matrix, SparseRows):
            return self.matrix, indices
        rows, positions = np.unique(indices, return_inverse=True)
        return self.rows(rows), positions.reshape(indices.shape).astype(np.int32)


def scale_data(X: Matrix, run: Run = SERIAL, *, unit_rows: bool = False) -> ScaledData:
    """Scale training data to unit size. With ``unit_rows`` every row is scaled to length 1, for cosine distances."""
    X = canonical(X) if sp.issparse(X) else X
    if unit_rows:
        matrix, lengths = divided_by_lengths(X, run)
        return ScaledData(matrix, np.zeros(X.shape[1]), 1.0, lengths)
    sizing = Sizing.of(X[rows_for_center(X.shape[0])], column_ranges(X, run))
    return ScaledData(sizing.prepare(X, run), sizing.center, sizing.scale)


def without_features(n_rows: int) -> ScaledData:
    """Rows of which only distances are known."""
    return ScaledData(np.empty((n_rows, 0), np.float32), np.empty(0), 1.0)
