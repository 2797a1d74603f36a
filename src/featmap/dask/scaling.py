"""Data on workers brought to unit size, with the bits that they have on one machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.scaling import ScaledData
from ..data.sizing import Ranges, Sizing, column_ranges, rows_for_center, unit_rows
from ..data.sparse import Matrix
from ..values import DoubleArray
from .blocks import Blocks
from .cluster import results


@dataclass(frozen=True)
class ScaledBlocks:
    """`ScaledData` in blocks: ``data = matrix / scale + center``, and the lengths of unit rows."""

    matrix: Blocks  # float32, or SparseRows
    n_features: int
    center: DoubleArray
    scale: float
    lengths: DoubleArray | None

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.n_rows, self.n_features

    def with_matrix(self, matrix: Matrix) -> ScaledData:
        """The same with all rows in one matrix."""
        return ScaledData(matrix, self.center, self.scale, self.lengths)


def scaled_blocks(blocks: Blocks, n_features: int, *, with_unit_rows: bool) -> ScaledBlocks:
    """Scale all blocks as `scale_data` scales a whole table, and keep them on the workers."""
    if with_unit_rows:
        divided = blocks.mapped(unit_rows).kept()
        lengths = np.concatenate(list(results(divided.each(_second))))
        return ScaledBlocks(divided.mapped(_first), n_features, np.zeros(n_features), 1.0, lengths)
    sample = blocks.rows(np.arange(blocks.n_rows)[rows_for_center(blocks.n_rows)])
    sizing = Sizing.of(sample, _ranges(blocks))
    return ScaledBlocks(blocks.mapped(_prepared, sizing).kept(), n_features, sizing.center, sizing.scale, None)


def _ranges(blocks: Blocks) -> Ranges:
    lowest, highest = zip(*results(blocks.each(column_ranges)), strict=True)
    return np.min(lowest, axis=0), np.max(highest, axis=0)


def _prepared(table: Matrix, sizing: Sizing) -> Matrix:
    return sizing.prepare(table)


def _first(pair: tuple[Matrix, DoubleArray]) -> Matrix:
    return pair[0]


def _second(pair: tuple[Matrix, DoubleArray]) -> DoubleArray:
    return pair[1]
