"""A fitted model as the contents of a file, and back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InvalidParameterError, StoreError
from ..explanation.points import MappedData
from .checks import check_mapped_data, require
from .container import read_file, refusing, write_file
from .registry import DOUBLE, FLOAT, INT, MAPPED_DATA, REPORT
from .schema import Array, Codec, Entries, Integer, Names, Plain, RowNames, Sparse, Table, Text, pack, unpack

KIND = "fitted model"
ATTRIBUTES: Mapping[str, Codec] = {
    "embedding_": Array(FLOAT, 2),
    "frames_": Array(FLOAT, 3),
    "graph_": Sparse(FLOAT),
    "singular_values_": Array(DOUBLE, 2),
    "intrinsic_dim_": Array(INT, 1),
    "radii_": Array(DOUBLE, 2),
    "embedding_radii_": Array(DOUBLE, 2),
    "density_correlation_": Array(DOUBLE, 1),
    "n_epochs_": Integer(),
    "n_features_in_": Integer(),
    "fit_report_": REPORT,
}
# What only some models have: names of features and rows, and the containers that set_output asked for.
SOMETIMES: Mapping[str, Codec] = {
    "feature_names_in_": Names(),
    "row_names_in_": RowNames(),
    "_sklearn_output_config": Table({}, {"transform": Text()}),
}
MODEL = Table(
    {
        "made_by": Text(),
        "parameters": Entries(Plain()),
        "mapped": MAPPED_DATA,
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
    """Write a model, in the place of whatever file is there."""
    _refuse_functions(model)
    try:
        contents = pack(MODEL, vars(model))
    except ValueError as error:
        raise StoreError(f"save: a file cannot hold this model: {error}") from error
    write_file(Path(path), KIND, contents)


def load_model(path: str | os.PathLike[str], made_by: str, parameters: Iterable[str]) -> SavedModel:
    """Read a model that a class of this name, with these parameters, has saved."""
    path = Path(path)
    contents = read_file(path, KIND, mapped=True)
    with refusing(path):
        model = SavedModel(**unpack(MODEL, contents))
        if model.made_by != made_by:
            raise ValueError(f"it is a {model.made_by}, not a {made_by}; load it with that class")
        unknown = set(model.parameters) - set(parameters)
        if unknown:
            raise ValueError(f"it has parameters that this featmap does not know: {', '.join(sorted(unknown))}")
        check_mapped_data(model.mapped)
        require("n_features_in_", model.attributes["n_features_in_"] == model.mapped.data.shape[1])
        require("the map", model.attributes["embedding_"].shape == model.mapped.embedding.shape)
    return model


def _refuse_functions(model: SavedModel) -> None:
    for metric in (model.parameters["metric"], model.mapped.manifold.metric):
        if callable(metric):
            raise InvalidParameterError(
                f"save: metric={metric!r} is a function, which a file of data cannot hold; fit with the name of a "
                "metric (one of sklearn.neighbors.VALID_METRICS['brute'])"
            )
