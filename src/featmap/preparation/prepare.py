"""Tables of numbers, categories and gaps prepared for a map, with a description of what was done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from ..errors import InvalidParameterError
from ..values import DoubleArray
from .columns import CATEGORY, ID, LABEL, LEFT_OUT, NUMBER, Column, as_kind, read_columns, read_named, roles_of
from .origins import FOLLOWED, OTHER, Origins, follow

MOST_NAMED = 12  # columns in a sentence; the others are counted
MOST_LEVELS = 30  # of a category; rarer ones are one level together


class Prepare(TransformerMixin, BaseEstimator):
    """Make a table of mixed columns ready for a map.

    It is a transformer of scikit-learn, the first step of a pipeline that ends in a `FeatMAP`, and what
    ``featmap map`` uses. `in_original_units` then explains the map in the columns of the table. A map of another
    method, made of what ``transform`` gives, is explained in them by
    ``in_original_units(explain(prepared, Y), preparation=…)``.

    Columns that identify rows, columns with one value, columns with more gaps than values, dates and free text are
    left out. Gaps in numbers get the median, gaps in categories the most frequent value. Numbers are scaled to mean 0
    and standard deviation 1. A category gets one column of zeros and ones for each of its values; `in_original_units`
    counts them as one feature. Printed, a fitted one says what it did. The steps are scikit-learn's own.

    Filled gaps count as values in all answers. They are alike in all groups, so that means of groups are usually
    nearer to each other than those of the values that were observed, and spreads are smaller, the more so the more
    gaps a column has. Printed, it tells how many values of each column were filled; compare such columns in the table
    itself, without the gaps.

    Parameters
    ----------
    id : str or None, default=None
        The column that identifies rows. By default columns of texts or of whole numbers in which every row has
        another value, numbers only if they count the rows or if the column is called "id" or the like.
    drop : sequence of str, default=()
        Further columns to leave out.
    label : str or None, default=None
        A column that is known of the rows and must have no part in the map, such as a diagnosis.
    scale : bool, default=True
        Whether numbers are scaled. Leave it out for columns that all have the same unit.
    names : sequence of str or None, default=None
        Names of the columns of an array. A frame has its own.

    Attributes
    ----------
    roles_ : list of Role
        What each column is used as, and why it is not used.
    steps_ : ColumnTransformer
        The fitted steps of scikit-learn, of the columns that are used.
    label_ : ndarray or None
        The values of the label column, in the rows of the fit.
    gaps_of_rows_ : ndarray of shape (n_samples,)
        How many values of each row were missing, in the columns that are used.
    ids_ : ndarray or None
        The values of the column ``id``, or of the first one that identifies rows, as texts.
    n_features_in_ : int
        The number of columns of the table.
    feature_names_in_ : ndarray of shape (n_columns,)
        Names of the columns of the table.

    Examples
    --------
    >>> import pandas as pd
    >>> from featmap import Prepare
    >>> frame = pd.DataFrame({"mass": [3750.0, None, 4200.0], "island": ["Biscoe", "Dream", "Biscoe"]})
    >>> print(Prepare().fit(frame))
    3 rows and 2 columns: 1 number and 1 category make 2 features.
    Categories: island (2 values) has one column of zeros and ones for each value and counts as one feature.
    Gaps: 1 value of mass, filled with the median.
    Scale: each number has mean 0 and standard deviation 1.
    """

    def __init__(
        self,
        *,
        id: str | None = None,
        drop: Sequence[str] = (),
        label: str | None = None,
        scale: bool = True,
        names: Sequence[str] | None = None,
    ) -> None:
        self.id = id
        self.drop = drop
        self.label = label
        self.scale = scale
        self.names = names

    def fit(self, X: Any, y: Any = None) -> Prepare:
        """Decide what each column is used as, and learn medians, levels and scales.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array-like of shape (n_samples, n_columns)
            The table.
        y : None
            Ignored.

        Returns
        -------
        Prepare
            The fitted transformer itself.

        Examples
        --------
        >>> import numpy as np
        >>> from featmap import Prepare
        >>> Prepare(names=["a", "b"]).fit(np.array([[1.5, 7], [2.5, 9], [0.5, 9]])).transform([[1.5, 9.0]]).shape
        (1, 2)
        """
        dropped = tuple(self.drop)
        if isinstance(self.drop, str) or not all(isinstance(name, str) for name in dropped):
            raise InvalidParameterError(f"Prepare(drop={self.drop!r}): drop must be a list of names of columns")
        return self._learned(read_columns("Prepare.fit", X, self.names), dropped)

    def _learned(self, columns: list[Column], dropped: tuple[str, ...]) -> Prepare:
        """Learn from columns that were read."""
        self.roles_ = roles_of(columns, self.label, self.id, dropped)
        self.feature_names_in_ = np.array([column.name for column in columns], dtype=object)
        self.n_features_in_ = len(columns)
        by_name = {column.name: column for column in columns}
        self.label_ = None if self.label is None else by_name[self.label].values
        ids = [role.name for role in self.roles_ if role.use == ID] if self.id is None else [self.id]
        self.ids_ = by_name[ids[0]].texts if ids else None
        used = [by_name[name] for name in self._used]
        self.n_gaps_ = {column.name: int(column.is_gap.sum()) for column in used if column.is_gap.any()}
        self.gaps_of_rows_ = np.sum([column.is_gap for column in used], axis=0)
        self.steps_ = _steps([column.kind for column in used], bool(self.scale)).fit(_table(used))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Prepare rows as those of the fit were.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array-like of shape (n_rows, n_columns)
            Rows with the columns of the fit. Columns that are not used may be missing in a frame.

        Returns
        -------
        ndarray of shape (n_rows, n_features_out)
            Finite numbers. A value of a category that the fit did not have is none of its levels.

        Examples
        --------
        >>> import pandas as pd
        >>> from featmap import Prepare
        >>> frame = pd.DataFrame({"mass": [3750.0, None, 4200.0], "island": ["Biscoe", "Dream", "Biscoe"]})
        >>> Prepare(scale=False).fit_transform(frame)[1].tolist()
        [3975.0, 0.0, 1.0]
        """
        check_is_fitted(self)
        kinds = {role.name: role.use for role in self.roles_}
        used = read_named(X, self._used, self.feature_names_in_.tolist())
        return self._made_of([as_kind(column, kinds[column.name]) for column in used])

    def _made_of(self, used: list[Column]) -> np.ndarray:
        """What the steps make of the columns that are used."""
        return np.asarray(self.steps_.transform(_table(used)))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Name the columns that the map is made of.

        Parameters
        ----------
        input_features : None
            Ignored; the names of the columns are those of the fit.

        Returns
        -------
        ndarray of shape (n_features_out,)
            Names of numbers, then of the levels of categories, "island: Biscoe".

        Examples
        --------
        >>> import pandas as pd
        >>> from featmap import Prepare
        >>> Prepare().fit(pd.DataFrame({"sex": ["f", "m", "m"]})).get_feature_names_out().tolist()
        ['sex: f', 'sex: m']
        """
        check_is_fitted(self)
        return self._origins.names

    @property
    def _origins(self) -> Origins:
        """The column of the table behind each column that is made."""
        return follow(self.steps_, Origins.of(self._used))

    @property
    def _used(self) -> list[str]:
        """Numbers, then categories: the order in which `steps_` gives them."""
        return [role.name for kind in (NUMBER, CATEGORY) for role in self.roles_ if role.use == kind]

    def __str__(self) -> str:
        return "\n".join(_lines_about(self)) if hasattr(self, "steps_") else repr(self)


def mostly_empty(prepared: Prepare) -> np.ndarray:
    """Which rows of the fit have more gaps than values, in the columns that are used."""
    return np.asarray(2 * prepared.gaps_of_rows_ > prepared.steps_.n_features_in_)


def _steps(kinds: list[str], scale: bool) -> ColumnTransformer:
    numbers = [SimpleImputer(strategy="median"), *([StandardScaler()] if scale else [])]
    levels = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_LEVELS, sparse_output=False)
    categories = [SimpleImputer(missing_values=None, strategy="most_frequent"), levels]
    chosen = {kind: [h for h, found in enumerate(kinds) if found == kind] for kind in (NUMBER, CATEGORY)}
    steps = {NUMBER: make_pipeline(*numbers), CATEGORY: make_pipeline(*categories)}
    return ColumnTransformer(
        [(kind, steps[kind], chosen[kind]) for kind in steps if chosen[kind]], sparse_threshold=0
    )


def _table(columns: list[Column]) -> np.ndarray:
    return np.column_stack([column.values for column in columns])  # of objects if there are categories


def _lines_about(prepared: Prepare) -> Iterator[str]:
    """A description of a fitted preparation, line by line."""
    uses = {role.name: role.use for role in prepared.roles_}
    numbers, categories = ([name for name, use in uses.items() if use == kind] for kind in (NUMBER, CATEGORY))
    kinds = [_counted(len(numbers), "number")] if numbers else []
    kinds += [_counted(len(categories), "category", "categories")] if categories else []
    total = len(numbers) + len(categories)
    size = f"{len(prepared.gaps_of_rows_):,} rows and {len(uses):,} columns"
    makes = "makes" if total == 1 else "make"
    yield f"{size}: {' and '.join(kinds)} {makes} {_counted(total, 'feature')}."
    left_out = [
        f"{'a column without a name' if role.name == '' else role.name} ({role.reason})"
        for role in prepared.roles_
        if role.use in (ID, LEFT_OUT)
    ]
    if left_out:
        yield f"Left out: {_named(left_out)}."
    yield from (f"Label: {name}. It has no part in the map." for name, use in uses.items() if use == LABEL)
    if categories:
        columns = "one column of zeros and ones for each value"
        one, more = f"has {columns} and counts", f"have {columns}; each category counts"
        yield f"Categories: {_named(_levels(prepared))} {one if len(categories) == 1 else more} as one feature."
    if prepared.n_gaps_:
        yield f"Gaps: {_gaps(prepared.n_gaps_, uses)}."
    n_empty = int(mostly_empty(prepared).sum())
    if n_empty:
        have = "row has" if n_empty == 1 else "rows have"
        yield f"{n_empty:,} {have} more gaps than values; their places on the map say little."
    if numbers:
        yield (
            "Scale: each number has mean 0 and standard deviation 1."
            if prepared.scale
            else "Scale: numbers are as they were given, so that those with large values count most."
        )


def _levels(prepared: Prepare) -> list[str]:
    origins = prepared._origins
    counts = Counter(name for name, level in zip(origins.sources, origins.levels, strict=True) if level is not None)
    return [f"{name} ({_counted(count, 'value')})" for name, count in counts.items()]


def _gaps(gaps: dict[str, int], uses: dict[str, str]) -> str:
    filled = {NUMBER: "the median", CATEGORY: "the most frequent value"}
    kinds = {uses[name] for name in gaps}
    by = filled[kinds.pop()] if len(kinds) == 1 else "the median, of categories with the most frequent value"
    if len(gaps) == 1:
        ((name, count),) = gaps.items()
        return f"{_counted(count, 'value')} of {name}, filled with {by}"
    parts = [f"{name} ({count:,})" for name, count in gaps.items()]
    return f"{sum(gaps.values()):,} values in {len(gaps)} columns, filled with {by}: {_named(parts)}"


def _named(parts: list[str]) -> str:
    more = f" and {len(parts) - MOST_NAMED} more" if len(parts) > MOST_NAMED else ""
    return ", ".join(parts[:MOST_NAMED]) + more


def _counted(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


@dataclass(frozen=True)
class Recipe:
    """A preparation as plain data, which a file can hold: it prepares new rows as those of the fit were.

    Models of a prepared table have one as `recipe_`, such as those that ``featmap fit`` saves.

    Parameters
    ----------
    origins : Origins
        The column of the table behind each column of the fit, with its unit.
    missing : ndarray of shape (n_features,)
        What a row without any values becomes.
    text : str
        What was done, in words.
    """

    origins: Origins
    missing: Annotated[DoubleArray, "(n,)"]
    text: str

    @classmethod
    def of(cls, prepared: Prepare) -> Recipe:
        """The recipe of a fitted preparation."""
        gaps = np.full((1, len(prepared.feature_names_in_)), None, object)
        missing = prepared.transform(gaps)[0]
        return cls(prepared._origins, missing, str(prepared))

    def prepared(self, X: Any, names: Sequence[str] | None = None) -> np.ndarray:
        """New rows, prepared as those of the fit were: (rows, n_features). Columns of an array have these names."""
        pairs = zip(self.origins.sources, self.origins.levels, strict=True)
        kinds = {source: NUMBER if level is None else CATEGORY for source, level in pairs}
        columns = {column.name: as_kind(column, kinds[column.name]) for column in read_named(X, list(kinds), names)}
        made = [self._column(columns[source], h) for h, source in enumerate(self.origins.sources)]
        return np.column_stack(made)

    def _column(self, column: Column, h: int) -> DoubleArray:
        origins, level = self.origins, self.origins.levels[h]
        if level is None:
            given = (column.values - origins.offset[h]) / origins.factor[h]
        elif level == OTHER:  # of all values that are none of the other levels
            pairs = zip(origins.sources, origins.levels, strict=True)
            known = {one for source, one in pairs if source == column.name and one != OTHER}
            given = np.array([value not in known for value in column.values], np.float64)
        else:
            given = (column.values == level).astype(np.float64)
        return np.where(column.is_gap, self.missing[h], given)


FOLLOWED[Prepare] = lambda step, columns: step._origins
