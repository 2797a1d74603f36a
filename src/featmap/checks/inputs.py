"""Data as users give them: checked by scikit-learn, with errors that name the argument and a remedy.

Nothing here is compiled, and rows are not copied without need, so that wrong data are refused at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, time, timedelta
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import validate_data

from ..errors import InvalidDataError, InvalidDataTypeError
from ..values import FloatArray
from .arguments import listed
from .rows import row_names
from .stored import StoredTable, is_stored

# Part of scikit-learn's message → what to do. The first part that a message has decides; the last is in all of them.
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

DATES, STRINGS = "dates or times", "strings"
ENCODE = "encode categories as numbers, for example with sklearn.preprocessing.OneHotEncoder"
REMEDY_OF_COLUMNS = {
    DATES: "convert them to numbers, for example days since the first date",
    STRINGS: f"convert numbers to floats, and {ENCODE}",
}


class Columns(BaseEstimator):
    """Remembers the number and the names of columns, as scikit-learn's estimators do, for data without a model."""


@dataclass(frozen=True)
class NamedTable:
    """The data of a fit with what an array or a sparse matrix cannot tell: names, and how the columns were made."""

    values: Any
    feature_names: Sequence[str] | None = None
    row_names: Sequence[Any] | np.ndarray | None = None
    recipe: Any = None  # a Recipe, of columns that were made of those of a table

    @classmethod
    def of(cls, X: Any) -> NamedTable:
        """Data as users give them; the rows of a pandas frame may have names."""
        return X if isinstance(X, cls) else cls(X, row_names=row_names(X))


@contextmanager
def with_remedies(caller: str, name: str) -> Iterator[None]:
    """Turn the errors of scikit-learn's checks into our own, which are subclasses of the same built-in errors."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn sums values to see whether all are finite
            yield
    except (InvalidDataError, InvalidDataTypeError):
        raise
    except TypeError as error:
        raise InvalidDataTypeError(_with_remedy(caller, name, error)) from error
    except (ValueError, OverflowError) as error:
        raise InvalidDataError(_with_remedy(caller, name, error)) from error


def check_rows(estimator: Any, X: Any, caller: str, **options: Any) -> Any:
    """X as a numpy array or CSR matrix of finite real numbers; ``options`` are those of `validate_data`."""
    return read_rows(check_form(estimator, X, caller, **options), caller)


def check_form(estimator: Any, X: Any, caller: str, **options: Any) -> Any:
    """Check X as `check_rows` does, but only type and shape of an array of Zarr or HDF5, which is not read yet."""
    with with_remedies(caller, "X"):
        stored = StoredTable.of(X) if is_stored(X) else None
        values = X if stored is None else stored.first_rows()
        refuse_other_tables(values, caller, "X")
        options |= {"accept_sparse": "csr", "dtype": "numeric", "ensure_all_finite": False}
        values = _real(validate_data(estimator, values, **options))
        _check_finite(values, "X")
        return values if stored is None else stored


def read_rows(table: Any, caller: str, beside: str | PathLike[str] | None = None) -> Any:
    """Read the table that `check_form` returned. A large one is copied to a file in the folder of ``beside``."""
    with with_remedies(caller, "X"):
        return table.read(caller, beside) if isinstance(table, StoredTable) else table


def check_table(values: Any, caller: str, name: str, *, finite: bool = True, **options: Any) -> Any:
    """Check a table that belongs to no estimator; ``options`` are those of `check_array`."""
    with with_remedies(caller, name):
        refuse_other_tables(values, caller, name)
        values = _real(check_array(values, dtype="numeric", input_name=name, ensure_all_finite=False, **options))
        if finite:
            _check_finite(values, name)
        return values


def check_embedding(embedding: Any, caller: str, name: str) -> FloatArray:
    """An embedding that was made elsewhere, in float32."""
    with np.errstate(over="ignore"):
        values = check_table(embedding, caller, name, finite=False).astype(np.float32)
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
    """Refuse NaN and infinity, block by block: scikit-learn's search for them can take as much memory as the data."""
    if values.dtype.kind != "f":
        return
    numbers = values.data if sp.issparse(values) else values
    step = max(1, BYTES_AT_ONCE * len(numbers) // max(numbers.nbytes, 1))
    for start in range(0, len(numbers), step):
        assert_all_finite(numbers[start : start + step], input_name=name)


def _with_remedy(caller: str, name: str, error: Exception) -> str:
    message = str(error)
    remedy = next(remedy for part, remedy in REMEDIES if part in message)
    # Lists of names are worth their lines; elsewhere what follows shows the data, or recommends another estimator.
    reason = message if "eature names should" in message else SENTENCE_END.split(message)[0]
    return f"{caller}({name}): {reason.strip().rstrip('.:')}; {remedy}"


def refuse_other_tables(values: Any, caller: str, name: str) -> None:
    """Refuse what scikit-learn would misread, search for minutes, or refuse with advice for another case."""
    instead = _instead(values, name)
    if instead is not None:
        raise InvalidDataTypeError(f"{caller}({name}): got an object of type {type(values).__name__}; {instead}")
    if np.ma.is_masked(values):
        raise ValueError("Input contains NaN under a mask")
    if hasattr(values, "columns") and hasattr(values, "dtypes"):
        _check_columns(values, caller, name)
    elif isinstance(values, np.ndarray) and values.dtype.kind in "SUmM":
        holds = DATES if values.dtype.kind in "mM" else STRINGS
        raise InvalidDataTypeError(f"{caller}({name}): {name} holds {holds}; {REMEDY_OF_COLUMNS[holds]}")


def _instead(values: Any, name: str) -> str | None:
    """What to give instead of an object that has data but is not a table."""
    kinds = {kind.__name__ for kind in type(values).__mro__}
    if "AnnData" in kinds:
        return "call featmap.tl.featmap(adata), or give one of its arrays: adata.obsm['X_pca'], or adata.X"
    if "BaseCompressedSparseDataset" in kinds:  # anndata's sparse matrix in a file
        return f"give {name}.to_memory()"
    if "Group" in kinds and type(values).__module__.partition(".")[0] in ("zarr", "h5py"):
        return f"give one of its arrays: {name}['name']"
    if isinstance(values, str | bytes | PathLike):
        return "read the file first, for example with pandas.read_csv"
    if type(values) is dict:  # a sparse matrix of keys is a dict too
        return f"give pandas.DataFrame({name})"
    if "LazyFrame" in kinds:
        return f"give {name}.collect()"
    if "Series" in kinds:
        return f"give a table; {name}.to_frame() is one of a single column, {name}.to_frame().T of a single row"
    if "Explanation" in kinds or (hasattr(values, "fit") and hasattr(values, "get_params")):
        model = "pipeline[-1]" if "Pipeline" in kinds else "model"
        if name == "X":
            return f"give the data; a fitted FeatMAP answers questions itself, for example {model}.arrows()"
        return f"give its map, {model}.embedding_"
    return None


def _check_columns(frame: Any, caller: str, name: str) -> None:
    """Every column of a frame must have a name of its own and hold numbers."""
    columns = list(frame.columns)
    repeated = [column for column, count in Counter(columns).items() if count > 1]
    if repeated:
        raise InvalidDataError(
            f"{caller}({name}): several columns are called {repeated[0]!r}; give every column a name of its own"
        )
    for number, (column, dtype) in enumerate(zip(columns, frame.dtypes, strict=True)):
        if isinstance(dtype, np.dtype) and dtype.kind in "biufc":
            continue  # most columns: taking one of a wide frame costs more than asking for its type
        values = frame.iloc[:, number] if hasattr(frame, "iloc") else frame[column]
        is_polars = hasattr(values.dtype, "is_temporal")
        holds = _not_numbers_in_polars(values.dtype) if is_polars else _not_numbers_in_pandas(values)
        if holds is not None:
            remedy = REMEDY_OF_COLUMNS.get(holds, ENCODE)
            raise InvalidDataTypeError(f"{caller}({name}): the column {column!r} holds {holds}; {remedy}, or drop it")


def _not_numbers_in_polars(dtype: Any) -> str | None:
    """What a column of this type holds, if that is not numbers."""
    if dtype.is_temporal():
        return DATES
    if str(dtype) == "String":
        return STRINGS
    if dtype.is_numeric() or str(dtype) in ("Boolean", "Null"):
        return None
    return f"values of type {str(dtype).partition('(')[0]}"


def _not_numbers_in_pandas(column: Any) -> str | None:
    """What a column holds, if that is not numbers: by its type, or by its values if the type says neither."""
    kind = getattr(column.dtype, "kind", "O")
    if kind in "mM" or str(column.dtype).startswith("period"):
        return DATES
    if kind in "biufc" and str(column.dtype) != "category":
        return None
    values = getattr(column.dtype, "categories", column)
    kinds = {type(value) for value in values.dropna()}
    if any(issubclass(kind, str) for kind in kinds):
        return STRINGS
    if any(issubclass(kind, date | time | timedelta) for kind in kinds):
        return DATES
    try:
        np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return "values that are not numbers"
    return None
