"""Backing: do the other features know this one? Noise is known by none, whatever part it had in making the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..checks.arguments import pandas_for
from ..data.pca import Components, fixed_sample
from ..data.sparse import Matrix, up_to_translation
from ..data.units import first_of_each, groups_of_names
from ..neighbors import find_neighbors
from ..neighbors.exact import ExactSearch
from ..run import Run
from ..values import DoubleArray, FloatArray, IntArray
from .prediction import explained_part, spreads_of, squared_errors
from .winsor import winsorised

if TYPE_CHECKING:
    from pandas import DataFrame

    from .points import MappedData

MOST_ROWS = 3000
N_HALVINGS = 4
N_NEAREST = 10
MOST_FEATURES = 50  # of a half whose distances are those of the features; of a larger one they are of components
N_COMPONENTS = 30
TIE_BREAK = 1e-6  # of the size of the rows
# Pure noise has a backing of 0 with a standard deviation of 0.4/√m. From three of them on a feature counts, and fully
# from 0.07 more.
NOISE, WIDTH = 1.2, 0.07
LEAST = 0.2  # of the best backed feature; if it has less, no feature is judged


@dataclass(frozen=True)
class Backing:
    """How well the other features know each feature.

    `FeatMAP.backing` and `Explanation.backing` make it.

    Parameters
    ----------
    features : ndarray of shape (n_features,)
        Names of the features, or their column numbers if the data had no names.
    values : ndarray of shape (n_features,)
        The backing of each feature, at most 1: the part of its variance that rows tell which are near by other
        features. Pure noise has about 0, and may have a little less.
    factors : ndarray of shape (n_features,)
        What each feature counts in the orders of `top_features` and `map_variance`, from 0 to 1. It is 0 for features
        with no more backing than noise has, and 1 for all if no feature is judged.
    n_rows : int
        The number of rows that it was measured on.
    is_judged : bool
        Whether the features know enough of each other to tell noise from other features.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> X = np.column_stack([load_iris().data, np.random.default_rng(0).normal(size=150)])
    >>> FeatMAP(n_epochs=50, random_state=0).fit(X).backing()
    Backing(5 features, 4 known by others, on 150 rows)
    """

    features: np.ndarray
    values: DoubleArray
    factors: DoubleArray
    n_rows: int
    is_judged: bool

    @property
    def alone(self) -> np.ndarray:
        """Names of the features that no other feature goes with, in the order of the columns.

        A category is there once, by its first level.
        """
        columns = np.flatnonzero(self.factors == 0)
        return self.features[first_of_each(columns, groups_of_names(self.features))]

    @property
    def finds_any(self) -> bool:
        """Whether any feature is known by others beyond chance. It is false for columns that are independent."""
        return bool(self.values.max() >= NOISE / np.sqrt(self.n_rows) + WIDTH / 2)

    @property
    def reliability(self) -> DoubleArray:
        """What part of the distance of a single value from those around is to be believed, from 0 to 1.

        It is the backing, times the factor that leaves out noise. Of features that are not judged it is one half.
        """
        return self.factors * np.clip(self.values, 0, 1) if self.is_judged else np.full_like(self.values, 0.5)

    def to_frame(self) -> DataFrame:
        """Give the backing as a tidy pandas DataFrame.

        Returns
        -------
        DataFrame of shape (n_features, 3)
            One line for each feature, the best backed first, with the columns feature, backing and factor. A category
            has one line, under its first level.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris(as_frame=True).data)
        >>> model.backing().to_frame().shape
        (4, 3)
        """
        columns = {"feature": self.features, "backing": self.values, "factor": self.factors}
        order = first_of_each(np.argsort(-self.values, kind="stable"), groups_of_names(self.features))
        return pandas_for("to_frame").DataFrame({name: values[order] for name, values in columns.items()})

    def __repr__(self) -> str:
        n_known = np.count_nonzero(self.factors)
        known = f"{n_known} known by others" if self.is_judged else "not judged: they know too little of each other"
        return f"Backing({len(self.features)} features, {known}, on {self.n_rows} rows)"


def backing(mapped: MappedData, run: Run) -> Backing:
    """The backing of the features of the data that have been mapped, computed once."""
    return mapped.kept("backing", lambda: _backing(mapped, run))


def _backing(mapped: MappedData, run: Run) -> Backing:
    """On at most 3,000 rows. Of copies one counts: a copy would know the noise of a row."""
    chosen = mapped.distinct
    rows = chosen[fixed_sample(len(chosen), min(len(chosen), MOST_ROWS))]
    sample = up_to_translation(winsorised(mapped, run).clipped(mapped.data.matrix[rows]))
    return judged(mutual_prediction(sample, run, mapped.data.groups), len(rows))


def judged(values: DoubleArray, n_rows: int) -> Backing:
    """f = clip((B − 1.2/√m)/0.07, 0, 1), or 1 for all features if not even the best backed one has much."""
    floor = NOISE / np.sqrt(n_rows)
    is_judged = bool(values.max() >= max(LEAST, floor + WIDTH))
    factors = np.clip((values - floor) / WIDTH, 0, 1) if is_judged else np.ones_like(values)
    return Backing(np.arange(len(values)), values, factors, n_rows, is_judged)


def mutual_prediction(rows: Matrix, run: Run, groups: IntArray | None = None) -> DoubleArray:
    """B_h = 1 − k/(k+1)·SSE/SST, the mean over four halvings of the features: (n,).

    The k = 10 nearest rows by one half of the features predict the other half by their mean, both ways. The halves
    are random, and the same each time. Columns of one group are in the same half. Rows are an array or a CSR matrix.
    """
    n_rows, n_features = rows.shape
    k = min(N_NEAREST, n_rows - 1)
    members = np.arange(n_features) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_groups = members.max(initial=-1) + 1
    if n_groups < 2 or k < 1:
        return np.zeros(n_features)
    rng = np.random.default_rng(0)
    errors = np.zeros(n_features)
    for _ in range(N_HALVINGS):
        is_first = np.isin(members, rng.permutation(n_groups)[: n_groups // 2])
        halves = np.flatnonzero(is_first), np.flatnonzero(~is_first)
        breaks_ties = rng.uniform(size=n_rows)
        for known, predicted in (halves, halves[::-1]):
            near = _nearest(rows[:, known], breaks_ties, k, run)
            errors[predicted] += squared_errors(rows[:, predicted], near, run)
    return explained_part(errors / N_HALVINGS, spreads_of(rows), k, groups)


def _nearest(half: Matrix, breaks_ties: DoubleArray, k: int, run: Run) -> IntArray:
    """The k nearest others of every row, by the features or, if there are many, by their principal components.

    Rows that are equal in these features are near in a random order, which differs from row to row. By their index
    all would have the same neighbours, whose common error could be any.
    """
    places = _components(half) if half.shape[1] > MOST_FEATURES else _dense(half)
    size = np.sqrt(np.einsum("ij,ij->", places, places, dtype=np.float64) / len(places))
    last = (TIE_BREAK * (size or 1.0) * breaks_ties).astype(np.float32)
    matrix = np.ascontiguousarray(np.column_stack([places, last]))
    return find_neighbors(ExactSearch(matrix), matrix, k, run).indices


def _components(half: Matrix) -> FloatArray:
    return np.asarray(half @ Components.find(half, N_COMPONENTS).directions, np.float32)


def _dense(half: Matrix) -> FloatArray:
    return half if isinstance(half, np.ndarray) else half.toarray()
