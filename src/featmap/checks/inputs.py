"""Data as users give them: checked by scikit-learn, with errors that name the argument and a remedy.

Nothing here is compiled, and rows are not copied without need, so that wrong data are refused at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import validate_data

from ..errors import InvalidDataError, InvalidDataTypeError, warn
from ..values import FloatArray

# Part of scikit-learn's message → what to do. The first that fits is said; the last fits always.
REMEDIES = (
    ("contains NaN", "fill in or drop missing values first, for example with sklearn.impute.SimpleImputer"),
    ("contains infinity", "replace infinite values, and those beyond the range of the type, first"),
    ("Complex data", "give real and imaginary parts as separate columns"),
    ("Expected ", "reshape your data: reshape(-1, 1) makes one feature of a list, reshape(1, -1) one row"),
    ("minimum of", "give more of them"),
    ("is expecting", "give the columns of the fit, in their order"),
    ("eature names are only", "give names that are strings to all columns, or to none"),
    ("eature names", "give the columns of the fit, with their names and in their order"),
    ("dense data is required", "convert it to an array by toarray()"),
    ("", "give a table of real numbers: an array, lists of equal lengths, a pandas or polars frame, a sparse matrix"),
)

SENTENCE_END = re.compile(r"\n|\. ?(?=[A-Z])")
ENCODE = "encode it first, for example with sklearn.preprocessing.OneHotEncoder, or drop it"
DATES = "convert it to numbers first, for example days since the first date, or drop it"
MOST_NAMED = 5

DOMINATED = 0.98  # share of the variance
MOST_DOMINATING = 3  # features
ROWS_FOR_VARIANCE = 1000


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
    with answered(caller, "X"):
        refuse_other_tables(X, caller, "X")
        return _real(validate_data(estimator, X, accept_sparse="csr", dtype="numeric", **options), "X")


def check_table(values: Any, caller: str, name: str, **options: Any) -> Any:
    """The same for data without an estimator; ``options`` are those of `check_array`."""
    with answered(caller, name):
        refuse_other_tables(values, caller, name)
        return _real(check_array(values, dtype="numeric", input_name=name, **options), name)


def check_embedding(embedding: Any, caller: str, name: str) -> FloatArray:
    """An embedding that was made elsewhere, in float32."""
    with answered(caller, name):
        refuse_other_tables(embedding, caller, name)
        values = _real(check_array(embedding, dtype="numeric", input_name=name, ensure_all_finite=False), name)
        values = values.astype(np.float32)
    lost = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(lost):
        rows = _listed([str(row) for row in lost], len(lost))
        raise InvalidDataError(
            f"{caller}({name}): {len(lost)} rows have no position on the map, they are NaN, infinite or beyond "
            f"float32: rows {rows}; leave these rows out, of the data as well"
        )
    return values


def refuse_other_tables(values: Any, caller: str, name: str) -> None:
    """Refuse what scikit-learn would misread, or refuse with advice for another case."""
    kind = type(values).__name__
    if kind == "AnnData":
        raise InvalidDataTypeError(
            f"{caller}({name}): got an AnnData object; give one of its arrays: adata.obsm['X_pca'], or adata.X"
        )
    if kind == "LazyFrame":
        raise InvalidDataTypeError(f"{caller}({name}): got a polars LazyFrame; give {name}.collect()")
    if np.ma.is_masked(values):
        raise ValueError("Input contains NaN under a mask")
    if hasattr(values, "columns") and hasattr(values, "dtypes"):
        _check_columns(values, caller, name)
    elif isinstance(values, np.ndarray) and values.dtype.kind in "USmM":
        of = "dates or times" if values.dtype.kind in "mM" else "strings"
        advice = (
            "convert them to numbers first" if values.dtype.kind in "mM" else "encode categories as numbers first"
        )
        raise InvalidDataTypeError(f"{caller}({name}): {name} is an array of {of}; {advice}")


def _check_columns(frame: Any, caller: str, name: str) -> None:
    """Every column of a frame must have a name of its own and hold numbers."""
    columns = list(frame.columns)
    repeated = [column for column, count in Counter(columns).items() if count > 1]
    if repeated:
        raise InvalidDataError(
            f"{caller}({name}): several columns are called {repeated[0]!r}; give every column a name of its own"
        )
    for number, column in enumerate(columns):
        values = frame.iloc[:, number] if hasattr(frame, "iloc") else frame[column]
        holds = _not_numbers(values)
        if holds:
            remedy = DATES if holds == "dates or times" else ENCODE
            raise InvalidDataTypeError(f"{caller}({name}): the column {column!r} holds {holds}; {remedy}")


def _not_numbers(column: Any) -> str | None:
    """What a column of a pandas or polars frame holds, if that is not numbers."""
    dtype = column.dtype
    if hasattr(dtype, "is_temporal"):  # polars
        if dtype.is_temporal():
            return "dates or times"
        holds_numbers = dtype.is_numeric() or str(dtype) in ("Boolean", "Null")
        return None if holds_numbers else f"values of type {dtype}"
    kind = getattr(dtype, "kind", "O")
    if kind in "mM" or str(dtype).startswith("period"):
        return "dates or times"
    if kind in "biufc" and str(dtype) != "category":
        return None
    try:
        np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return "values that are not numbers"
    return None


def warn_of_scales(X: Any, names: Sequence[str] | None) -> None:
    """Warn if nearly all of the variance is in very few features, as in tables whose columns have several units."""
    n_rows, n_features = X.shape
    sample = X[:: -(-n_rows // ROWS_FOR_VARIANCE)]
    variance = _variances(sample)
    n_dominating = max(1, min(MOST_DOMINATING, n_features // 5))
    if n_features < 3 or not variance.sum() > 0:
        return
    share = variance / variance.sum()
    order = np.argsort(-share, kind="stable")
    n_needed = int(np.searchsorted(np.cumsum(share[order]), DOMINATED)) + 1
    if n_needed > n_dominating:
        return
    columns = order[:n_needed]
    dominating = ", ".join(f"column {column}" if names is None else repr(str(names[column])) for column in columns)
    warn(
        f"{share[columns].sum():.1%} of the variance of X is in {dominating}: the map hardly sees the other "
        f"{n_features - n_needed} features; if the columns have different units, scale them first "
        "(sklearn.preprocessing.StandardScaler)"
    )


def _variances(sample: Any) -> np.ndarray:
    """The variance of every column, in units of the largest value, so that it stays within float64."""
    if sp.issparse(sample):
        largest = abs(sample).max() or 1.0
        scaled = sample.astype(np.float64) / float(largest)
        mean = np.asarray(scaled.mean(axis=0)).ravel()
        return np.maximum(np.asarray(scaled.multiply(scaled).mean(axis=0)).ravel() - mean**2, 0)
    values = sample.astype(np.float64)
    middle = values[len(values) // 2]
    values = values / 4 - middle / 4
    return (values / (np.abs(values).max() or 1.0)).var(axis=0)


def _real(values: Any, name: str) -> Any:
    """Numbers within float64. Dates would pass as numbers of nanoseconds."""
    if values.dtype.kind not in "biuf":
        raise TypeError(f"values of type {values.dtype} are not numbers")
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        values = values.astype(np.float64)
        assert_all_finite(values, input_name=name)
    return values


def _listed(texts: Sequence[str], total: int) -> str:
    listed = ", ".join(texts[:MOST_NAMED])
    return listed if total <= MOST_NAMED else f"{listed}, …"


def _answer(caller: str, name: str, error: Exception) -> str:
    message = str(error)
    remedy = next(remedy for part, remedy in REMEDIES if part in message)
    # Lists of names are worth their lines; elsewhere what follows shows the data, or recommends another estimator.
    reason = message if "eature names should" in message else SENTENCE_END.split(message)[0]
    return f"{caller}({name}): {reason.rstrip('.:')}; {remedy}"
