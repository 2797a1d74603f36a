"""Tables with a planted truth for the tests of answers, and slow, obvious versions of their formulas."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.stats import norm, rankdata

from featmap import explain
from featmap.answers.asking import MapAnswers
from featmap.answers.making import drawn_by_another
from featmap.answers.table import Table

NAMES = ("a", "b", "c", "d", "e", "f")


def asked(X, Y, labels=None, table=None, **known):
    """Answers about the rows of a table on a map that is given, or of data with another table."""
    dense = X.toarray() if sp.issparse(X) else X
    drawn = drawn_by_another(explain(np.nan_to_num(np.asarray(dense, float)), Y, n_jobs=1))
    return MapAnswers(table or Table.of_array(X, **known), drawn, labels, n_jobs=1)


def two_groups(n=60, seed=0):
    """Two groups that differ in all of six correlated columns, and a map that shows them apart."""
    rng = np.random.default_rng(seed)
    group = np.repeat([0, 1], n)
    factors = rng.normal(size=(2 * n, 3)) * 0.5 + 4 * group[:, None]
    X = np.repeat(factors, 2, axis=1) + 0.3 * rng.normal(size=(2 * n, 6))
    Y = np.column_stack([10 * group + rng.normal(size=2 * n), rng.normal(size=2 * n)])
    return X, Y, np.array(["left", "right"], object)[group]


def nearest(points, row, k):
    distances = np.linalg.norm(np.asarray(points, float) - points[row], axis=1)
    distances[row] = np.inf
    return np.argsort(distances, kind="stable")[:k]


def evidence_twin(values, labels, row, column, other=None):
    """The mean of both log-likelihood ratios of one value of a number, counted by hand with the row left out."""
    v = values[:, column]
    known = np.isfinite(v)
    mine = [i for i in range(len(v)) if known[i] and i != row and labels[i] == labels[row]]
    is_other = [label != labels[row] if other is None else label == other for label in labels]
    theirs = [i for i in range(len(v)) if known[i] and i != row and is_other[i]]
    scores = np.full(len(v), np.nan)
    scores[known] = norm.ppf((rankdata(v[known]) - 0.5) / known.sum())
    a, b = scores[mine], scores[theirs]
    pooled = (((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()) / (len(a) + len(b) - 2)
    variance = max(pooled, (0.05 * scores[known].std()) ** 2)
    normal = ((scores[row] - b.mean()) ** 2 - (scores[row] - a.mean()) ** 2) / (2 * variance)
    ordered = np.sort(v[known])
    bounds = np.unique([ordered[round(part * (len(ordered) - 1) / 12)] for part in range(13)])[1:-1]
    if len(np.unique(ordered)) <= 12:
        bounds = np.unique(ordered)[1:]
    n_bins = len(bounds) + 1

    def bin_of(value):
        return sum(value >= bound for bound in bounds)

    def smooth(rows):
        bins = [bin_of(v[i]) for i in rows]
        here = bin_of(v[row])
        return (bins.count(here) + 0.5 * bins.count(here - 1) + 0.5 * bins.count(here + 1)) / 2

    p_a = (smooth(mine) + 0.5) / (len(mine) + 0.5 * n_bins)
    p_b = (smooth(theirs) + 0.5) / (len(theirs) + 0.5 * n_bins)
    return (normal + np.log(p_a / p_b)) / 2


def level_twin(codes, labels, row, other=None):
    """The log-likelihood ratio of a level: ten rows with the frequencies of all rows are added to each group."""
    n_levels = int(np.nanmax(codes)) + 1
    known = np.isfinite(codes)
    mine = [codes[i] for i in range(len(codes)) if known[i] and i != row and labels[i] == labels[row]]
    is_other = [label != labels[row] if other is None else label == other for label in labels]
    theirs = [codes[i] for i in range(len(codes)) if known[i] and i != row and is_other[i]]
    usual = (codes[known] == codes[row]).mean()
    assert n_levels > codes[row]
    p_a = (mine.count(codes[row]) + 10 * usual) / (len(mine) + 10)
    p_b = (theirs.count(codes[row]) + 10 * usual) / (len(theirs) + 10)
    return np.log(p_a / p_b)


def best_conjunction(X, wanted, thresholds, most=2):
    """The best F of all conjunctions of at most two conditions, by trying them all."""
    conditions = [(j, t, above) for j in range(X.shape[1]) for t in thresholds[j] for above in (False, True)]
    masks = [X[:, j] > t if above else X[:, j] <= t for j, t, above in conditions]
    best = 0.0
    for a, first in enumerate(masks):
        for second in [np.ones(len(X), bool), *masks[:a]] if most > 1 else [np.ones(len(X), bool)]:
            met = first & second
            best = max(best, 2 * (met & wanted).sum() / (met.sum() + wanted.sum()))
    return best
