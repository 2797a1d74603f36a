"""Objects that are not tables of numbers, and columns that do not hold numbers: refused with what to give instead."""

from __future__ import annotations

from collections import Counter
from datetime import date, time, timedelta
from os import PathLike
from typing import Any

import numpy as np

from ..errors import InvalidDataError, InvalidDataTypeError

DATES, STRINGS = "dates or times", "strings"
ENCODE = "encode categories as numbers, for example with sklearn.preprocessing.OneHotEncoder"
REMEDIES = {
    DATES: "convert them to numbers, for example days since the first date",
    STRINGS: f"convert numbers to floats, and {ENCODE}",
}


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
        raise InvalidDataTypeError(f"{caller}({name}): {name} holds {holds}; {REMEDIES[holds]}")


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
        holds = _not_numbers(values)
        if holds is not None:
            remedy = REMEDIES.get(holds, ENCODE)
            raise InvalidDataTypeError(f"{caller}({name}): the column {column!r} holds {holds}; {remedy}, or drop it")


def _not_numbers(column: Any) -> str | None:
    """What a column of a pandas or polars frame holds, if that is not numbers."""
    is_polars = hasattr(column.dtype, "is_temporal")
    return _not_numbers_in_polars(column.dtype) if is_polars else _not_numbers_in_pandas(column)


def _not_numbers_in_polars(dtype: Any) -> str | None:
    if dtype.is_temporal():
        return DATES
    if str(dtype) == "String":
        return STRINGS
    return (
        None
        if dtype.is_numeric() or str(dtype) in ("Boolean", "Null")
        else f"values of type {str(dtype).partition('(')[0]}"
    )


def _not_numbers_in_pandas(column: Any) -> str | None:
    """Types of pandas tell numbers and dates. What else there is, is told by the values."""
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
