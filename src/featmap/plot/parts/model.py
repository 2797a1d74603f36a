"""The model that is drawn: a fitted FeatMAP, an Explanation, or a pipeline that ends in a fitted FeatMAP."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ...errors import InvalidParameterError
from ...estimator import FeatMAP
from ...explanation import Explanation

Model: TypeAlias = FeatMAP | Explanation
ModelOrPipeline: TypeAlias = FeatMAP | Explanation | Pipeline


def last_step(model: Any) -> Any:
    """Return the last step of a pipeline, and anything else as it is.

    The rows of the last step are those of the pipeline, so labels and row numbers fit both.
    """
    return model[-1] if isinstance(model, Pipeline) else model


def checked_model(caller: str, model: Any, parameter: str = "model") -> Model:
    """Return the fitted model or explanation; of a pipeline, its last step. It has features."""
    checked = checked_map(caller, model, parameter)
    checked._check_features()
    return checked


def checked_map(caller: str, model: Any, parameter: str = "model") -> Model:
    """Return the fitted model or explanation; of a pipeline, its last step. It may be a map of distances."""
    last = last_step(model)
    if isinstance(last, FeatMAP):
        check_is_fitted(last)
    elif isinstance(model, Pipeline):
        raise InvalidParameterError(
            f"{caller}({parameter}=pipeline): pipeline[-1] must be a fitted FeatMAP; got {type(last).__name__}"
        )
    elif not isinstance(last, Explanation):
        raise InvalidParameterError(
            f"{caller}({parameter}=…): {parameter} must be a fitted FeatMAP or an Explanation, which "
            f"featmap.explain(X, Y) gives for any map; got {type(model).__name__}"
        )
    return last


def row_names_of(model: Model) -> np.ndarray | None:
    """Return the names of the rows, if the data had some."""
    return getattr(model, "row_names_in_", None)


def is_part_of_a_map(model: Model) -> bool:
    """Tell whether the points are new rows on a map, or some of its rows, rather than all of its rows."""
    return model._points.is_part_of_map


def map_behind(model: Model) -> np.ndarray | None:
    """Return the whole map that new rows, or some rows, lie on; None if the points are the whole map themselves."""
    return model._points.mapped.embedding if is_part_of_a_map(model) else None


def checked_density_model(caller: str, model: Any, parameter: str) -> FeatMAP:
    """Return a model that has radii of neighbourhoods in the data and on the map."""
    checked: Any = checked_model(caller, model, parameter)
    if not hasattr(checked, "density_correlation_"):
        raise InvalidParameterError(
            f"{caller}({parameter}=…): {parameter} must be a fitted FeatMAP, which has radii on the map; "
            f"got {type(model).__name__}"
        )
    return checked


def check_two_dimensions(caller: str, model: Model) -> None:
    """Refuse maps of one dimension, on which arrows have no direction."""
    if model.embedding_.shape[1] < 2:
        raise InvalidParameterError(f"{caller}(model=…): the map must have two or more dimensions, n_components >= 2")
