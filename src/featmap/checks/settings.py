"""The parameters of a fit, checked against the data and made definite, and the epochs that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..errors import InvalidDataError, InvalidParameterError, warn
from ..values import DoubleArray, FloatArray, Neighbors
from .arguments import shown
from .distances import given_neighbors
from .inputs import check_embedding
from .parameters import NAME_OF_DISTANCES

ORTHONORMAL = 1e-3  # the largest error of a product of two directions, which may come in float32
# Without features there are no tangent spaces that a solver could tell apart.
WITHOUT_FEATURES = {"frames": "aligned"}
FARTHEST_START = 1e15  # of a start that the user gives; squares of more would leave float32

FULL = 750  # epochs of a layout of few points; with 500 it kept fewer neighbours than umap-learn on some data
COARSE_ABOVE = 20_000  # points from which a coarse map comes first
COARSE, REFINING = 200, 140  # epochs of the coarsest map, and of all points after it
# Of more points the coarsest map has more epochs. On ten sheets of 200,000 points 200 epochs left some of them in
# pieces (docs/start.md). It never has many groups, so that its epochs cost little.
MANY, COARSE_OF_MANY = 100_000, 500
BETWEEN = 60  # epochs of each level between the coarsest and all points

PART_WITH_EQUAL_UNITS = 4  # a quarter of them
# By default maps that people look at show density. Clustering, which uses more components, does better without.
MOST_COMPONENTS_WITH_DENSITY = 3


@dataclass(frozen=True)
class NeighborhoodSettings:
    """The parameters of neighbourhoods, tangent spaces and frames. `FeatMAP` documents them."""

    n_neighbors: int
    metric: Any
    metric_kwds: Mapping[str, Any]
    pca: int | DoubleArray | None
    intrinsic_dim: int | str
    n_tangent_neighbors: int
    tangent_center: str
    n_components: int
    frames: str
    precomputed_knn: Neighbors | None
    seed: int

    @property
    def n_others(self) -> int:
        """How many neighbours of each row the graph or the tangent spaces need."""
        return max(self.n_neighbors, self.n_tangent_neighbors) - 1


@dataclass(frozen=True)
class Settings(NeighborhoodSettings):
    """All parameters of a fit. `FeatMAP` documents them."""

    min_dist: float
    spread: float
    n_epochs: int | None
    density: float | None
    init: str | np.ndarray

    def plan(self, n_rows: int) -> Plan:
        """The epochs asked for, or the library's choice: many rows without a given start begin coarsely."""
        is_free = self.n_epochs is None and isinstance(self.init, str) and self.init == "auto"
        if is_free and n_rows > COARSE_ABOVE:
            return Plan(COARSE if n_rows <= MANY else COARSE_OF_MANY, REFINING)
        return Plan(0, FULL if self.n_epochs is None else self.n_epochs)


@dataclass(frozen=True)
class Plan:
    """Epochs of the coarsest map, none if there is none, and of all points."""

    coarse: int
    full: int

    @property
    def with_equal_units(self) -> int:
        """The epochs of all points that pass before distances on the map are in units of the data.

        Groups find together first: with units from the beginning, sparse ones were left in two parts (the digit 2
        of MNIST). After a map of groups, which has equal units, there are none.
        """
        return 0 if self.coarse else self.full // PART_WITH_EQUAL_UNITS

    def of_levels(self, n_levels: int) -> list[int]:
        """The epochs of each of ``n_levels`` levels of groups; the coarsest is the last."""
        return [BETWEEN] * (n_levels - 1) + [self.coarse]


def neighborhood_settings(parameters: Mapping[str, Any], shape: tuple[int, int], seed: int) -> NeighborhoodSettings:
    """The settings with which `explain` looks at data of this shape."""
    return NeighborhoodSettings(**_of_fields(NeighborhoodSettings, _definite("explain", parameters, shape, seed)))


def fit_settings(owner: str, parameters: Mapping[str, Any], shape: tuple[int, int], seed: int) -> Settings:
    """Settings for a fit of data of this shape, from parameters that have passed `check_parameters`."""
    definite = _definite(owner, parameters, shape, seed)
    if parameters["density"] is None and parameters["n_components"] > MOST_COMPONENTS_WITH_DENSITY:
        definite["density"] = 0.0  # else the units choose it by the data
    definite["init"] = checked_init(owner, parameters["init"], (shape[0], parameters["n_components"]))
    if parameters["metric"] == NAME_OF_DISTANCES:
        definite |= WITHOUT_FEATURES
    return Settings(**_of_fields(Settings, definite))


def _of_fields(made: type[NeighborhoodSettings], values: Mapping[str, Any]) -> dict[str, Any]:
    return {field.name: values[field.name] for field in fields(made)}


def _definite(owner: str, parameters: Mapping[str, Any], shape: tuple[int, int], seed: int) -> dict[str, Any]:
    """The parameters, with those of neighbourhoods as they are for data of this shape."""
    n_rows, n_neighbors = shape[0], parameters["n_neighbors"]
    if n_neighbors > n_rows:
        warn(f"n_neighbors={n_neighbors} is larger than the number of rows; using {n_rows}")
        n_neighbors = n_rows
    n_tangent_neighbors = min(parameters["n_tangent_neighbors"] or n_neighbors, n_rows)
    pca = checked_pca(parameters["pca"], shape)
    n_columns, given = n_components_of(pca) or shape[1], parameters["precomputed_knn"]
    return {
        **parameters,
        "n_neighbors": n_neighbors,
        "n_tangent_neighbors": n_tangent_neighbors,
        "metric_kwds": definite_kwds(owner, parameters["metric"], parameters["metric_kwds"], n_columns),
        "pca": pca,
        "precomputed_knn": None if given is None else given_neighbors(given, n_rows, n_tangent_neighbors - 1),
        "seed": seed,
    }


def checked_init(owner: str, init: Any, shape: tuple[int, int]) -> str | FloatArray:
    """A name as it is, or the user's own start in float32."""
    if isinstance(init, str):
        return init
    start = check_embedding(init, owner, "init")
    if start.shape != shape or np.abs(start).max() > FARTHEST_START:
        raise InvalidDataError(
            f"{owner}(init=…): an array must have shape {shape}, one row per row of X, and values within "
            f"±{FARTHEST_START:g}; got shape {start.shape}"
        )
    return start


def drawn_seed(owner: str, random_state: Any) -> int:
    """The seed of a fit."""
    try:
        return int(check_random_state(random_state).randint(2**31))
    except ValueError as error:
        raise InvalidParameterError(
            f"{owner}(random_state={random_state!r}): random_state must be None, an integer from 0 to 2³² − 1, or a "
            "numpy RandomState"
        ) from error


def is_given(pca: Any) -> bool:
    """Whether the user gave directions rather than a number of them."""
    return isinstance(pca, np.ndarray)


def n_components_of(pca: Any) -> int | None:
    """How many principal components neighbourhoods are made of; None if they are made of the features."""
    return pca.shape[1] if is_given(pca) else pca


def checked_pca(pca: Any, shape: tuple[int, int]) -> int | DoubleArray | None:
    """A number of components that data of this shape have, or directions of their features."""
    if pca is None:
        return None
    if is_given(pca):
        return _checked_directions(pca, shape[1])
    if pca > min(shape):
        warn(f"pca={pca} is larger than the number of rows or features; using {min(shape)}")
    return min(pca, *shape)


def are_orthonormal(directions: np.ndarray) -> bool:
    """Whether columns are orthonormal, as principal directions are, up to rounding."""
    return np.allclose(directions.T @ directions, np.eye(directions.shape[1]), atol=ORTHONORMAL)


def _checked_directions(directions: np.ndarray, n_features: int) -> DoubleArray:
    """B in float64: a row for each feature, orthonormal columns."""
    if len(directions) != n_features or directions.dtype.kind not in "biuf":
        raise InvalidDataError(
            f"pca: directions must be numbers with one row for each of the {n_features} features of X and a column "
            f"for each component, such as PCA().components_.T; got shape {directions.shape} of {directions.dtype}"
        )
    B = np.array(directions, dtype=np.float64, order="C")  # a copy, since the user may change theirs
    if not are_orthonormal(B):
        raise InvalidDataError(
            "pca: the columns of directions must be orthonormal, as principal directions are; give them as they come "
            "from a PCA, with all features and without weights"
        )
    return B


def definite_kwds(owner: str, metric: Any, kwds: Mapping[str, Any] | None, n_features: int) -> dict[str, Any]:
    """The parameters of a metric of rows with ``n_features``. Those of a user's function are passed on unchecked."""
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
