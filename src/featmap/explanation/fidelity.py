"""How true the arrows on a map are, as one number."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..metrics.checks import check_jobs, checked_pair, sample_rows
from .any_map import explain


def arrow_fidelity(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    kind: str = "blend",
    n_neighbors: int | None = None,
    n_sample: int | None = 2000,
    random_state: int = 0,
    n_jobs: int | None = -1,
) -> float:
    """
    Measure how well arrows on the map predict the changes of features.

    It is the median of `Explanation.fidelity` over random rows: the cosine between the changes of the features that
    the arrows predict and the true ones, among the nearest rows on the map. Do not read it alone: compare it with
    ``kind="map"``, a linear regression on the map, and with ``kind="random"``, the score of random frames; a
    median hides the rows where arrows are wrong.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    Y : array-like of shape (n_samples, n_components)
        The map: the embedding of each row of `X`.
    kind : {"blend", "tangent", "map", "frame", "random"}, default="blend"
        The kind of arrows, see `Explanation.arrows`.
    n_neighbors : int or None, default=None
        The number of nearest rows on the map that count. By default a tenth of all rows, at least 30 and at most 300.
    n_sample : int or None, default=2000
        The number of random rows; None for all rows.
    random_state : int, default=0
        The seed of the random rows.
    n_jobs : int or None, default=-1
        The number of threads; -1 for all cores, None for one. The result never depends on it.

    Returns
    -------
    float
        The median cosine, from -1 to 1; 1 is best.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import metrics
    >>> X = load_iris().data
    >>> Y = PCA(2).fit_transform(X)
    >>> metrics.arrow_fidelity(X, Y) > metrics.arrow_fidelity(X, Y, kind="random")
    True
    """
    check_jobs("arrow_fidelity", n_jobs)
    table, embedding = checked_pair("arrow_fidelity", X, Y)
    rows = sample_rows("arrow_fidelity", n_sample, len(embedding), random_state)
    return float(np.median(explain(table, embedding, n_jobs=n_jobs).fidelity(rows, kind, n_neighbors)))
