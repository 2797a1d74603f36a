"""Labels of rows: texts as they are, numbers in fifths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from ..errors import InvalidDataError
from ..preparation.columns import text_of
from ..values import DoubleArray, WholeArray
from .numbers import plain

MOST_CLASSES, MOST_WHOLE = 10, 30  # numbers with at most so many values are classes; whole numbers may have more
FIFTHS = (0.2, 0.4, 0.6, 0.8)


@dataclass(frozen=True, eq=False)
class Labels:
    """A label for each row, by its number; −1 for rows without one.

    Parameters
    ----------
    names : tuple of str
        What the labels are called in sentences.
    codes : ndarray of shape (m,)
        The number of each row's label.
    note : str
        What was done with the labels, for readers.
    title : str
        What stands before labels that are numbers.

    Examples
    --------
    >>> from featmap.answers.labels import Labels
    >>> Labels.of(["b", "a", None]).codes.tolist()
    [1, 0, -1]
    """

    names: tuple[str, ...]
    codes: Annotated[WholeArray, "(m,)"]
    note: str = ""
    title: str = "label"

    @classmethod
    def of(cls, given: Any) -> Labels:
        """Texts in their order, numbers with few values in theirs, others in fifths. Numbers have a title."""
        title = str(getattr(given, "name", None) or "label")
        values = given.tolist() if hasattr(given, "tolist") else list(given)
        values = [None if value is None or value != value else value for value in values]
        known = [value for value in values if value is not None]
        if not known:
            raise InvalidDataError("labels: no row has a label; give one for some rows, or leave labels out")
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
            return _of_numbers(np.array([np.nan if value is None else value for value in values], float), title)
        names, codes = _coded([None if value is None else text_of(value) for value in values])
        return cls(tuple(f"{title} {name}" for name in names) if _are_numbers(names) else names, codes, title=title)

    def number_of(self, asked: Any) -> int | None:
        """The number of the label that is asked for by its name or its own value, or None."""
        value = text_of(asked)
        meant = [name for name in (asked, value, f"{self.title} {value}") if name in self.names]
        return self.names.index(meant[0]) if meant else None

    @cached_property
    def sizes(self) -> WholeArray:
        """How many rows have each label: (groups,)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names)).astype(np.int32)

    @property
    def counted(self) -> Iterator[tuple[int, int]]:
        """The number of each label with how many rows have it."""
        return enumerate(self.sizes.tolist())

    def __len__(self) -> int:
        return len(self.codes)


def _coded(texts: list[str | None]) -> tuple[tuple[str, ...], WholeArray]:
    names = sorted({text for text in texts if text is not None})
    number = {name: code for code, name in enumerate(names)}
    return tuple(names), np.array([-1 if text is None else number[text] for text in texts], np.int32)


def _are_numbers(names: tuple[str, ...]) -> bool:
    """Whether all labels are written as numbers: "8 among 8 (14 of 14)" could not be read."""
    try:
        return all(np.isfinite(float(name)) for name in names)
    except ValueError:
        return False


def _of_numbers(values: DoubleArray, title: str) -> Labels:
    known = values[np.isfinite(values)]
    distinct = np.unique(known)
    are_whole = bool((distinct == np.rint(distinct)).all())
    if len(distinct) <= (MOST_WHOLE if are_whole else MOST_CLASSES):
        codes = np.where(np.isfinite(values), np.searchsorted(distinct, values), -1)
        return Labels(tuple(f"{title} {text_of(value)}" for value in distinct), codes.astype(np.int32), title=title)
    bounds = _bounds(known, distinct)
    codes = np.where(np.isfinite(values), np.searchsorted(bounds, values, "left"), -1)
    texts = [plain(bound, float(known.std())) for bound in bounds]
    middle = [f"{title} {low} to {high}" for low, high in pairwise(texts)]
    names = (f"{title} up to {texts[0]}", *middle, f"{title} above {texts[-1]}")
    return Labels(names, codes.astype(np.int32), f"The {title} was cut into fifths.", title)


def _bounds(known: DoubleArray, distinct: DoubleArray) -> DoubleArray:
    """The bounds of fifths, without those that would leave no row between them, or none above."""
    bounds = np.unique(np.quantile(known, FIFTHS))
    n_below = np.searchsorted(distinct, bounds, "right")
    kept: DoubleArray = bounds[(n_below < len(distinct)) & (np.diff(n_below, prepend=0) > 0)]
    return kept if len(kept) else distinct[-2:-1]
