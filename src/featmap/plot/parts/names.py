"""Names of features and rows as they are written into a picture, and features found by their names."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ...checks.counts import is_integer
from ...errors import InvalidParameterError
from ...explanation.numbers import named, names_of_pixels
from .model import Model, row_names_of
from .shapes import checked_shape

LONGEST_NAME = 28


def names_of_features(
    caller: str, model: Model, given: ArrayLike | None, image_shape: tuple[int, ...] | None = None
) -> list[str]:
    """Return the given names of all features, else those of pixels if the features are some, else those of the data.

    Features without names are "feature 0", "feature 1" and so on.
    """
    shape = None if image_shape is None else checked_shape(caller, image_shape, model.n_features_in_)
    if given is None and shape is not None:
        return names_of_pixels(shape)
    known = getattr(model, "feature_names_in_", None) if given is None else given
    if known is None:
        return [named(column) for column in range(model.n_features_in_)]
    return checked_names(caller, known, model.n_features_in_)


def checked_names(caller: str, names: Any, n_features: int) -> list[str]:
    """Return one name for each feature."""
    texts = [str(name) for name in names]
    if len(texts) != n_features:
        raise InvalidParameterError(
            f"{caller}(feature_names=…): feature_names must have one name per feature, {n_features}; got {len(texts)}"
        )
    return texts


def checked_feature(caller: str, names: list[str], feature: Any) -> int:
    """Return the column of a feature that is given by its number or by its name."""
    if is_integer(feature, -len(names), len(names) - 1):
        return int(feature) % len(names)
    columns = [column for column, name in enumerate(names) if isinstance(feature, str) and name == feature]
    if len(columns) == 1:
        return columns[0]
    reason = f"; {len(columns)} features have this name" if columns else ""
    raise InvalidParameterError(
        f"{caller}(feature={feature!r}): feature must be a column number from {-len(names)} to {len(names) - 1}, or "
        f"the name of one feature{reason}"
    )


def name_of_row(model: Model, row: int) -> str:
    """Return the name that the data have for a row, else "row 3"."""
    names = row_names_of(model)
    return f"row {row}" if names is None else shortened(str(names[row]))


def shortened(name: str, most: int = LONGEST_NAME) -> str:
    """Return the name on one line, with "…" in the middle if it is longer than ``most`` characters."""
    name = " ".join(name.split())
    if len(name) <= most:
        return name
    tail = (most - 1) // 2
    return name[: most - 1 - tail] + "…" + name[len(name) - tail :]
