"""What can be asked of a fitted model about its rows: the questions that `Explanation` answers.

Only scikit-learn's checks are imported with this module; compiled code is loaded by the first question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from .contrast import Contrast
    from .explanation import Explanation
    from .perturbation import Perturbation
    from .scene import Scene


class Questions:
    """Passes questions on to an explanation of the model's own map."""

    n_jobs: int | None
    _scene: Scene

    def feature_importance(self, rows: Any = None, *, out: np.ndarray | None = None) -> np.ndarray:
        """How much each feature varies around each row: (rows, features). See `Explanation.feature_importance`."""
        return self._explanation.feature_importance(rows, out=out)

    def loadings(self, rows: Any = None) -> np.ndarray:
        """The leading local directions: (rows, features, n_components). See `Explanation.loadings`."""
        return self._explanation.loadings(rows)

    def arrows(self, rows: Any = None, kind: str = "tangent", n_neighbors: int | None = None) -> np.ndarray:
        """Where features point on the map: (rows, features, n_components). See `Explanation.arrows`."""
        return self._explanation.arrows(rows, kind, n_neighbors)

    def explained_variance(self, rows: Any = None, n_neighbors: int | None = None) -> np.ndarray:
        """The part of each feature's variance that the map shows. See `Explanation.explained_variance`."""
        return self._explanation.explained_variance(rows, n_neighbors)

    def fidelity(self, rows: Any = None, kind: str = "tangent", n_neighbors: int | None = None) -> np.ndarray:
        """How true the arrows of each row are: a cosine. See `Explanation.fidelity`."""
        return self._explanation.fidelity(rows, kind, n_neighbors)

    def consistency(self, rows: Any = None) -> np.ndarray:
        """How little tangent spaces turn around each row. See `Explanation.consistency`."""
        return self._explanation.consistency(rows)

    def top_features(self, rows: Any = None, k: int = 10) -> np.ndarray:
        """The k most important features of each row: (rows, k). See `Explanation.top_features`."""
        return self._explanation.top_features(rows, k)

    def contrast(self, a: Any, b: Any = None, **options: Any) -> Contrast:
        """Which features tell two groups of rows apart. See `Explanation.contrast`."""
        return self._explanation.contrast(a, b, **options)

    def rank_features(self, labels: Any, **options: Any) -> dict[Any, Contrast]:
        """Every group of labels against the rest. See `Explanation.rank_features`."""
        return self._explanation.rank_features(labels, **options)

    def perturbation(self, rows: Any = None, **options: Any) -> Perturbation:
        """How far rows move when features are taken from them. See `Explanation.perturbation`."""
        return self._explanation.perturbation(rows, **options)

    def to_frame(self, rows: Any = None) -> Any:
        """Importance as a pandas frame. See `Explanation.to_frame`."""
        return self._explanation.to_frame(rows)

    @property
    def _explanation(self) -> Explanation:
        check_is_fitted(self)

        from .explanation import Explanation

        return Explanation(self._scene, getattr(self, "feature_names_in_", None), self.n_jobs)
