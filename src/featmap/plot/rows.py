"""The row that a picture is about."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from ..errors import InvalidParameterError

if TYPE_CHECKING:
    from ..estimator import FeatMAP


def checked_row(caller: str, model: FeatMAP, row: Any) -> int:
    """The number of one row of a fitted model, counted from the end if it is negative."""
    check_is_fitted(model)
    n_rows = len(model.embedding_)
    try:
        number = operator.index(row)
    except TypeError:
        raise InvalidParameterError(f"{caller}(row={row!r}): must be the number of one row") from None
    if not -n_rows <= number < n_rows:
        raise InvalidParameterError(f"{caller}(row={number}): the model has rows 0 to {n_rows - 1}")
    return number % n_rows
