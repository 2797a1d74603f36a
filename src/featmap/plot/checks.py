"""What a picture is about: a fitted model or an explanation, some of its rows, a number of features."""

from __future__ import annotations

import numbers
import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..errors import InvalidParameterError
from ..explanation.arrows import KINDS

if TYPE_CHECKING:
    from ..estimator import FeatMAP
    from ..explanation import Explanation

    Model = FeatMAP | Explanation

MOST_NAMES = 40


def check_model(caller: str, model: Any) -> None:
    """A fitted model, or an explanation, which is one at once."""
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)
    if not hasattr(model, "embedding_"):
        raise InvalidParameterError(
            f"{caller}(model=…): must be a fitted FeatMAP or an Explanation; got {type(model).__name__}"
        )


def checked_row(caller: str, model: Model, row: Any) -> int:
    """The number of one row, counted from the end if it is negative."""
    check_model(caller, model)
    n_rows = len(model.embedding_)
    try:
        number = operator.index(row)
    except TypeError:
        raise InvalidParameterError(f"{caller}(row={row!r}): must be the number of one row") from None
    if not -n_rows <= number < n_rows:
        raise InvalidParameterError(f"{caller}(row={number}): the model has rows 0 to {n_rows - 1}")
    return number % n_rows


def checked_rows(caller: str, model: Model, rows: Any) -> np.ndarray:
    """The numbers of one or more rows, from whatever indexes rows."""
    check_model(caller, model)
    n_rows = len(model.embedding_)
    try:
        chosen = np.atleast_1d(np.arange(n_rows)[rows])
    except (IndexError, TypeError, ValueError):
        chosen = np.empty(0, int)
    if chosen.ndim != 1 or not len(chosen):
        raise InvalidParameterError(
            f"{caller}(rows={_short(rows)}): must be one or more of the rows 0 to {n_rows - 1}, or a mask of them"
        )
    return chosen


def checked_count(caller: str, k: Any, most: int = MOST_NAMES) -> int:
    """How many features are named in a picture."""
    if not isinstance(k, numbers.Integral) or isinstance(k, bool) or not 1 <= int(k) <= most:
        raise InvalidParameterError(
            f"{caller}(k={k!r}): must be an integer from 1 to {most}; more names cannot be read"
        )
    return int(k)


def check_kind(caller: str, kind: Any) -> None:
    """A kind of arrows."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidParameterError(f"{caller}(kind={kind!r}): must be one of {', '.join(map(repr, KINDS))}")


def check_two_dimensions(caller: str, model: Model) -> None:
    """Arrows need a map to point along."""
    if model.embedding_.shape[1] < 2:
        raise InvalidParameterError(f"{caller}(model): needs a map of two dimensions or more, n_components >= 2")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else "…"
