"""How good a map is, by the definitions that tests and benchmarks share."""

from __future__ import annotations

import numpy as np
from sklearn.manifold import trustworthiness
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from featmap.data.scaling import scale_data
from featmap.neighbors import find_neighbors, make_search
from featmap.run import Run

SAMPLE = 4000
NEIGHBORS = 15


def held_out_accuracy(Y, labels, n_train=60_000):
    """Accuracy of a 10-NN classifier on the map, for the points of the test set."""
    model = KNeighborsClassifier(10).fit(Y[:n_train], labels[:n_train])
    return model.score(Y[n_train:], labels[n_train:])


def cross_validated_accuracy(Y, labels):
    """The same by ten stratified folds."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    return cross_val_score(KNeighborsClassifier(10), Y, labels, cv=folds).mean()


def sampled_trustworthiness(X, Y):
    """Trustworthiness (k = 15) among 4,000 seeded points, ranks within the sample: are map neighbours neighbours?"""
    X, Y = _sample(X, Y)
    return trustworthiness(X, Y, n_neighbors=NEIGHBORS)


def sampled_continuity(X, Y):
    """The same the other way round: are neighbours neighbours on the map?"""
    X, Y = _sample(X, Y)
    return trustworthiness(Y, X, n_neighbors=NEIGHBORS)


def data_neighbors(X, k=NEIGHBORS):
    """The k nearest others in the data, for the radii below."""
    with Run(-1) as run:
        features = scale_data(X)
        search = make_search(features, X, "euclidean", run)
        near = find_neighbors(search, features.matrix, k, run)
    return near.indices, near.distances.astype(np.float64) / features.scale


def isotropic_correlation(neighbors, Y):
    """Correlation of log(Σ w d²/Σ w) in the data and on the map, over the same neighbours with the same weights."""
    indices, d = neighbors
    w = np.exp(-(d - d[:, :1]) / (d.mean(axis=1, keepdims=True) - d[:, :1]))
    squared = ((Y[indices] - Y[:, None]) ** 2).sum(axis=2)
    in_data, on_map = ((w * s).sum(axis=1) / w.sum(axis=1) for s in (d**2, squared))
    return np.corrcoef(np.log(in_data), np.log(on_map))[0, 1]


def _sample(X, Y):
    rows = np.random.default_rng(0).choice(len(X), min(SAMPLE, len(X)), replace=False)
    return X[rows].astype(np.float32), Y[rows]
