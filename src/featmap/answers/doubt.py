"""Which labels are doubtful: by the probability of a row's own label, given by trees that have not seen the row."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from ..data.pca import fixed_sample
from ..run.threads import one_library_thread
from ..values import BoolArray, DoubleArray, WholeArray

N_TREES, SMALLEST_LEAF = 100, 2
N_FOLDS = 3
MOST_ROWS = 4000  # that the trees of a fold learn from, and whose labels tell whether trees know a label at all
KNOWN = 0.1  # of the way from chance to certainty: a label that trees know less cannot be doubted


def doubtful_rows(values: DoubleArray, codes: WholeArray, is_odd: BoolArray, together: WholeArray) -> WholeArray:
    """Odd rows of labels that trees know, the least probable label first. Permuted labels are known by no tree."""
    if not is_odd.any() or codes.max() == 0:
        return np.empty(0, np.int32)
    is_asked = is_odd.copy()
    is_asked[fixed_sample(len(codes), MOST_ROWS)] = True
    is_asked &= codes >= 0
    own = probabilities_of_own(values, codes, is_asked, together)
    rows = np.flatnonzero(is_odd & is_known(own, codes)[codes])
    return rows[np.argsort(own[rows], kind="stable")]


def is_known(own: DoubleArray, codes: WholeArray) -> BoolArray:
    """Whether the rows of a label have it with a probability well above its frequency: (labels,)."""
    frequency = np.bincount(codes[codes >= 0]) / max(int((codes >= 0).sum()), 1)
    asked = np.isfinite(own)
    n = np.bincount(codes[asked], minlength=len(frequency))
    mean = np.bincount(codes[asked], own[asked], len(frequency)) / np.maximum(n, 1)
    return mean - frequency >= KNOWN * (1 - frequency)


def probabilities_of_own(
    values: DoubleArray, codes: WholeArray, is_asked: BoolArray, together: WholeArray
) -> DoubleArray:
    """The probability of the own label of the rows that are asked about, by folds; NaN for others: (m,)."""
    number = np.unique(together, return_inverse=True)[1]
    fold = (np.random.default_rng(0).permutation(int(number.max()) + 1) % N_FOLDS)[number]
    own = np.full(len(codes), np.nan)
    for one in range(N_FOLDS):
        learnt = np.flatnonzero((fold != one) & (codes >= 0))
        asked = np.flatnonzero((fold == one) & is_asked)
        if len(learnt) and len(asked):
            own[asked] = _probabilities(values, codes, learnt[fixed_sample(len(learnt), MOST_ROWS)], asked)
    return own


def _probabilities(values: DoubleArray, codes: WholeArray, learnt: WholeArray, asked: WholeArray) -> DoubleArray:
    with one_library_thread():
        trees = ExtraTreesClassifier(N_TREES, min_samples_leaf=SMALLEST_LEAF, random_state=0)
        found = trees.fit(values[learnt], codes[learnt]).predict_proba(values[asked])
    probabilities = np.zeros((len(asked), int(codes.max()) + 1))
    probabilities[:, trees.classes_] = found
    return probabilities[np.arange(len(asked)), codes[asked]]
