"""The allowed values of each parameter of `FeatMAP`, as a table. Errors have the form of the call."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
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


def _kwds(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)


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
        either(none, _kwds),
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
    "density_weight": (_number(0, 1e6), "must be a number from 0 to 1e6; 0 leaves density out, as UMAP does"),
    "density_anisotropy": (
        _number(0, 1),
        "must be a number from 0 to 1, the part of density_weight that acts along the frames",
    ),
    "density_terms": _choice("shape", "directions"),
    "density_fraction": (_number(0, 1), "must be a number from 0 to 1, the part of the epochs with density"),
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


def check_parameters(owner: str, parameters: Mapping[str, Any]) -> None:
    """Raise an InvalidParameterError for the first parameter that has a wrong value."""
    check_each(owner, {name: value for name, value in parameters.items() if name in RULES}, RULES)
    if parameters.get("min_dist", 0) > parameters.get("spread", 0):
        raise InvalidParameterError(
            f"{owner}(min_dist={parameters['min_dist']!r}, spread={parameters['spread']!r}): "
            "min_dist must be at most spread"
        )
    check_tangent_neighbors(owner, parameters["n_tangent_neighbors"], parameters["n_neighbors"])
    check_kwds(owner, parameters["metric"], parameters["metric_kwds"])
    if parameters["metric"] == NAME_OF_DISTANCES:
        _check_alone(owner, parameters)
    if parameters["metric"] == "hellinger" and parameters["pca"] is not None:
        raise InvalidParameterError(
            f"{owner}(metric='hellinger', pca={shown(parameters['pca'])}): pca must be None, since principal "
            "components have negative values; choose another metric for them"
        )


def check_kwds(owner: str, metric: Any, kwds: Mapping[str, Any] | None) -> None:
    """Refuse parameters for a metric that has none."""
    if kwds and isinstance(metric, str) and metric in PLAIN:
        raise InvalidParameterError(
            f"{owner}(metric={metric!r}, metric_kwds={shown(kwds)}): {metric!r} has no parameters; leave metric_kwds "
            "out, or choose a metric that has some, such as 'minkowski' (p, w) or 'mahalanobis' (VI)"
        )


def _check_alone(owner: str, parameters: Mapping[str, Any]) -> None:
    """Distances have no features, so parameters that need them must have their defaults."""
    for name in ("pca", "n_tangent_neighbors", "precomputed_knn"):
        if parameters[name] is not None:
            raise InvalidParameterError(
                f"{owner}(metric='precomputed', {name}={shown(parameters[name])}): {name} must be None, since X has "
                "distances and no features; to have both, give the features as X, with precomputed_knn=distances"
            )
    if isinstance(parameters.get("init"), str) and parameters["init"] == "pca":
        raise InvalidParameterError(
            f"{owner}(metric='precomputed', init='pca'): init must be 'auto', 'spectral', 'random' or an array, "
            "since X has distances and no features"
        )


def check_each(owner: str, parameters: Mapping[str, Any], rules: Rules) -> None:
    """Check every parameter by its rule."""
    for name, value in parameters.items():
        test, advice = rules[name]
        if not test(value):
            raise InvalidParameterError(f"{owner}({name}={shown(value)}): {name} {advice}")


def check_tangent_neighbors(owner: str, larger: int | None, n_neighbors: int) -> None:
    if larger is not None and larger < n_neighbors:
        raise InvalidParameterError(
            f"{owner}(n_tangent_neighbors={larger!r}, n_neighbors={n_neighbors!r}): "
            "n_tangent_neighbors must be at least n_neighbors"
        )
