"""Metrics as users choose them, with their parameters in the form in which scipy takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InvalidParameterError
from .messages import shown

# Metrics without parameters, which searches of our own compute.
PLAIN = ("euclidean", "cosine", "hellinger", "precomputed")
NAME_OF_DISTANCES = "precomputed"  # as scikit-learn and umap-learn call data that are distances


def check_kwds(owner: str, metric: Any, kwds: Mapping[str, Any] | None) -> None:
    """Refuse parameters for a metric that has none."""
    if kwds and isinstance(metric, str) and metric in PLAIN:
        raise InvalidParameterError(
            f"{owner}(metric={metric!r}, metric_kwds={shown(kwds)}): {metric!r} has no parameters; leave metric_kwds "
            "out, or choose a metric that has some, such as 'minkowski' (p, w) or 'mahalanobis' (VI)"
        )


def definite_kwds(owner: str, metric: Any, kwds: Mapping[str, Any] | None, n_features: int) -> dict[str, Any]:
    """The parameters of a metric of rows with so many features. Those of a user's function are not looked at."""
    kwds = dict(kwds or {})
    if not isinstance(metric, str):
        return kwds
    for name, value in kwds.items():
        if name in _SHAPES:
            kwds[name] = _numbers(owner, metric, name, value, _SHAPES[name](metric, n_features))
    if "p" in kwds and not kwds["p"] > 0:
        raise _wrong(owner, "p", kwds["p"], "must be a number above 0")
    for name in ("w", "V"):
        if name in kwds and kwds[name].ndim == 1 and not (kwds[name] >= 0).all():
            raise _wrong(owner, name, kwds[name], "must not be negative")
    return _with_inverse(owner, kwds) if metric == "mahalanobis" and "V" in kwds else kwds


# The shapes of parameters, by the metric and the number of features.
_SHAPES = {
    "p": lambda metric, n: (),
    "w": lambda metric, n: (n,),
    "V": lambda metric, n: (n, n) if metric == "mahalanobis" else (n,),
    "VI": lambda metric, n: (n, n),
}


def _numbers(owner: str, metric: str, name: str, value: Any, shape: tuple[int, ...]) -> Any:
    """A parameter in float64. scipy reads beyond the end of a matrix that is too small."""
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if numbers.shape != shape or np.isnan(numbers).any() or (shape and np.isinf(numbers).any()):
        wanted = f"an array of shape {shape}, finite" if shape else "a number"
        raise _wrong(owner, name, value, f"must be {wanted}, for metric={metric!r} of these data")
    return numbers if shape else float(numbers)


def _with_inverse(owner: str, kwds: dict[str, Any]) -> dict[str, Any]:
    """Mahalanobis distances are by the inverse VI of the covariances V, which may be given instead."""
    covariances = kwds.pop("V")
    if "VI" in kwds:
        raise _wrong(owner, "V", covariances, "is the inverse of VI; give one of them")
    try:
        return {**kwds, "VI": np.linalg.inv(covariances)}
    except np.linalg.LinAlgError as error:
        raise _wrong(owner, "V", covariances, "has no inverse; give VI, for example np.linalg.pinv(V)") from error


def _wrong(owner: str, name: str, value: Any, advice: str) -> InvalidParameterError:
    given = f"an array of shape {np.shape(value)}" if np.ndim(value) else shown(value)
    return InvalidParameterError(f"{owner}(metric_kwds={{{name!r}: {given}}}): {name} {advice}")
