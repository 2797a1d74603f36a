"""Points of a map and what can be asked of them, for a map of any method and for new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .mixin import ExplanationMixin

if TYPE_CHECKING:
    from .points import Points


class Explanation(ExplanationMixin):
    """The features behind some points of a map.

    `featmap.explain` makes one for the map of any method, and `FeatMAP.explain` for new rows. A fitted `FeatMAP`
    answers the same questions about its own rows. ``explanation[rows]`` is the explanation of some of the points.

    Parameters
    ----------
    points : Points
        The points to explain, made by `featmap.explain` or `FeatMAP.explain`.
    feature_names : array-like of str or None, default=None
        Names of the features, if they have some.
    row_names : array-like or None, default=None
        Names of the points, if they have some.
    n_jobs : int or None, default=-1
        The number of threads; -1 for all cores, None for one. Answers never depend on it.
    verbose : bool, default=False
        Whether answers that may take long show a progress bar.
    made_by : FeatMAP or None, default=None
        The model behind the points, whose parameters a page shows.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_points, n_components)
        The points on the map.
    frames_ : ndarray of shape (n_points, n_components, n_components)
        The frame of each point. Column l shows its local direction l on the map.
    singular_values_ : ndarray of shape (n_points, r)
        Singular values of the weighted neighbourhoods, in units of the data.
    intrinsic_dim_ : ndarray of shape (n_points,)
        How many local directions count for feature importance.
    density_correlation_ : float
        Whether the map is wide where the data are wide, as in `FeatMAP`, of all rows of the map.
    density_slope_ : float
        How much wider the map is where the data are wider, as in `FeatMAP`, of all rows of the map.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features. Only if the data had names.
    row_names_in_ : ndarray of shape (n_points,)
        Names of the points. Only if the data had an index.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import explain
    >>> X = load_iris().data
    >>> explanation = explain(X, PCA(2).fit_transform(X))
    >>> explanation
    Explanation(150 points, 4 features)
    >>> explanation[:10].arrows().shape
    (10, 4, 2)
    """

    def __init__(
        self,
        points: Points,
        feature_names: ArrayLike | None = None,
        row_names: ArrayLike | None = None,
        n_jobs: int | None = -1,
        verbose: bool = False,
        made_by: Any = None,
    ) -> None:
        self._points = points
        self._made_by = made_by  # the model behind it, whose parameters a page shows
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.embedding_ = points.embedding
        self.n_features_in_ = points.mapped.data.shape[1]
        if feature_names is not None:
            self.feature_names_in_ = np.asarray(feature_names, dtype=object)
        if row_names is not None:
            self.row_names_in_ = np.asarray(row_names, dtype=object)

    def __len__(self) -> int:
        return len(self._points)

    def __getitem__(self, rows: Any) -> Explanation:
        chosen = self._answers.rows(rows)
        names = self._answers.row_names
        row_names = None if names is None else names[chosen]
        return Explanation(self._points[chosen], self._answers.feature_names, row_names, self.n_jobs, self.verbose)

    def __repr__(self) -> str:
        return f"Explanation({len(self)} points, {self.n_features_in_} features)"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from .notebook import density_fact, html_of

        trust = self._answers.known_trust
        return html_of(repr(self), self._points, [density_fact(self.density_correlation_)], trust)
