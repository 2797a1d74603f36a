"""Distances between rows that users give instead of features, as ``metric="precomputed"``."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

from ..errors import InvalidDataError
from .neighbors import LONGEST

FROM_ITSELF = 1e-3  # of the largest distance: a row is no further from itself than rounding


def check_distances(X: Any) -> None:
    """Check distances from some rows to those of the fit."""
    values = X.data if sp.issparse(X) else X
    largest = values.max(initial=0)
    if values.min(initial=0) < 0:
        raise InvalidDataError(
            "metric='precomputed': X has negative values, which are no distances; of similarities S give S.max() - "
            "S, and for a table of features choose another metric"
        )
    if largest > LONGEST or 0 < largest < 1 / LONGEST:
        raise InvalidDataError(
            f"metric='precomputed': the largest distance is {largest:.0e}, beyond what float32 can hold; "
            "multiply X by a number that brings distances nearer to 1"
        )


def check_distances_of_fit(X: Any) -> None:
    """Check distances between all rows."""
    if X.shape[0] != X.shape[1]:
        raise InvalidDataError(
            f"metric='precomputed': X must be a square matrix, the distances between all rows; got shape {X.shape}; "
            "for a table of features choose another metric"
        )
    check_distances(X)
    if X.diagonal().max() > FROM_ITSELF * X.max():
        raise InvalidDataError(
            "metric='precomputed': the diagonal of X must be 0, the distance of a row from itself; of similarities S "
            "give S.max() - S, and set the diagonal of distances to 0"
        )
