"""Data as users give them: checked by scikit-learn, with errors that name the argument and a remedy.

Nothing here is compiled, and rows are not copied without need, so that wrong data are refused at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import validate_data

from ..errors import InvalidDataError, InvalidDataTypeError
from ..values import FloatArray
from .messages import listed
from .stored import StoredTable, is_stored
from .tables import refuse_other_tables

# Part of scikit-learn's message → what to do. The first that fits is said; the last fits always.
REMEDIES = (
    ("contains NaN", "fill in or drop missing values first, for example with sklearn.impute.SimpleImputer"),
    ("contains infinity", "replace infinite values, and those beyond the range of the type, first"),
    ("Complex data", "give real and imaginary parts as separate columns"),
    ("Expected ", "Reshape your data: reshape(-1, 1) makes one feature of a list, reshape(1, -1) one row"),
    ("minimum of", "give more of them"),
    ("cannot be read", "see that its file is open and whole"),
    ("is expecting", "give the columns of the fit, in their order"),
    ("eature names are only", "give names that are strings to all columns, or to none"),
    ("eature names", "give the columns of the fit, with their names and in their order"),
    ("dense data is required", "convert it to an array by toarray()"),
    (
        "",
        "give a table of real numbers: an array, lists of equal lengths, a pandas or polars frame, a sparse matrix, "
        "an array of Zarr or HDF5",
    ),
)

BYTES_AT_ONCE = 2**22
SENTENCE_END = re.compile(r"\n|\. (?=[A-Z])")


class Columns(BaseEstimator):
    """Remembers the number and the names of columns, as scikit-learn's estimators do, for data without a model."""


@contextmanager
def answered(caller: str, name: str) -> Iterator[None]:
    """Turn what scikit-learn's checks raise into our own errors, which are of the same kind."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn sums values to see whether all are finite
            yield
    except (InvalidDataError, InvalidDataTypeError):
        raise
    except TypeError as error:
        raise InvalidDataTypeError(_answer(caller, name, error)) from error
    except (ValueError, OverflowError) as error:
        raise InvalidDataError(_answer(caller, name, error)) from error


def check_rows(estimator: Any, X: Any, caller: str, **options: Any) -> Any:
    """X as a numpy array or CSR matrix of finite real numbers; ``options`` are those of `validate_data`."""
    return read_rows(check_form(estimator, X, caller, **options), caller)


def check_form(estimator: Any, X: Any, caller: str, **options: Any) -> Any:
    """The same, except that an array of Zarr or HDF5 is not read yet: its type and shape are checked."""
    with answered(caller, "X"):
        stored = StoredTable.of(X) if is_stored(X) else None
        values = X if stored is None else stored.first_rows()
        refuse_other_tables(values, caller, "X")
        options |= {"accept_sparse": "csr", "dtype": "numeric", "ensure_all_finite": False}
        values = _real(validate_data(estimator, values, **options))
        _check_finite(values, "X")
        return values if stored is None else stored


def read_rows(table: Any, caller: str, beside: str | PathLike[str] | None = None) -> Any:
    """What `check_form` gave, read if it has not been; a file that it takes is in the folder of ``beside``."""
    with answered(caller, "X"):
        return table.read(caller, beside) if isinstance(table, StoredTable) else table


def check_table(values: Any, caller: str, name: str, **options: Any) -> Any:
    """The same for data without an estimator; ``options`` are those of `check_array`."""
    with answered(caller, name):
        refuse_other_tables(values, caller, name)
        values = _real(check_array(values, dtype="numeric", input_name=name, ensure_all_finite=False, **options))
        _check_finite(values, name)
        return values


def check_embedding(embedding: Any, caller: str, name: str) -> FloatArray:
    """An embedding that was made elsewhere, in float32."""
    with answered(caller, name):
        refuse_other_tables(embedding, caller, name)
        values = _real(check_array(embedding, dtype="numeric", input_name=name, ensure_all_finite=False))
        values = values.astype(np.float32)
    lost = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(lost):
        raise InvalidDataError(
            f"{caller}({name}): {name} gives no position to {len(lost)} of {len(values)} rows (NaN, infinite or "
            f"beyond float32): rows {listed(lost.tolist())}; leave them out of X and {name}"
        )
    return values


def _real(values: Any) -> Any:
    """Numbers within float64. Dates would pass as numbers of nanoseconds."""
    if values.dtype.kind not in "biuf":
        raise TypeError(f"values of type {values.dtype} are not numbers")
    return values.astype(np.float64) if values.dtype.char == "g" else values


def _check_finite(values: Any, name: str) -> None:
    """By blocks, since where scikit-learn looks at single values it makes arrays as large as those it is given."""
    if values.dtype.kind != "f":
        return
    numbers = values.data if sp.issparse(values) else values
    step = max(1, BYTES_AT_ONCE * len(numbers) // max(numbers.nbytes, 1))
    for start in range(0, len(numbers), step):
        assert_all_finite(numbers[start : start + step], input_name=name)


def _answer(caller: str, name: str, error: Exception) -> str:
    message = str(error)
    remedy = next(remedy for part, remedy in REMEDIES if part in message)
    # Lists of names are worth their lines; elsewhere what follows shows the data, or recommends another estimator.
    reason = message if "eature names should" in message else SENTENCE_END.split(message)[0]
    return f"{caller}({name}): {reason.strip().rstrip('.:')}; {remedy}"
