"""The public attributes of a fitted model: how they are written, and whether they fit the map when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..explanation.points import MappedData
from .checks import numbers_in, require, require_finite
from .registry import DOUBLE, FLOAT, INT, REPORT
from .schema.arrays import Array, Sparse, within
from .schema.codec import Codec
from .schema.containers import Table
from .schema.plain import FeatureNames, Integer, Number, RowNames, Text

ATTRIBUTES: Mapping[str, Codec] = {
    "embedding_": Array(FLOAT, 2),
    "frames_": Array(FLOAT, 3),
    "graph_": Sparse(FLOAT),
    "singular_values_": Array(DOUBLE, 2),
    "intrinsic_dim_": Array(INT, 1),
    "radii_": Array(DOUBLE, 2),
    "embedding_radii_": Array(DOUBLE, 2),
    "density_correlation_": Array(DOUBLE, 1),
    "total_radii_": Array(DOUBLE, 1),
    "embedding_total_radii_": Array(DOUBLE, 1),
    "total_density_correlation_": Number(),
    "shape_correlation_": Number(),
    "mean_shapes_": Array(DOUBLE, 1),
    "n_epochs_": Integer(),
    "n_features_in_": Integer(),
    "fit_report_": REPORT,
}
# What only some models have: names of features and rows, and the containers that set_output asked for.
SOMETIMES: Mapping[str, Codec] = {
    "feature_names_in_": FeatureNames(),
    "row_names_in_": RowNames(),
    "_sklearn_output_config": Table({}, {"transform": Text()}),
}
FINITE = (
    *("embedding_", "frames_", "graph_", "radii_", "embedding_radii_", "density_correlation_"),
    *("total_radii_", "embedding_total_radii_", "mean_shapes_"),
)


def check_attributes(attributes: Mapping[str, Any], mapped: MappedData) -> None:
    """Check the attributes against the map that they describe."""
    for name, shape in _shapes(mapped).items():
        require(name, name not in attributes or attributes[name].shape == shape)
    for name in FINITE:
        require_finite(name, *numbers_in(attributes[name]))
    require("n_features_in_", attributes["n_features_in_"] == mapped.data.shape[1])
    require("n_epochs_", attributes["n_epochs_"] >= 0)
    require("intrinsic_dim_", within(attributes["intrinsic_dim_"], 0, mapped.tangents.n_directions + 1))
    _check_singular_values(attributes["singular_values_"], mapped)


def _shapes(mapped: MappedData) -> dict[str, tuple[int, ...]]:
    (n_rows, n_features), dim = mapped.data.shape, mapped.embedding.shape[1]
    return {
        "embedding_": (n_rows, dim),
        "frames_": (n_rows, dim, dim),
        "graph_": (n_rows, n_rows),
        "singular_values_": mapped.tangents.singular_values.shape,
        "intrinsic_dim_": (n_rows,),
        "radii_": (n_rows, dim),
        "embedding_radii_": (n_rows, dim),
        "density_correlation_": (dim,),
        "total_radii_": (n_rows,),
        "embedding_total_radii_": (n_rows,),
        "mean_shapes_": (2,),
        "feature_names_in_": (n_features,),
        "row_names_in_": (n_rows,),
    }


def _check_singular_values(values: np.ndarray, mapped: MappedData) -> None:
    """Those of data near the largest float64 are infinite in units of the data."""
    require("singular_values_", bool(values.min(initial=0) >= 0))  # false for NaN
    if np.isfinite(mapped.space.in_units(mapped.tangents.singular_values.max(initial=0))):
        require_finite("singular_values_", values)
