"""Data as users hand them over: checked by scikit-learn, answered with the argument's name and a remedy.

Nothing here is compiled and no row is copied that need not be, so that wrong data are refused at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import validate_data

from .errors import InvalidDataError, InvalidDataTypeError

# What scikit-learn's message has in it → what to do. The first that fits is said; the last fits always.
REMEDIES = (
    ("contains NaN", "fill in or leave out missing values first, with sklearn.impute.SimpleImputer for example"),
    ("contains infinity", "replace infinite values, and those beyond the type's range, first"),
    ("Complex data", "give real and imaginary parts as columns of their own"),
    ("Expected ", "Reshape your data: reshape(-1, 1) makes one feature of a list, reshape(1, -1) one row"),
    ("minimum of", "give more of them"),
    ("is expecting", "give the columns of the fit, in their order"),
    ("eature names are only", "give all columns names that are strings, or none"),
    ("eature names", "give the columns of the fit, with their names and in their order"),
    ("dense data is required", "make an array of it by toarray()"),
    ("", "give a table of real numbers: an array, lists of equal lengths, a pandas or polars frame, a sparse matrix"),
)

SENTENCE_END = re.compile(r"\n|\. ?(?=[A-Z])")


@contextmanager
def answered(caller: str, name: str) -> Iterator[None]:
    """Turn what scikit-learn's checks raise into our own errors, which are its kind of errors too."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # of the sums by which finite values are told
            yield
    except TypeError as error:
        raise InvalidDataTypeError(_answer(caller, name, error)) from error
    except (ValueError, OverflowError) as error:
        raise InvalidDataError(_answer(caller, name, error)) from error


def check_rows(estimator: Any, X: Any, caller: str, **options: Any) -> Any:
    """X as a numpy array or CSR matrix of finite real numbers; ``options`` are those of `validate_data`."""
    with answered(caller, "X"):
        _refuse_masked(X)
        return _real(validate_data(estimator, X, accept_sparse="csr", dtype="numeric", **options), "X")


def check_table(values: Any, caller: str, name: str, **options: Any) -> Any:
    """The same for data that no estimator remembers; ``options`` are those of `check_array`."""
    with answered(caller, name):
        _refuse_masked(values)
        return _real(check_array(values, dtype="numeric", input_name=name, **options), name)


def check_places(places: Any, caller: str, name: str) -> np.ndarray:
    """Places on a map that were made elsewhere, in float32."""
    places = check_table(places, caller, name)
    with answered(caller, name):
        places = places.astype(np.float32)
        assert_all_finite(places, input_name=name)
        return places


def _refuse_masked(values: Any) -> None:
    if np.ma.is_masked(values):
        raise ValueError("Input contains NaN under a mask")


def _real(values: Any, name: str) -> Any:
    """Numbers within float64. Dates would pass as numbers of nanoseconds."""
    if values.dtype.kind not in "biuf":
        raise TypeError(f"values of type {values.dtype} are not numbers")
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        values = values.astype(np.float64)
        assert_all_finite(values, input_name=name)
    return values


def _answer(caller: str, name: str, error: Exception) -> str:
    message = str(error)
    remedy = next(remedy for part, remedy in REMEDIES if part in message)
    # Lists of names are worth their lines; elsewhere what follows shows the data, or advises another estimator.
    reason = message if "eature names should" in message else SENTENCE_END.split(message)[0]
    return f"{caller}({name}): {reason.rstrip('.:')}; {remedy}"
