"""Whatever a user gives as a table, as values with names."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..checks.inputs import refuse_other_tables
from ..checks.rows import row_names
from ..errors import InvalidDataError, InvalidDataTypeError, InvalidParameterError
from .given import Given, of_array, of_cells
from .reading import read_source

CALLED = "the table"


def taken(caller: str, table: Any, names: Sequence[Any] | None = None) -> Given:
    """A file, a frame of pandas or polars, the cells of an AnnData, a sparse matrix or an array."""
    if isinstance(table, Given):
        return table
    kinds = {kind.__name__ for kind in type(table).__mro__}
    is_array = not (isinstance(table, str | PathLike) or kinds & {"AnnData", "DataFrame"})
    if names is not None and not is_array:
        raise InvalidParameterError(f"{caller}(names=…): the table has names of its own; give names with an array")
    if isinstance(table, str | PathLike):
        given = read_source(fspath(table))
    elif "AnnData" in kinds:
        given = of_cells("the AnnData", table)
    elif "DataFrame" in kinds:
        given = _frame(table)
    else:
        refuse_other_tables(table, caller, "table")
        given = _array(caller, table, names)
    if given.n_rows < 1 or given.values.shape[1] < 1:
        raise InvalidDataError(
            f"{caller}(table): {given.called} has {given.n_rows} rows and {given.values.shape[1]} columns"
        )
    return given


def _frame(frame: Any) -> Given:
    names = row_names(frame)
    return Given(CALLED, frame, is_table=True, ids=None if names is None else names.tolist())


def _array(caller: str, table: Any, names: Sequence[Any] | None) -> Given:
    """Numbers as they are; with names, columns of a table."""
    given_names = None if names is None else [str(name) for name in names]
    if sp.issparse(table):
        given = Given(CALLED, sp.csr_matrix(table), names=given_names)
    else:
        try:
            array = np.asarray(table)
        except ValueError as error:
            raise InvalidDataTypeError(f"{caller}(table): the rows of the table have not one length") from error
        if array.ndim == 0:
            raise InvalidDataTypeError(
                f"{caller}(table): got an object of type {type(table).__name__}; give a frame of pandas or polars, "
                "an array, a sparse matrix, an AnnData or the path of a file"
            )
        if array.ndim == 2 and (names is not None or array.dtype.kind in "OUb"):
            given = Given(CALLED, array, is_table=True, names=given_names)
        else:
            given = of_array(CALLED, array)
    if given_names is not None and len(given_names) != given.values.shape[1]:
        raise InvalidParameterError(
            f"{caller}(names=…): the table has {given.values.shape[1]} columns; got {len(given_names)} names"
        )
    return given
