"""A preparation as plain data, which a file can hold: it prepares new rows as those of the fit were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import DoubleArray
from .columns import CATEGORY, NUMBER, Column, as_kind, read_named
from .origins import Origins
from .prepare import Prepare
from .tracing import OTHER, origins_of_prepared


@dataclass(frozen=True)
class Recipe:
    """Which columns of a table a model was made of, and how, as plain data.

    Models that ``featmap fit`` saves have one as `recipe_`.

    Parameters
    ----------
    origins : Origins
        The column of the table behind each column of the fit, with its unit.
    missing : ndarray of shape (n_features,)
        What a row without any values becomes.
    text : str
        What was done, in words.
    """

    origins: Origins
    missing: DoubleArray
    text: str

    @classmethod
    def of(cls, prepared: Prepare) -> Recipe:
        """The recipe of a fitted preparation."""
        gaps = np.full((1, len(prepared.feature_names_in_)), None, object)
        missing = prepared.transform(gaps)[0]
        return cls(origins_of_prepared(prepared), missing, str(prepared))

    def prepared(self, X: Any, names: Sequence[str] | None = None) -> np.ndarray:
        """New rows, prepared as those of the fit were: (rows, n_features). Columns of an array have these names."""
        kinds = self._kinds
        columns = {column.name: as_kind(column, kinds[column.name]) for column in read_named(X, list(kinds), names)}
        made = [self._column(columns[source], h) for h, source in enumerate(self.origins.sources)]
        return np.column_stack(made)

    @property
    def _kinds(self) -> dict[str, str]:
        pairs = zip(self.origins.sources, self.origins.levels, strict=True)
        return {source: NUMBER if level is None else CATEGORY for source, level in pairs}

    def _column(self, column: Column, h: int) -> DoubleArray:
        origins, level = self.origins, self.origins.levels[h]
        if level is None:
            given = (column.values - origins.offset[h]) / origins.factor[h]
        else:
            given = self._has(column, level).astype(np.float64)
        return np.where(column.is_gap, self.missing[h], given)

    def _has(self, column: Column, level: str) -> np.ndarray:
        """Which rows have a level. The last one may be that of all values which are none of the others."""
        if level != OTHER:
            return column.values == level
        pairs = zip(self.origins.sources, self.origins.levels, strict=True)
        known = {one for source, one in pairs if source == column.name and one != OTHER}
        return np.array([value not in known for value in column.values])
