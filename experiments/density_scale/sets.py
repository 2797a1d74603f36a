"""The data of the study, at most 10,000 rows each: sets that settings were chosen on, and sets that only confirm."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

from lab.data.confirmation import load_letters, load_satellite, load_segment
from lab.data.images import digits, load_images
from lab.data.parts import random_part
from lab.data.purchases import purchases

from ..sets import QUICK_SET, prepared

N_ROWS = 10_000
N_NEIGHBORS = 15  # with the row itself, as the packages count
CHOSEN = ("digits", "COIL-20", "MNIST 10k", "PBMC 3k", "Fashion-MNIST 10k", "purchases")
CONFIRMED = ("KMNIST", "letters 10k", "satellite", "segment", "Paul 2015")


def made_purchases() -> Bunch:
    counts, kinds = purchases()
    return Bunch(data=counts, target=kinds)


def standardised_segment() -> Bunch:
    """Its columns have units of their own."""
    segment = load_segment()
    return segment | {"data": StandardScaler().fit_transform(segment.data)}


LOADERS = {
    "digits": digits,
    "MNIST 10k": lambda: random_part(load_images("MNIST"), N_ROWS),
    "Fashion-MNIST 10k": lambda: random_part(load_images("Fashion-MNIST"), N_ROWS),
    "purchases": made_purchases,
    "letters 10k": lambda: random_part(load_letters(), N_ROWS),
    "satellite": load_satellite,
    "segment": standardised_segment,
    QUICK_SET: lambda: prepared(QUICK_SET),
}


@cache
def studied(name: str) -> Bunch:
    """Rows as float32, and labels."""
    bunch = LOADERS[name]() if name in LOADERS else prepared(name)
    return Bunch(data=np.asarray(bunch["data"], np.float32), target=np.asarray(bunch["target"]))


@lru_cache(maxsize=1)
def nearest_others(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The nearest other rows of every row, one more than methods are given, and their distances in float64."""
    X = studied(name).data.astype(np.float64)
    _, near = NearestNeighbors(n_neighbors=N_NEIGHBORS, algorithm="brute").fit(X - X.mean(axis=0)).kneighbors()
    distances = np.array([np.linalg.norm(X[others] - x, axis=1) for x, others in zip(X, near, strict=True)])
    order = np.argsort(distances, axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(distances, order, axis=1)


def given_neighbors(name: str) -> tuple[np.ndarray, np.ndarray]:
    """What every method is given that takes it: each row itself, and the nearest others."""
    near, distances = (each[:, : N_NEIGHBORS - 1] for each in nearest_others(name))
    itself = np.arange(len(near))[:, None]
    return np.hstack([itself, near]).astype(np.int32), np.hstack([0.0 * itself, distances]).astype(np.float32)
