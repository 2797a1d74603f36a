"""Follows columns through fitted steps of scikit-learn: which of the user's columns each is, and in which unit."""

from __future__ import annotations

from collections import UserList
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

from ..errors import InvalidParameterError
from ..values import DoubleArray
from .origins import Origins
from .prepare import Prepare

if TYPE_CHECKING:
    Follow = Callable[[Any, Origins], Origins]

OTHER = "(other)"  # the level of all values of a category that are rare


def follow(step: Any, columns: Origins) -> Origins:
    """The columns after a fitted step."""
    for kind, follows in FOLLOWED.items():
        if isinstance(step, kind):
            return follows(step, columns)
    if step is None or step == "passthrough":
        return columns
    known = ", ".join(sorted(kind.__name__ for kind in FOLLOWED if kind is not SelectorMixin))
    raise InvalidParameterError(
        f"in_original_units: columns cannot be followed through a {type(step).__name__}; steps before "
        f"FeatMAP may be {known}, selections of columns, and a PCA as the last one"
    )


def origins_of_prepared(prepared: Prepare) -> Origins:
    """The columns that a preparation makes."""
    return follow(prepared.steps_, Origins.of(prepared._used))


def _prepared(step: Prepare, columns: Origins) -> Origins:
    return origins_of_prepared(step)


def _pipeline(step: Pipeline, columns: Origins) -> Origins:
    for _, one in step.steps:
        columns = follow(one, columns)
    return columns


def _function(step: FunctionTransformer, columns: Origins) -> Origins:
    if step.func is not None:
        raise InvalidParameterError(
            "in_original_units: a FunctionTransformer may change columns in any way, so that they cannot "
            "be followed; transform the data before the pipeline"
        )
    return columns


def _selected(step: Any, columns: Origins) -> Origins:
    return columns[step.get_support(indices=True)]


def _imputed(step: SimpleImputer, columns: Origins) -> Origins:
    if step.add_indicator:
        raise InvalidParameterError(
            "in_original_units: SimpleImputer(add_indicator=True) adds columns that are not the user's; "
            "leave add_indicator out"
        )
    if step.keep_empty_features:
        return columns
    return columns[np.flatnonzero([statistic == statistic for statistic in step.statistics_])]  # not NaN


def _standard(step: StandardScaler, columns: Origins) -> Origins:
    return columns.before(_or(step.scale_, 1.0, columns), _or(step.mean_ if step.with_mean else None, 0.0, columns))


def _robust(step: RobustScaler, columns: Origins) -> Origins:
    scale = _or(step.scale_ if step.with_scaling else None, 1.0, columns)
    return columns.before(scale, _or(step.center_ if step.with_centering else None, 0.0, columns))


def _min_max(step: MinMaxScaler, columns: Origins) -> Origins:
    if step.clip:
        raise InvalidParameterError("in_original_units: MinMaxScaler(clip=True) is not linear; leave clip out")
    return columns.before(1 / step.scale_, -step.min_ / step.scale_)


def _max_abs(step: MaxAbsScaler, columns: Origins) -> Origins:
    return columns.before(step.scale_, np.zeros(len(columns)))


def _or(values: DoubleArray | None, otherwise: float, columns: Origins) -> DoubleArray:
    return np.full(len(columns), otherwise) if values is None else values


def _one_hot(step: OneHotEncoder, columns: Origins) -> Origins:
    """The levels of each category, in the order in which the encoder gives them."""
    parts = []
    for number, source in enumerate(columns.sources):
        levels = _levels(step, number)
        n_levels = len(levels)
        sources = np.full(n_levels, source, dtype=object)
        parts.append(Origins(sources, tuple(levels), np.ones(n_levels), np.zeros(n_levels)))
    return Origins.joined(parts)


def _levels(step: OneHotEncoder, number: int) -> list[str]:
    infrequent = getattr(step, "infrequent_categories_", None)
    rare = set() if infrequent is None or infrequent[number] is None else set(infrequent[number].tolist())
    levels = [str(level) for level in step.categories_[number].tolist() if level not in rare]
    levels += [OTHER] if rare else []
    dropped = None if step.drop_idx_ is None else step.drop_idx_[number]
    if dropped is not None and rare:
        raise InvalidParameterError(
            "in_original_units: OneHotEncoder(drop=…) cannot be followed with rare values; leave drop out"
        )
    return [level for place, level in enumerate(levels) if place != dropped]


def _column_transformer(step: ColumnTransformer, columns: Origins) -> Origins:
    names = getattr(step, "feature_names_in_", columns.sources)
    places = {name: place for place, name in enumerate(names)}
    parts = []
    for name, one, chosen in step.transformers_:
        outputs = step.output_indices_[name]
        if outputs.stop == outputs.start:
            continue
        numbers = np.arange(len(columns))[_numbers(chosen, places)]
        parts.append((outputs.start, follow(one, columns[numbers])))
    return Origins.joined([part for _, part in sorted(parts, key=lambda part: part[0])])


def _numbers(chosen: Any, places: dict[Any, int]) -> Any:
    """Columns by number, mask, slice or name."""
    chosen = chosen.data if isinstance(chosen, UserList) else chosen  # scikit-learn 1.6 warns when it is read
    if isinstance(chosen, str):
        return [places[chosen]]
    if isinstance(chosen, slice | int):
        return chosen if isinstance(chosen, slice) else [chosen]
    return [places[one] for one in chosen] if any(isinstance(one, str) for one in chosen) else chosen


FOLLOWED: dict[type, Follow] = {
    Prepare: _prepared,
    Pipeline: _pipeline,
    ColumnTransformer: _column_transformer,
    SimpleImputer: _imputed,
    OneHotEncoder: _one_hot,
    StandardScaler: _standard,
    RobustScaler: _robust,
    MinMaxScaler: _min_max,
    MaxAbsScaler: _max_abs,
    FunctionTransformer: _function,
    SelectorMixin: _selected,
}
