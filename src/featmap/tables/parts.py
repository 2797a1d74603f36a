"""A map that knows its labels, made of a fitted model or of the explanation of any map."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..checks.rows import check_order
from ..errors import InvalidParameterError
from ..estimator import FeatMAP
from ..explanation import Explanation
from ..explanation.mixin import ExplanationMixin
from ..preparation.known import KnownColumn, KnownTable
from .given import Given, with_shape
from .table_map import TableMap


def labelled(asked: ExplanationMixin, labels: Any, unit: str | None, image_shape: tuple[int, ...] | None) -> TableMap:
    """The same map, which knows the labels of its rows, what they are called, and the shape of images."""
    found = _table_map(asked)
    known, n_rows = found.known, len(found)
    check_order("labels", labels, found._answers.row_names)
    if labels is not None:
        name = str(getattr(labels, "name", None) or "label")
        label = KnownColumn.of_values("labelled(labels=…)", name, labels, n_rows)
        known = replace(known, label=label)
    if image_shape is not None:
        given = with_shape(Given("the map", found._points.mapped.data), image_shape)
        known = replace(known, image_shape=given.image_shape)
    return TableMap(found, replace(known, unit=unit or known.unit), found.model)


def _table_map(asked: ExplanationMixin) -> TableMap:
    if isinstance(asked, TableMap):
        return asked
    if isinstance(asked, FeatMAP):
        asked._check_features()
        return TableMap._of(asked, getattr(asked, "table_", KnownTable()))
    assert isinstance(asked, Explanation)
    points = asked._points
    if points.is_part_of_map or not np.array_equal(points.rows, np.arange(len(points))):
        raise InvalidParameterError(
            "labelled: these are some rows of a map, new rows, or rows in another order; ask the map itself"
        )
    made_by = asked._made_by
    return TableMap(asked, KnownTable(), made_by if isinstance(made_by, FeatMAP) else None)
