"""The parameters of a fit, checked against the data and made definite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..errors import InvalidDataError, InvalidParameterError, warn
from ..values import DoubleArray, FloatArray, Neighbors
from .directions import checked_pca, n_components_of
from .inputs import check_embedding
from .metrics import NAME_OF_DISTANCES, definite_kwds
from .neighbors import given_neighbors
from .plan import Plan

# Without features there are no directions for density to act along.
WITHOUT_FEATURES = {"frames": "aligned", "density_anisotropy": 0.0, "density_terms": "shape"}
FARTHEST_START = 1e15  # of a start that the user gives; squares of more would leave float32


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
    density_weight: float
    density_anisotropy: float
    density_terms: str
    density_fraction: float
    init: str | np.ndarray

    def plan(self, n_rows: int) -> Plan:
        """How many epochs each part of the layout of so many rows has."""
        return Plan.of(self.n_epochs, self.init, n_rows, self.density_weight, self.density_fraction)


def neighborhood_settings(parameters: Mapping[str, Any], shape: tuple[int, int], seed: int) -> NeighborhoodSettings:
    """Settings for the explanation of a map of data of this shape."""
    names = ("tangent_center", "n_components", "frames")
    return NeighborhoodSettings(
        **_definite("explain", parameters, shape), **{name: parameters[name] for name in names}, seed=seed
    )


def fit_settings(owner: str, parameters: Mapping[str, Any], shape: tuple[int, int], seed: int) -> Settings:
    """Settings for a fit of data of this shape, from parameters that have passed `check_parameters`."""
    definite = _definite(owner, parameters, shape) | {"seed": seed}
    definite["init"] = checked_init(owner, parameters["init"], (shape[0], parameters["n_components"]))
    if parameters["metric"] == NAME_OF_DISTANCES:
        definite |= WITHOUT_FEATURES
    names = {field.name for field in fields(Settings)} - set(definite)
    return Settings(**{name: parameters[name] for name in names}, **definite)


def _definite(owner: str, parameters: Mapping[str, Any], shape: tuple[int, int]) -> dict[str, Any]:
    """Parameters of neighbourhoods that depend on the shape of the data."""
    n_rows, n_neighbors = shape[0], parameters["n_neighbors"]
    if n_neighbors > n_rows:
        warn(f"n_neighbors={n_neighbors} is larger than the number of rows; using {n_rows}")
        n_neighbors = n_rows
    n_tangent_neighbors = min(parameters["n_tangent_neighbors"] or n_neighbors, n_rows)
    pca = checked_pca(parameters["pca"], shape)
    given, metric = parameters["precomputed_knn"], parameters["metric"]
    return {
        "n_neighbors": n_neighbors,
        "n_tangent_neighbors": n_tangent_neighbors,
        "metric": metric,
        "metric_kwds": definite_kwds(owner, metric, parameters["metric_kwds"], n_components_of(pca) or shape[1]),
        "pca": pca,
        "intrinsic_dim": parameters["intrinsic_dim"],
        "precomputed_knn": None if given is None else given_neighbors(given, n_rows, n_tangent_neighbors - 1),
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
