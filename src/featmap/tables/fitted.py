"""New rows of a table, made as those of a fit were."""

from __future__ import annotations

from typing import Any

from ..checks.arguments import listed
from ..errors import InvalidDataError
from ..estimator import FeatMAP
from .given import Given, dense


def as_fitted(model: FeatMAP, given: Given) -> Any:
    """Rows as the fit was given them, with its columns in their order."""
    if hasattr(model, "recipe_"):
        return model.recipe_.prepared(dense(given.values), given.names)
    names = getattr(model, "feature_names_in_", None)
    known = [str(name) for name in given.values.columns] if given.is_frame else given.names
    if names is None or known is None:
        return given.values
    missing = [name for name in names if name not in known]
    if missing:
        raise InvalidDataError(f"{given.called} has no column {listed(missing)}, which the model was fitted to")
    places = {name: place for place, name in enumerate(known)}
    chosen = [places[name] for name in names]
    if given.is_frame:
        values = given.values
        return (values.iloc[:, chosen] if hasattr(values, "iloc") else values[:, chosen]).to_numpy()
    return given.values[:, chosen]
