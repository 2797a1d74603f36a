"""A fitted model as the contents of a file, and back."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..checks.parameters import check_parameters
from ..errors import InvalidParameterError, StoreError
from ..explanation.points import MappedData
from .attributes import ATTRIBUTES, SOMETIMES, check_attributes
from .checks import check_mapped_data
from .container import Contents, read_file, refusing, write_file
from .registry import MAPPED_DATA
from .schema.codec import pack, unpack
from .schema.containers import Entries, Table
from .schema.parameters import Parameter
from .schema.plain import Text

KIND = "fitted model"
MODEL = Table(
    {
        "made_by": Text(),
        "parameters": Entries(Parameter()),
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
    """Write a model. A file that is there is replaced. A model that could not be loaded again is refused."""
    _refuse_functions(model)
    parameters = _storable_parameters(model.parameters)
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


def _storable_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters, without the search index in umap-learn's triple of neighbours, which featmap never uses."""
    given = parameters["precomputed_knn"]
    is_triple = isinstance(given, tuple | list) and len(given) == 3
    return {**parameters, "precomputed_knn": given[:2]} if is_triple else parameters


def _refuse_functions(model: SavedModel) -> None:
    for metric in (model.parameters["metric"], model.mapped.manifold.metric):
        if callable(metric):
            raise InvalidParameterError(
                f"save: metric={metric!r} is a function, which a file of data cannot hold; fit with the name of a "
                "metric (one of sklearn.neighbors.VALID_METRICS['brute'])"
            )
