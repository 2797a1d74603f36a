"""The parameters of a fit, checked against the data and made definite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..errors import InvalidDataError, InvalidParameterError, warn
from ..values import FloatArray, Neighbors
from .inputs import check_embedding
from .neighbors import given_neighbors

FARTHEST_START = 1e15  # of a start that the user gives; squares of more would leave float32


@dataclass(frozen=True)
class NeighborhoodSettings:
    """The parameters of neighbourhoods, tangent spaces and frames. `FeatMAP` documents them."""

    n_neighbors: int
    metric: Any
    pca: int | None
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
    n_epochs: int
    density_weight: float
    density_anisotropy: float
    density_terms: str
    density_fraction: float
    init: str | np.ndarray

    @property
    def n_density_epochs(self) -> int:
        """How many of the last epochs have the density force."""
        return round(self.density_fraction * self.n_epochs) if self.density_weight > 0 else 0


def neighborhood_settings(parameters: Mapping[str, Any], shape: tuple[int, int], seed: int) -> NeighborhoodSettings:
    """Settings for the explanation of a map of data of this shape."""
    names = ("tangent_center", "n_components", "frames")
    return NeighborhoodSettings(
        **_definite(parameters, shape), **{name: parameters[name] for name in names}, seed=seed
    )


def fit_settings(owner: str, parameters: Mapping[str, Any], shape: tuple[int, int], seed: int) -> Settings:
    """Settings for a fit of data of this shape, from parameters that have passed `check_parameters`."""
    definite = _definite(parameters, shape) | {"seed": seed}
    definite["init"] = checked_init(owner, parameters["init"], (shape[0], parameters["n_components"]))
    names = {field.name for field in fields(Settings)} - set(definite)
    return Settings(**{name: parameters[name] for name in names}, **definite)


def _definite(parameters: Mapping[str, Any], shape: tuple[int, int]) -> dict[str, Any]:
    """Parameters of neighbourhoods that depend on the shape of the data."""
    n_rows, n_neighbors, pca = shape[0], parameters["n_neighbors"], parameters["pca"]
    if n_neighbors > n_rows:
        warn(f"n_neighbors={n_neighbors} is larger than the number of rows; using {n_rows}")
        n_neighbors = n_rows
    if pca is not None and pca > min(shape):
        warn(f"pca={pca} is larger than the number of rows or features; using {min(shape)}")
        pca = min(shape)
    n_tangent_neighbors = min(parameters["n_tangent_neighbors"] or n_neighbors, n_rows)
    given = parameters["precomputed_knn"]
    return {
        "n_neighbors": n_neighbors,
        "n_tangent_neighbors": n_tangent_neighbors,
        "metric": parameters["metric"],
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
