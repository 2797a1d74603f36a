"""Made data in which it is known what sets each row apart, with columns of noise of several kinds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

RARE = 0.02  # how often a rare binary column is 1
Noise = Callable[[np.random.Generator, int], np.ndarray]

NOISES: dict[str, tuple[int, Noise]] = {
    "normal, sd 1": (4, lambda rng, m: rng.normal(0, 1, m)),
    "normal, sd 3": (2, lambda rng, m: rng.normal(0, 3, m)),
    "heavy-tailed": (3, lambda rng, m: rng.standard_t(2, m)),
    "rare binary": (3, lambda rng, m: (rng.uniform(size=m) < RARE).astype(float)),
}
TABLES = {"breast cancer": load_breast_cancer, "wine": load_wine}


def clusters_with_own_features(
    seed: int, *, n_rows: int = 2000, n_clusters: int = 6, n_own: int = 5, shift: float = 3.0
) -> Bunch:
    """Clusters, each shifted in features of its own; the last has 1 % of the rows. Columns are in random order.

    ``own`` (clusters, n_own) are the columns that set each cluster apart, ``is_noise`` tells which columns have
    nothing to do with any cluster. All features that are not noise have a standard deviation of 1 within clusters.
    """
    rng = np.random.default_rng(seed)
    n_small = n_rows // 100
    parts = rng.dirichlet(np.full(n_clusters - 1, 5.0))
    target = np.append(rng.choice(n_clusters - 1, n_rows - n_small, p=parts), np.full(n_small, n_clusters - 1))
    own = np.arange(n_clusters * n_own).reshape(n_clusters, n_own)
    known = rng.normal(size=(n_rows, own.size))
    for cluster, columns in enumerate(own):
        known[np.ix_(target == cluster, columns)] += shift * rng.choice([-1, 1], n_own)
    noise = [make(rng, n_rows) for n, make in NOISES.values() for _ in range(n)]
    order = rng.permutation(own.size + len(noise))
    places = np.argsort(order)
    return Bunch(
        data=np.column_stack([known, *noise])[:, order],
        target=target,
        own=places[own],
        is_noise=(np.arange(len(order)) >= own.size)[order],
    )


def with_noise(name: str, seed: int, n_noise: int = 5) -> Bunch:
    """A standardised table of scikit-learn's with N(0, 1) columns as its last."""
    X = StandardScaler().fit_transform(TABLES[name]().data)
    noise = np.random.default_rng(seed).normal(size=(len(X), n_noise))
    return Bunch(data=np.column_stack([X, noise]), is_noise=np.arange(X.shape[1] + n_noise) >= X.shape[1])
