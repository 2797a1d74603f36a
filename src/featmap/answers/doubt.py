"""Which labels are doubtful: the probability of each row's own label, by trees that have not seen the row."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from ..run.threads import one_library_thread
from ..values import BoolArray, DoubleArray, WholeArray

N_TREES, SMALLEST_LEAF = 100, 2
N_FOLDS = 5
MOST_ROWS = 4000  # that the trees of a fold learn from


def probabilities_of_own(
    values: DoubleArray, codes: WholeArray, asked: BoolArray, together: WholeArray
) -> DoubleArray:
    """The probability of the own label of the rows that are asked about, by cross-validation: (asked,)."""
    labelled = np.flatnonzero(codes >= 0)
    fold = _folds(together)
    rows = np.flatnonzero(asked)
    found = np.zeros(len(values))
    for number in range(N_FOLDS):
        test = rows[fold[rows] == number]
        if len(test):
            train = _at_most(labelled[fold[labelled] != number])
            found[test] = _probability(values, codes, train, test)
    return found[rows]


def _folds(together: WholeArray) -> WholeArray:
    _, number = np.unique(together, return_inverse=True)
    n_groups = int(number.max(initial=-1)) + 1
    return (np.random.default_rng(0).permutation(n_groups) % N_FOLDS)[number].astype(np.int32)


def _at_most(rows: WholeArray) -> WholeArray:
    if len(rows) <= MOST_ROWS:
        return rows
    return np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))


def _probability(values: DoubleArray, codes: WholeArray, train: WholeArray, test: WholeArray) -> DoubleArray:
    with one_library_thread():
        trees = ExtraTreesClassifier(N_TREES, min_samples_leaf=SMALLEST_LEAF, random_state=0)
        found = trees.fit(values[train], codes[train]).predict_proba(values[test])
    column = np.searchsorted(trees.classes_, codes[test])
    is_known = (column < len(trees.classes_)) & (
        trees.classes_[np.minimum(column, len(trees.classes_) - 1)] == codes[test]
    )
    own = found[np.arange(len(test)), np.minimum(column, len(trees.classes_) - 1)]
    return np.where(is_known, own, 0.0)
