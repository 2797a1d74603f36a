"""A fitted model as the contents of a file, and back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..checks.parameters import check_parameters
from ..errors import InvalidParameterError, StoreError
from ..explanation.points import MappedData
from ..preparation.known import KnownTable
from ..preparation.prepare import Recipe
from ..run.progress import FitReport
from ..values import Geometry
from .checks import check_geometry, check_mapped_data, require
from .classes import FLOAT, fields_of
from .codecs import (
    FEATURE_NAMES,
    INTEGER,
    NUMBER,
    ROW_NAMES,
    TEXT,
    Array,
    Codec,
    Fields,
    Optional,
    Parameter,
    Sparse,
    Table,
    pack,
    unpack,
)
from .container import Contents, read_file, refusing, write_file
from .earlier import of_first_format

KIND = "fitted model"
ATTRIBUTES: Mapping[str, Codec] = {
    "embedding_": Array(FLOAT, ("m", "d'")),
    "graph_": Sparse(FLOAT),
    "density_": NUMBER,
    "n_epochs_": INTEGER,
    "n_features_in_": INTEGER,
    "fit_report_": fields_of(FitReport),
}
# What only some models have: names of features and rows, what is known of a table, and the containers that
# set_output asked for.
SOMETIMES: Mapping[str, Codec] = {
    "feature_names_in_": FEATURE_NAMES,
    "row_names_in_": ROW_NAMES,
    "recipe_": fields_of(Recipe),
    "table_": fields_of(KnownTable),
    "_sklearn_output_config": Table(optional={"transform": TEXT}),
}


@dataclass(frozen=True)
class SavedModel:
    """All that makes a fitted model."""

    made_by: str  # the name of its class
    parameters: dict[str, Any]
    mapped: MappedData
    geometry: Geometry | None  # if a question has made it
    attributes: dict[str, Any]


MODEL = Fields(
    SavedModel,
    {
        "made_by": TEXT,
        "parameters": Table(others=Parameter()),
        "mapped": fields_of(MappedData),
        "geometry": Optional(fields_of(Geometry)),
        "attributes": Table(ATTRIBUTES, SOMETIMES),
    },
)


def save_model(path: str | os.PathLike[str], model: SavedModel) -> None:
    """Write a model. A file that is there is replaced. A model that could not be loaded again is refused."""
    for metric in (model.parameters.get("metric"), model.mapped.manifold.metric):
        if callable(metric):
            raise InvalidParameterError(
                f"save: metric={metric!r} is a function, which a file of data cannot hold; fit with the name of a "
                "metric (one of sklearn.neighbors.VALID_METRICS['brute'])"
            )
    parameters, given = model.parameters, model.parameters.get("precomputed_knn")
    if isinstance(given, tuple | list) and len(given) == 3:  # umap-learn's: the search index is never used here
        parameters = {**parameters, "precomputed_knn": given[:2]}
    try:
        contents = pack(MODEL, replace(model, parameters=parameters))
        with np.errstate(over="ignore", invalid="ignore"):
            _checked_model(contents, {model.made_by: parameters})
    except (ValueError, OverflowError) as error:
        raise StoreError(f"save: a file cannot hold this model: {error}") from error
    write_file(Path(path), KIND, contents)


def load_model(path: str | os.PathLike[str], classes: Mapping[str, Iterable[str]]) -> SavedModel:
    """Read a model that one of some classes has saved, which are given by name with their parameters."""
    path = Path(path)
    contents = read_file(path, KIND, mapped=True)
    with refusing(path):
        if contents.format == 1:
            contents = replace(contents, content=of_first_format(contents.content, {*ATTRIBUTES, *SOMETIMES}))
        return _checked_model(contents, classes)


def _checked_model(contents: Contents, classes: Mapping[str, Iterable[str]]) -> SavedModel:
    model: SavedModel = unpack(MODEL, contents)
    if model.made_by not in classes:
        raise ValueError(f"it is a {model.made_by}, not a {' or '.join(classes)}; load it with that class")
    others = set(model.parameters) ^ set(classes[model.made_by])
    if others:
        raise ValueError(
            f"its parameters are not those of this featmap, which differs in: {', '.join(sorted(others))}"
        )
    check_parameters(model.made_by, model.parameters)
    check_random_state(model.parameters["random_state"])
    check_mapped_data(model.mapped)
    if model.geometry is not None:
        check_geometry(model.geometry, model.mapped)
    check_attributes(model.attributes, model.mapped)
    return model


def check_attributes(attributes: Mapping[str, Any], mapped: MappedData) -> None:
    """Check the attributes against the map that they describe."""
    n_rows, dim = mapped.embedding.shape
    n_columns = mapped.data.shape[1] if mapped.manifold.has_features else n_rows
    sizes = {"m": n_rows, "d'": dim}
    for name, codec in ATTRIBUTES.items():
        if isinstance(codec, Array):
            require(name, attributes[name].shape == tuple(sizes[size] for size in codec.shape or ()))
    require("graph_", attributes["graph_"].shape == (n_rows, n_rows))
    for name, n_names in (("feature_names_in_", n_columns), ("row_names_in_", n_rows)):
        require(name, name not in attributes or len(attributes[name]) == n_names)
    require("n_features_in_", attributes["n_features_in_"] == n_columns)
    require("n_epochs_", attributes["n_epochs_"] >= 0)
    require("density_", attributes["density_"] >= 0)
    if "recipe_" in attributes:
        missing, origins = attributes["recipe_"].missing, attributes["recipe_"].origins
        require("recipe_", len(origins) == len(missing) == mapped.data.shape[1])
        require("recipe_", bool((origins.factor != 0).all()))
    if "table_" in attributes:
        require("table_", attributes["table_"].fits(n_rows))
