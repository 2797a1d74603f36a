"""Which labels are doubtful: trees that have learnt from all other rows give the probability of a row's own label."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from ..data.pca import fixed_sample
from ..run.threads import one_library_thread
from ..values import BoolArray, DoubleArray, WholeArray

N_TREES, SMALLEST_LEAF = 100, 2
MOST_ROWS = 4000  # that trees learn from


def by_doubt(values: DoubleArray, codes: WholeArray, is_doubtful: BoolArray) -> WholeArray:
    """The doubtful rows, the least probable label first."""
    rows = np.flatnonzero(is_doubtful)
    return rows[np.argsort(probabilities_of_own(values, codes, is_doubtful), kind="stable")]


def probabilities_of_own(values: DoubleArray, codes: WholeArray, is_doubtful: BoolArray) -> DoubleArray:
    """The probability of the own label of each doubtful row; no doubtful row has a part in it: (doubtful,)."""
    rows, others = np.flatnonzero(is_doubtful), np.flatnonzero(~is_doubtful & (codes >= 0))
    if len(rows) == 0 or len(others) == 0:
        return np.zeros(len(rows))
    learnt = others[fixed_sample(len(others), MOST_ROWS)]
    with one_library_thread():
        trees = ExtraTreesClassifier(N_TREES, min_samples_leaf=SMALLEST_LEAF, random_state=0)
        found = trees.fit(values[learnt], codes[learnt]).predict_proba(values[rows])
    probabilities = np.zeros((len(rows), int(codes.max()) + 1))
    probabilities[:, trees.classes_] = found
    return probabilities[np.arange(len(rows)), codes[rows]]
