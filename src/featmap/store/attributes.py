"""The public attributes of a fitted model: how they are written, and whether they fit the map when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..explanation.points import MappedData
from ..preparation.prepare import Recipe
from .checks import numbers_in, require, require_finite
from .registry import DOUBLE, FLOAT, INT, RECIPE, REPORT
from .schema.arrays import Array, Sparse, within
from .schema.codec import Codec
from .schema.containers import Table
from .schema.plain import FeatureNames, Integer, Number, RowNames, Text

ATTRIBUTES: Mapping[str, Codec] = {
    "embedding_": Array(FLOAT, 2),
    "frames_": Array(FLOAT, 3),
    "graph_": Sparse(FLOAT),
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
    "recipe_": RECIPE,
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
    require("n_features_in_", attributes["n_features_in_"] == _n_columns(mapped))
    if "recipe_" in attributes:
        _check_recipe(attributes["recipe_"], mapped.data.shape[1])
    require("n_epochs_", attributes["n_epochs_"] >= 0)
    require("intrinsic_dim_", within(attributes["intrinsic_dim_"], 0, mapped.tangents.n_directions + 1))


def _n_columns(mapped: MappedData) -> int:
    """Columns that the data had: the features, or the distances to all rows."""
    return mapped.data.shape[1] if mapped.manifold.has_features else mapped.data.shape[0]


def _check_recipe(recipe: Recipe, n_features: int) -> None:
    require("recipe_", len(recipe.origins) == len(recipe.missing) == n_features)
    require_finite("recipe_", recipe.missing, recipe.origins.factor, recipe.origins.offset)
    require("recipe_", bool((recipe.origins.factor != 0).all()))


def _shapes(mapped: MappedData) -> dict[str, tuple[int, ...]]:
    n_rows, dim = mapped.embedding.shape
    return {
        "embedding_": (n_rows, dim),
        "frames_": (n_rows, dim, dim),
        "graph_": (n_rows, n_rows),
        "intrinsic_dim_": (n_rows,),
        "radii_": (n_rows, dim),
        "embedding_radii_": (n_rows, dim),
        "density_correlation_": (dim,),
        "total_radii_": (n_rows,),
        "embedding_total_radii_": (n_rows,),
        "mean_shapes_": (2,),
        "feature_names_in_": (_n_columns(mapped),),
        "row_names_in_": (n_rows,),
    }
