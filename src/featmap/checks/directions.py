"""What `pca` may be: a number of principal components, or the directions that the user has."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidDataError, warn
from ..values import DoubleArray

ORTHONORMAL = 1e-3  # the largest error of a product of two directions, which may come in float32


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
