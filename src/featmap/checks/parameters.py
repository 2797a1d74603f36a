"""The allowed values of the parameters of `FeatMAP`, alone and in pairs. Errors have the form of the call."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InvalidParameterError
from .arguments import is_integer, is_number, shown

Test = Callable[[Any], bool]
Rules = Mapping[str, tuple[Test, str]]  # parameter → (test, what it must be)

# Metrics without parameters, which searches of our own compute.
PLAIN = ("euclidean", "cosine", "hellinger", "precomputed")
NAME_OF_DISTANCES = "precomputed"  # as scikit-learn and umap-learn call data that are distances
INITS = ("auto", "pca", "spectral", "random")


def integer(least: int) -> Test:
    return lambda value: is_integer(value, least)


def _number(least: float, most: float = math.inf) -> Test:
    return lambda value: is_number(value, least, most)


def either(*tests: Test) -> Test:
    return lambda value: any(test(value) for test in tests)


def _choice(first: str, second: str) -> tuple[Test, str]:
    return lambda value: isinstance(value, str) and value in (first, second), f"must be {first!r} or {second!r}"


def none(value: Any) -> bool:
    return value is None


def _metric(value: Any) -> bool:
    if not isinstance(value, str) or value in PLAIN:
        return isinstance(value, str) or callable(value)

    from sklearn.neighbors import VALID_METRICS  # late, since it takes a third of a second

    return value in VALID_METRICS["brute"] and value != "nan_euclidean"


def _neighbors(value: Any) -> bool:
    from scipy.sparse import issparse

    is_square = getattr(value, "ndim", 0) == 2 and value.shape[0] == value.shape[1]
    return issparse(value) or is_square or (isinstance(value, tuple | list) and len(value) in (2, 3))


def _directions(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[1] > 0


# An init that is not a name is an array; the fit checks its shape.
RULES: Rules = {
    "n_neighbors": (integer(3), "must be an integer of at least 3 (the point itself and two others)"),
    "n_components": (integer(1), "must be an integer of at least 1; 2 makes a map that can be drawn"),
    "metric": (
        _metric,
        "must be 'euclidean', 'cosine', 'hellinger', another metric of sklearn.neighbors.VALID_METRICS['brute'], a "
        "function of two rows, or 'precomputed' for distances instead of features; nearest neighbours that you "
        "already have go into precomputed_knn=(indices, distances)",
    ),
    "metric_kwds": (
        either(none, lambda value: isinstance(value, Mapping) and all(isinstance(name, str) for name in value)),
        "must be None or a dict of parameters of the metric, for example {'p': 3} for 'minkowski'",
    ),
    "pca": (
        either(none, integer(1), _directions),
        "must be None (neighbours of the features themselves) or an integer of at least 1, the number of principal "
        "components (50 is usual for single cells), or an array of their directions, one column for each, such as "
        "frame.to_numpy() of a DataFrame of loadings",
    ),
    "min_dist": (_number(0), "must be a number of at least 0 and at most spread"),
    "spread": (_number(1e-6, 1e6), "must be a number from 1e-6 to 1e6; 1.0 is usual"),
    "n_epochs": (
        either(none, integer(1)),
        "must be None (the library's choice) or an integer of at least 1; 200 to 500 is usual",
    ),
    "density": (
        either(none, _number(0, 10)),
        "must be None (the library's choice) or a number from 0 to 10: 0 leaves density out, as UMAP does, 1 keeps "
        "local scale, 2 exaggerates it",
    ),
    "density_weight": (_number(0, 1e6), "must be a number from 0 to 1e6; the paper has 0.5, and 0 is UMAP"),
    "intrinsic_dim": (
        either(lambda value: isinstance(value, str) and value == "auto", integer(1)),
        "must be 'auto' or an integer of at least 1",
    ),
    "n_tangent_neighbors": (either(none, integer(3)), "must be None or an integer of at least n_neighbors"),
    "tangent_center": _choice("mean", "point"),
    "frames": _choice("aligned", "paper"),
    "init": (
        lambda value: not isinstance(value, str) or value in INITS,
        "must be 'auto', 'pca', 'spectral', 'random' or an array of shape (rows, n_components)",
    ),
    "precomputed_knn": (
        either(none, _neighbors),
        "must be None, a pair (indices, distances), umap-learn's triple, a sparse matrix of distances, or an array "
        "of the distances between all rows",
    ),
    "n_jobs": (
        either(none, lambda value: integer(-(2**31))(value) and value != 0),
        "must be None (one thread), a number of threads, or -1 for all cores",
    ),
    "verbose": (either(lambda value: isinstance(value, bool), integer(0)), "must be True or False"),
}


# Pairs of parameters that must fit each other: their names, a test of their values, and what must hold.
RELATIONS: Sequence[tuple[tuple[str, str], Callable[[Any, Any], bool], str]] = (
    (("min_dist", "spread"), lambda least, spread: least <= spread, "min_dist must be at most spread"),
    (
        ("n_tangent_neighbors", "n_neighbors"),
        lambda larger, n_neighbors: larger is None or larger >= n_neighbors,
        "n_tangent_neighbors must be at least n_neighbors",
    ),
    (
        ("metric", "metric_kwds"),
        lambda metric, kwds: not kwds or metric not in PLAIN,
        "{metric!r} has no parameters; leave metric_kwds out, or choose a metric that has some, such as 'minkowski' "
        "(p, w) or 'mahalanobis' (VI)",
    ),
    *(
        (
            ("metric", name),
            lambda metric, value: metric != NAME_OF_DISTANCES or value is None,
            f"{name} must be None, since X has distances and no features; to have both, give the features as X, with "
            "precomputed_knn=distances",
        )
        for name in ("pca", "n_tangent_neighbors", "precomputed_knn")
    ),
    (
        ("metric", "init"),
        lambda metric, init: metric != NAME_OF_DISTANCES or not isinstance(init, str) or init != "pca",
        "init must be 'auto', 'spectral', 'random' or an array, since X has distances and no features",
    ),
    (
        ("metric", "pca"),
        lambda metric, pca: metric != "hellinger" or pca is None,
        "pca must be None, since principal components have negative values; choose another metric for them",
    ),
)


def check_parameters(owner: str, parameters: Mapping[str, Any]) -> None:
    """Raise an InvalidParameterError for the first parameter that has a wrong value, or does not fit another."""
    check_each(owner, {name: value for name, value in parameters.items() if name in RULES}, RULES)
    check_relations(owner, parameters)


def check_each(owner: str, parameters: Mapping[str, Any], rules: Rules) -> None:
    """Check every parameter by its rule."""
    for name, value in parameters.items():
        test, advice = rules[name]
        if not test(value):
            raise InvalidParameterError(f"{owner}({name}={shown(value)}): {name} {advice}")


def check_relations(owner: str, parameters: Mapping[str, Any]) -> None:
    """Check the parameters that must fit each other, as far as they are given."""
    for names, fit, advice in RELATIONS:
        values = {name: parameters[name] for name in names if name in parameters}
        if len(values) == len(names) and not fit(*values.values()):
            given = ", ".join(f"{name}={shown(value)}" for name, value in values.items())
            raise InvalidParameterError(f"{owner}({given}): {advice.format(**values)}")
