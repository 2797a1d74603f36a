"""Can classes be told from the map? By the labels of the nearest points."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestNeighbors

from ..checks.counts import checked_count
from ..errors import InvalidParameterError
from ..run.threads import one_library_thread
from ..values import DoubleArray, IntArray
from .checks import checked_embedding, checked_labels

NEIGHBORS = (2, 4, 8, 16, 32, 64)
N_FOLDS = 10


def knn_accuracy(
    Y: Any,
    labels: Any,
    *,
    n_neighbors: int | Sequence[int] = NEIGHBORS,
    n_folds: int = N_FOLDS,
    random_state: int = 0,
) -> float:
    """The mean of `knn_accuracies`: by default over 2, 4, 8, …, 64 neighbours."""
    return float(
        knn_accuracies(Y, labels, n_neighbors=n_neighbors, n_folds=n_folds, random_state=random_state).mean()
    )


def knn_accuracies(
    Y: Any,
    labels: Any,
    *,
    n_neighbors: int | Sequence[int] = NEIGHBORS,
    n_folds: int = N_FOLDS,
    random_state: int = 0,
) -> DoubleArray:
    """The accuracy of a k-NN classifier on the map for each k of ``n_neighbors``, by random stratified folds.

    As scikit-learn's: the mean over folds; of classes with as many votes, the first in the order of labels wins. A
    class of fewer members than folds is in some of them only.
    """
    caller = "knn_accuracies"
    Y = checked_embedding(caller, Y)
    groups = checked_labels(caller, labels, len(Y))
    ks = checked_votes(caller, groups, n_neighbors, n_folds)
    scores = [_fold_scores(Y, groups, train, test, ks) for train, test in _folds(groups, n_folds, random_state)]
    return np.mean(scores, axis=0)


def checked_votes(
    caller: str, groups: IntArray, n_neighbors: int | Sequence[int] = NEIGHBORS, n_folds: int = N_FOLDS
) -> list[int]:
    """The numbers of neighbours that vote, each within what the folds leave to learn from."""
    n_rows = len(groups)
    largest = int(np.bincount(groups).max())
    n_folds = checked_count(caller, "n_folds", n_folds, 2, n_rows)
    if n_folds > largest:
        raise InvalidParameterError(
            f"{caller}(n_folds={n_folds}): no label has more than {largest} rows; lower n_folds"
        )
    n_learned = n_rows - -(-n_rows // n_folds)
    ks = [checked_count(caller, "n_neighbors", k, 1, n_learned) for k in np.atleast_1d(n_neighbors).tolist()]
    if not ks:
        raise InvalidParameterError(f"{caller}(n_neighbors={n_neighbors!r}): must name at least one number")
    return ks


def _folds(groups: IntArray, n_folds: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn from and rows to tell, for each fold."""
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # Classes of fewer members than folds are no surprise here: the documentation says what becomes of them.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return list(folds.split(groups, groups))


def _fold_scores(Y: DoubleArray, groups: IntArray, train: np.ndarray, test: np.ndarray, ks: list[int]) -> DoubleArray:
    """Votes are counted from the nearest on, so that one search serves every k."""
    with one_library_thread():
        near = NearestNeighbors(n_neighbors=max(ks)).fit(Y[train]).kneighbors(Y[test], return_distance=False)
    ballots = groups[train][near]
    votes = np.zeros((len(test), groups.max() + 1), np.int32)
    everyone = np.arange(len(test))
    scores = np.empty(len(ks))
    for n_voters, choice in enumerate(ballots.T, start=1):
        votes[everyone, choice] += 1
        if n_voters in ks:
            scores[np.equal(ks, n_voters)] = (votes.argmax(axis=1) == groups[test]).mean()
    return scores
