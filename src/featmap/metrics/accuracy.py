"""How well a k-NN classifier recognises classes on the map."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestNeighbors

from ..checks.arguments import checked_count
from ..errors import InvalidParameterError
from ..run.threads import one_library_thread
from ..values import DoubleArray, IntArray
from .checks import checked_embedding, checked_labels

NEIGHBORS = (2, 4, 8, 16, 32, 64)
N_FOLDS = 10


def knn_accuracy(
    Y: ArrayLike,
    labels: ArrayLike,
    *,
    n_neighbors: int | Sequence[int] = NEIGHBORS,
    n_folds: int = N_FOLDS,
    random_state: int = 0,
) -> float:
    """
    Measure how well a k-NN classifier recognises classes on the map.

    It shows whether classes lie apart on the map [1]_. Compare it with the share of the largest class, which a
    constant guess reaches. It does not show that distances between classes are right, or that classes are as far
    apart in the data as on the map.

    The classifier is scikit-learn's, tested by random stratified folds; if classes have equally many votes, the first
    in the order of labels wins. A class with fewer rows than folds is missing from the tests of some folds, so the
    accuracy says little of rare classes.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        The map: the embedding of each row of the data.
    labels : array-like of shape (n_samples,)
        The class of each row: numbers or strings, none missing.
    n_neighbors : int or sequence of int, default=(2, 4, 8, 16, 32, 64)
        The number of neighbours that vote, or several numbers, whose accuracies are averaged.
    n_folds : int, default=10
        The number of folds. At least one label must have as many rows.
    random_state : int, default=0
        The seed that shuffles rows into folds.

    Returns
    -------
    float
        The mean share of rows classified rightly, from 0 to 1; 1 is best.

    References
    ----------
    .. [1] Y. Wang, H. Huang, C. Rudin and Y. Shaposhnik, "Understanding how dimension reduction tools work",
       Journal of Machine Learning Research 22, 1-73 (2021).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import metrics
    >>> X, labels = load_iris(return_X_y=True)
    >>> Y = PCA(2).fit_transform(X)
    >>> metrics.knn_accuracy(Y, labels) > 0.9
    True
    """
    embedding = checked_embedding("knn_accuracy", Y)
    groups = checked_labels("knn_accuracy", labels, len(embedding))
    ks = checked_votes("knn_accuracy", groups, n_neighbors, n_folds)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        # The docstring says what happens to classes with fewer rows than folds.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        parts = list(folds.split(groups, groups))
    scores = [fold_accuracies(embedding, groups, train, test, ks) for train, test in parts]
    return float(np.mean(scores, axis=0).mean())


def checked_votes(
    caller: str, groups: IntArray, n_neighbors: int | Sequence[int] = NEIGHBORS, n_folds: int = N_FOLDS
) -> list[int]:
    """The numbers of neighbours that vote. Each is at most the number of rows that a fold is trained on."""
    n_rows = len(groups)
    largest = int(np.bincount(groups).max())
    n_folds = checked_count(caller, "n_folds", n_folds, 2, n_rows)
    if n_folds > largest:
        raise InvalidParameterError(
            f"{caller}(n_folds={n_folds}): no label has more than {largest} rows; lower n_folds"
        )
    n_trained = n_rows - -(-n_rows // n_folds)
    ks = [checked_count(caller, "n_neighbors", k, 1, n_trained) for k in np.atleast_1d(n_neighbors).tolist()]
    if not ks:
        raise InvalidParameterError(
            f"{caller}(n_neighbors={n_neighbors!r}): n_neighbors must have at least one number"
        )
    return ks


def fold_accuracies(
    embedding: DoubleArray, groups: IntArray, train: np.ndarray, test: np.ndarray, ks: list[int]
) -> DoubleArray:
    """The accuracy for each k. Votes are added from the nearest neighbour on, so one search serves every k."""
    with one_library_thread():
        search = NearestNeighbors(n_neighbors=max(ks)).fit(embedding[train])
        near = search.kneighbors(embedding[test], return_distance=False)
    ballots = groups[train][near]
    votes = np.zeros((len(test), groups.max() + 1), np.int32)
    everyone = np.arange(len(test))
    scores = np.empty(len(ks))
    for n_voters, choice in enumerate(ballots.T, start=1):
        votes[everyone, choice] += 1
        if n_voters in ks:
            scores[np.equal(ks, n_voters)] = (votes.argmax(axis=1) == groups[test]).mean()
    return scores
