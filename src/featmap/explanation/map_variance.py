"""How much of each feature the map shows as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..checks.arguments import checked_count, pandas_for
from ..data.sparse import Matrix, SparseRows, up_to_translation
from ..data.units import first_of_each, groups_of_names
from ..run import Run
from ..values import DoubleArray, IntArray
from .prediction import explained_part, spreads_of, squared_errors
from .regression import MapSearch
from .winsor import Winsorised, winsorised

if TYPE_CHECKING:
    from pandas import DataFrame

    from .backing import Backing
    from .points import MappedData

N_NEAREST = 15
COLUMNS_AT_ONCE = 128  # of dense data, so that no second copy of all of them is made
N_NAMED = 3  # features in the text


@dataclass(frozen=True)
class MapVariance:
    """How much of the variance of each feature the map shows.

    `FeatMAP.map_variance` and `Explanation.map_variance` make it. A feature that the map shows has similar values at
    near places. Noise that took part in the distances is shown a little as well: so features are ordered by what the
    map shows times the factor of their backing, which is 0 for noise.

    Parameters
    ----------
    features : ndarray of shape (n_features,)
        Names of the features, or their column numbers if the data had no names.
    explained : ndarray of shape (n_features,)
        The part of the variance of each feature that the mean of the 15 nearest rows on the map tells, at most 1. It
        is about 0 for a feature that has nothing to do with the map, and may be a little less. All levels of a
        category have that of the category.
    backing : Backing
        How well the other features know each feature.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris(as_frame=True).data)
    >>> str(model.map_variance().top(1)[0])
    'petal length (cm)'
    """

    features: np.ndarray
    explained: DoubleArray
    backing: Backing

    @property
    def order(self) -> IntArray:
        """Column numbers of all features: first what the map shows most of, times its factor; last by backing.

        A category is there once, by its first level.
        """
        shown = np.maximum(self.explained, 0) * self.backing.factors
        order = np.lexsort((-self.backing.values, -shown)).astype(np.int32)
        return first_of_each(order, groups_of_names(self.features))

    def top(self, k: int = 10) -> np.ndarray:
        """Name the features that the map shows most of.

        Parameters
        ----------
        k : int, default=10
            How many features to name. There are no more than the data have.

        Returns
        -------
        ndarray of shape (k,)
            Names of features, or column numbers if the data had no names.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.map_variance().top(2).shape
        (2,)
        """
        return self.features[self.order[: checked_count("top", "k", k, 1)]]

    def to_frame(self) -> DataFrame:
        """Give the result as a tidy pandas DataFrame.

        Returns
        -------
        DataFrame of shape (n_features, 3)
            One line for each feature in the order of `top`, with the columns feature, explained and backing.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> list(model.map_variance().to_frame().columns)
        ['feature', 'explained', 'backing']
        """
        columns = {"feature": self.features, "explained": self.explained, "backing": self.backing.values}
        return pandas_for("to_frame").DataFrame({name: values[self.order] for name, values in columns.items()})

    def __repr__(self) -> str:
        first = self.order[:N_NAMED]
        named = ", ".join(f"{self.features[h]} {max(self.explained[h], 0):.2f}" for h in first)
        return f"MapVariance({len(self.order)} features; the map shows most of: {named})"


def explained_by_map(mapped: MappedData, run: Run) -> DoubleArray:
    """The part of the variance of each feature that the map shows, computed once: (n,)."""
    return mapped.kept("explained by map", lambda: _explained(mapped, run))


def _explained(mapped: MappedData, run: Run) -> DoubleArray:
    """R²_h = 1 − K/(K+1)·Σ(x − x̂)²/Σ(x − x̄)², x̂ the mean of the K = 15 nearest on the map.

    Of rows that are copies of each other one counts, so that no row is predicted by its copy.
    """
    rows = mapped.distinct
    k = min(N_NEAREST, len(rows) - 1)
    if k < 1:
        return np.zeros(mapped.data.shape[1])
    places = mapped.embedding[rows]
    near = MapSearch.build(places).nearest_others(places, np.arange(len(rows), dtype=np.int32), k)
    parts = [
        (squared_errors(part, near, run), spreads_of(part))
        for part in _parts(mapped.data.matrix, rows, winsorised(mapped, run))
    ]
    errors, spreads = (np.concatenate(found) for found in zip(*parts, strict=True))
    return explained_part(errors, spreads, k, mapped.data.groups)


def _parts(matrix: Matrix, rows: IntArray, features: Winsorised) -> Iterator[Matrix]:
    """Winsorised rows, up to translation: a few columns at a time, or all of them if they are sparse."""
    if isinstance(matrix, SparseRows):
        yield up_to_translation(features.clipped(matrix[rows]))
        return
    is_all = len(rows) == len(matrix)
    for start in range(0, matrix.shape[1], COLUMNS_AT_ONCE):
        part = features.clipped_columns(matrix, slice(start, start + COLUMNS_AT_ONCE))
        yield part if is_all else part[rows]
