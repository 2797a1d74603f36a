"""Names of features as they are written into a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import InvalidParameterError

if TYPE_CHECKING:
    from ..estimator import FeatMAP


def names_of_features(model: FeatMAP, given: Sequence[str] | None, features: Sequence[int]) -> list[str]:
    """Names of some features: those given, else those the model was fitted with, else their numbers."""
    known = getattr(model, "feature_names_in_", None) if given is None else given
    if known is None:
        return [f"feature {feature}" for feature in features]
    if len(known) != model.n_features_in_:
        raise InvalidParameterError(
            f"local_frame(feature_names=...): must be one name per feature, {model.n_features_in_}; got {len(known)}"
        )
    return [str(known[feature]) for feature in features]


def shortened(name: str, most: int) -> str:
    """The name on one line, its middle left out where it is longer than `most` characters."""
    name = " ".join(name.split())
    if len(name) <= most:
        return name
    tail = (most - 1) // 2
    return name[: most - 1 - tail] + "…" + name[len(name) - tail :]
