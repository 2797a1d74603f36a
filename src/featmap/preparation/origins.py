"""Which of the user's columns each column of a fit is, followed through fitted steps of scikit-learn."""

from __future__ import annotations

from collections import UserList
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
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

from ..data.units import Level, Units
from ..errors import InvalidParameterError
from ..values import DoubleArray

OTHER = "(other)"  # the level of all values of a category that are rare


@dataclass(frozen=True)
class Origins:
    """Of every column of a fit: the user's column, the level if it is one of a category, and how to get back.

    The user's value is ``given * factor + offset``; that of a level is 1 for rows that have it and 0 for others.
    """

    sources: NDArray[np.object_]  # (n,) names of the user's columns
    levels: tuple[str | None, ...]  # (n,)
    factor: Annotated[DoubleArray, "(n,)"]
    offset: Annotated[DoubleArray, "(n,)"]

    def __post_init__(self) -> None:
        if not (len(self.sources) == len(self.levels) == len(self.factor) == len(self.offset)):
            raise ValueError("origins must have one entry for each column")

    @classmethod
    def of(cls, names: Iterable[str], levels: Sequence[str | None] | None = None) -> Origins:
        """Columns as they are, or levels of categories."""
        sources = np.array([str(name) for name in names], dtype=object)
        n = len(sources)
        return cls(sources, (None,) * n if levels is None else tuple(levels), np.ones(n), np.zeros(n))

    @classmethod
    def joined(cls, parts: list[Origins]) -> Origins:
        """The columns of several parts side by side."""
        return cls(
            np.concatenate([part.sources for part in parts]),
            tuple(level for part in parts for level in part.levels),
            np.concatenate([part.factor for part in parts]),
            np.concatenate([part.offset for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, columns: np.ndarray) -> Origins:
        levels = tuple(self.levels[column] for column in columns)
        return Origins(self.sources[columns], levels, self.factor[columns], self.offset[columns])

    def after_step(self, scale: DoubleArray | None, shift: DoubleArray | None) -> Origins:
        """The columns after a linear step, whose input is its output times ``scale`` plus ``shift``."""
        factor = self.factor if scale is None else self.factor * scale
        offset = self.offset if shift is None else self.factor * shift + self.offset
        return replace(self, factor=factor, offset=offset)

    @property
    def names(self) -> np.ndarray:
        """Names of the columns of the fit: (n,)."""
        pairs = zip(self.sources, self.levels, strict=True)
        return np.array([source if level is None else Level(source, level) for source, level in pairs], object)

    @property
    def units(self) -> Units:
        """What leads back to the values of the user. Groups are numbered as they come."""
        numbers = {source: number for number, source in enumerate(dict.fromkeys(self.sources))}
        groups = np.array([numbers[source] for source in self.sources], np.int32)
        return Units(self.factor, self.offset, groups)


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


def _pipeline(step: Pipeline, columns: Origins) -> Origins:
    for _, one in step.steps:
        columns = follow(one, columns)
    return columns


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


def _function(step: FunctionTransformer, columns: Origins) -> Origins:
    if step.func is not None:
        raise InvalidParameterError(
            "in_original_units: a FunctionTransformer may change columns in any way, so that they cannot "
            "be followed; transform the data before the pipeline"
        )
    return columns


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
    return columns.after_step(step.scale_, step.mean_ if step.with_mean else None)


def _robust(step: RobustScaler, columns: Origins) -> Origins:
    scale, center = step.scale_ if step.with_scaling else None, step.center_ if step.with_centering else None
    return columns.after_step(scale, center)


def _min_max(step: MinMaxScaler, columns: Origins) -> Origins:
    if step.clip:
        raise InvalidParameterError("in_original_units: MinMaxScaler(clip=True) is not linear; leave clip out")
    return columns.after_step(1 / step.scale_, -step.min_ / step.scale_)


def _one_hot(step: OneHotEncoder, columns: Origins) -> Origins:
    """The levels of each category, in the order in which the encoder gives them."""
    levels = [_levels(step, number) for number in range(len(columns))]
    sources = np.repeat(columns.sources, [len(ones) for ones in levels])
    return Origins.of(sources, [level for ones in levels for level in ones])


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


FOLLOWED: dict[type, Callable[[Any, Origins], Origins]] = {
    Pipeline: _pipeline,
    ColumnTransformer: _column_transformer,
    SimpleImputer: _imputed,
    OneHotEncoder: _one_hot,
    StandardScaler: _standard,
    RobustScaler: _robust,
    MinMaxScaler: _min_max,
    MaxAbsScaler: lambda step, columns: columns.after_step(step.scale_, None),
    FunctionTransformer: _function,
    SelectorMixin: lambda step, columns: columns[step.get_support(indices=True)],
}
