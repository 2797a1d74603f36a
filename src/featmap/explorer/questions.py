"""Questions of the page, checked. They come from outside, so nothing is believed of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InvalidParameterError
from ..values import IntArray

OF_FEATURES = ("feature", "importance", "explained", "arrow")
OF_ROWS = ("fidelity", "dimension", "densityOfData", "densityOfMap", "kept", "torn", "false")
MOST_VALUES = 2**22  # of rows that are looked at as a whole


def checked(question: Any, n_rows: int, n_features: int) -> dict[str, Any]:
    """The question with Python's types, or an `InvalidParameterError` that says what is wrong with it."""
    if not isinstance(question, dict) or not isinstance(question.get("kind"), str):
        raise InvalidParameterError("A question must have a kind.")
    kind = question["kind"]
    if kind not in FIELDS:
        raise InvalidParameterError("There is no such kind of question.")
    fields = FIELDS[kind]
    if question.keys() != {"kind", *fields}:
        raise InvalidParameterError(f"A question of kind {kind} must have {', '.join(fields)} and nothing else.")
    found = {name: check(question[name], n_rows, n_features) for name, check in fields.items()}
    _check_together(kind, found, n_rows, n_features)
    return {"kind": kind, **found}


def _row(value: Any, n_rows: int, n_features: int) -> int:
    if type(value) is not int:
        raise InvalidParameterError("A row must be a whole number.")
    _check_range("row", np.array([value]), n_rows)
    return value


def _rows(value: Any, n_rows: int, n_features: int) -> IntArray:
    if not isinstance(value, np.ndarray) or value.dtype != np.int32:
        raise InvalidParameterError("Rows must be an array of whole numbers.")
    _check_range("row", value, n_rows)
    return value.astype(np.int32)


def _check_range(name: str, numbers: np.ndarray, size: int) -> None:
    wrong = numbers[(numbers < 0) | (numbers >= size)]
    if len(wrong):
        raise InvalidParameterError(f"There is no {name} {wrong[0]}.")


def _rows_or_none(value: Any, n_rows: int, n_features: int) -> IntArray | None:
    return None if value is None else _rows(value, n_rows, n_features)


def _what(value: Any, n_rows: int, n_features: int) -> dict[str, Any]:
    if not isinstance(value, dict) or value.get("kind") not in (*OF_FEATURES, *OF_ROWS):
        raise InvalidParameterError("There is no such column.")
    feature = value.get("feature", 0 if value["kind"] in OF_ROWS else None)
    if type(feature) is not int:
        raise InvalidParameterError("A feature must be a whole number.")
    _check_range("feature", np.array([feature]), n_features)
    return value


def _check_together(kind: str, found: dict[str, Any], n_rows: int, n_features: int) -> None:
    if kind == "group" and not found["rows"].size:
        raise InvalidParameterError("A group needs at least one row.")
    if kind == "values" and found["rows"].size * n_features > MOST_VALUES:
        raise InvalidParameterError("These are too many rows to look at at once.")
    if kind == "contrast":
        a, b, n_a = found["a"], found["b"], len(np.unique(found["a"]))
        if n_a < 2 or (n_rows - n_a if b is None else len(np.unique(b))) < 2:
            raise InvalidParameterError("Each of the two groups needs at least two rows.")
        if b is not None and np.intersect1d(a, b).size:
            raise InvalidParameterError("The two groups must have no row in common.")


FIELDS: dict[str, dict[str, Callable[[Any, int, int], Any]]] = {
    "point": {"row": _row},
    "group": {"rows": _rows},
    "contrast": {"a": _rows, "b": _rows_or_none},
    "column": {"what": _what, "rows": _rows_or_none},
    "neighbours": {"row": _row},
    "values": {"rows": _rows},
}
