"""A fitted model as the contents of a file, and back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..checks.parameters import check_parameters
from ..errors import InvalidParameterError, StoreError
from ..explanation.points import MappedData
from ..preparation.prepare import Recipe
from .checks import check_mapped_data, numbers_in, require, require_finite
from .classes import DOUBLE, FLOAT, INT, Report, fields_of
from .codecs import (
    FEATURE_NAMES,
    INTEGER,
    NUMBER,
    ROW_NAMES,
    TEXT,
    Array,
    Codec,
    Entries,
    Sparse,
    Table,
    pack,
    unpack,
    within,
)
from .container import Contents, read_file, refusing, write_file
from .parameters import Parameter

KIND = "fitted model"
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
    "total_density_correlation_": NUMBER,
    "shape_correlation_": NUMBER,
    "mean_shapes_": Array(DOUBLE, 1),
    "n_epochs_": INTEGER,
    "n_features_in_": INTEGER,
    "fit_report_": Report(),
}
# What only some models have: names of features and rows, and the containers that set_output asked for.
SOMETIMES: Mapping[str, Codec] = {
    "feature_names_in_": FEATURE_NAMES,
    "row_names_in_": ROW_NAMES,
    "recipe_": fields_of(Recipe),
    "_sklearn_output_config": Table({}, {"transform": TEXT}),
}
MODEL = Table(
    {
        "made_by": TEXT,
        "parameters": Entries(Parameter()),
        "mapped": fields_of(MappedData),
        "attributes": Table(ATTRIBUTES, SOMETIMES),
    }
)


@dataclass(frozen=True)
class SavedModel:
    """All that makes a fitted model."""

    made_by: str  # the name of its class
    parameters: dict[str, Any]
    mapped: MappedData
    attributes: dict[str, Any]


def save_model(path: str | os.PathLike[str], model: SavedModel) -> None:
    """Write a model. A file that is there is replaced. A model that could not be loaded again is refused."""
    for metric in (model.parameters["metric"], model.mapped.manifold.metric):
        if callable(metric):
            raise InvalidParameterError(
                f"save: metric={metric!r} is a function, which a file of data cannot hold; fit with the name of a "
                "metric (one of sklearn.neighbors.VALID_METRICS['brute'])"
            )
    parameters, given = model.parameters, model.parameters["precomputed_knn"]
    if isinstance(given, tuple | list) and len(given) == 3:  # umap-learn's: the search index is never used here
        parameters = {**parameters, "precomputed_knn": given[:2]}
    try:
        contents = pack(MODEL, {**vars(model), "parameters": parameters})
        with np.errstate(over="ignore", invalid="ignore"):
            _checked_model(contents, model.made_by, parameters)
    except (ValueError, OverflowError) as error:
        raise StoreError(f"save: a file cannot hold this model: {error}") from error
    write_file(Path(path), KIND, contents)


def load_model(path: str | os.PathLike[str], made_by: str, parameters: Iterable[str]) -> SavedModel:
    """Read a model that a class with this name and these parameters has saved."""
    path = Path(path)
    contents = read_file(path, KIND, mapped=True)
    with refusing(path):
        return _checked_model(contents, made_by, parameters)


def _checked_model(contents: Contents, made_by: str, parameters: Iterable[str]) -> SavedModel:
    model = SavedModel(**unpack(MODEL, contents))
    if model.made_by != made_by:
        raise ValueError(f"it is a {model.made_by}, not a {made_by}; load it with that class")
    others = set(model.parameters) ^ set(parameters)
    if others:
        raise ValueError(
            f"its parameters are not those of this featmap, which differs in: {', '.join(sorted(others))}"
        )
    check_parameters(made_by, model.parameters)
    check_random_state(model.parameters["random_state"])
    check_mapped_data(model.mapped)
    check_attributes(model.attributes, model.mapped)
    return model


def check_attributes(attributes: Mapping[str, Any], mapped: MappedData) -> None:
    """Check the attributes against the map that they describe."""
    n_columns = mapped.data.shape[1] if mapped.manifold.has_features else mapped.data.shape[0]
    for name, shape in shapes_of_attributes(mapped, n_columns).items():
        require(name, name not in attributes or attributes[name].shape == shape)
    for name, codec in ATTRIBUTES.items():
        if isinstance(codec, Array | Sparse):
            require_finite(name, *numbers_in(attributes[name]))
    require("n_features_in_", attributes["n_features_in_"] == n_columns)
    require("n_epochs_", attributes["n_epochs_"] >= 0)
    require("intrinsic_dim_", within(attributes["intrinsic_dim_"], 0, mapped.tangents.n_directions + 1))
    if "recipe_" in attributes:
        missing, origins = attributes["recipe_"].missing, attributes["recipe_"].origins
        require("recipe_", len(origins) == len(missing) == mapped.data.shape[1])
        require_finite("recipe_", missing, origins.factor, origins.offset)
        require("recipe_", bool((origins.factor != 0).all()))


def shapes_of_attributes(mapped: MappedData, n_columns: int) -> dict[str, tuple[int, ...]]:
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
        "feature_names_in_": (n_columns,),
        "row_names_in_": (n_rows,),
    }
