"""Names of features as they are written into a picture, and features found by their names."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InvalidParameterError

if TYPE_CHECKING:
    from .checks import Model

LONGEST_NAME = 28


def names_of_features(caller: str, model: Model, given: Sequence[str] | None, features: Iterable[int]) -> list[str]:
    """Names of some features: those given, else those the model was fitted with, else their numbers."""
    known = _known_names(caller, model, given)
    if known is None:
        return [f"feature {feature}" for feature in features]
    return [str(known[feature]) for feature in features]


def checked_feature(caller: str, model: Model, given: Sequence[str] | None, feature: Any) -> int:
    """The column of a feature, which is given by its number or by its name."""
    known = _known_names(caller, model, given)
    n_features = model.n_features_in_
    if isinstance(feature, numbers.Integral) and not isinstance(feature, bool):
        if -n_features <= int(feature) < n_features:
            return int(feature) % n_features
        raise InvalidParameterError(f"{caller}(feature={feature!r}): the model has features 0 to {n_features - 1}")
    columns = [] if known is None else [column for column, name in enumerate(known) if name == feature]
    if len(columns) != 1:
        names = "which this model does not know" if known is None else "as one feature has it"
        raise InvalidParameterError(
            f"{caller}(feature={feature!r}): must be a column from 0 to {n_features - 1}, or a name, {names}"
        )
    return columns[0]


def check_names(caller: str, names: Sequence[str], n_features: int) -> None:
    """One name for each feature."""
    if len(names) != n_features:
        raise InvalidParameterError(
            f"{caller}(feature_names=...): must be one name per feature, {n_features}; got {len(names)}"
        )


def shortened(name: str, most: int = LONGEST_NAME) -> str:
    """The name on one line, its middle left out where it is longer than `most` characters."""
    name = " ".join(name.split())
    if len(name) <= most:
        return name
    tail = (most - 1) // 2
    return name[: most - 1 - tail] + "…" + name[len(name) - tail :]


def _known_names(caller: str, model: Model, given: Sequence[str] | None) -> Sequence[str] | None:
    known = getattr(model, "feature_names_in_", None) if given is None else given
    if known is not None:
        check_names(caller, known, model.n_features_in_)
    return known
