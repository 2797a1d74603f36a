"""Labels of rows, read as categories or as numbers on a scale."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...checks.labels import label_values
from ...checks.rows import check_order
from .palette import MOST_COLOURS, colours_for

# Integers with more distinct values than this are read as numbers, not as categories.
MOST_INTEGER_CATEGORIES = 30


@dataclass(frozen=True)
class Categories:
    """One category per row, as an index into ``names``; -1 for the other rows, which the legend calls ``rest``."""

    codes: np.ndarray
    names: list[str]
    rest: str
    title: str | None
    own_colours: tuple[str, ...] | None = None  # one for each name, where the user has chosen them

    @property
    def colours(self) -> list[str]:
        """One colour for each name."""
        return colours_for(len(self.names)) if self.own_colours is None else list(self.own_colours)


@dataclass(frozen=True)
class Numbers:
    """One number per row, not finite where it is missing."""

    values: np.ndarray
    title: str | None


def read_labels(caller: str, labels: Any, n_rows: int, names: np.ndarray | None = None) -> Categories | Numbers:
    """Read floats and many different integers as numbers, everything else as categories.

    Labels that have been read stay as they are.
    """
    if isinstance(labels, Categories | Numbers):
        return labels
    check_order("labels", labels, names)
    values, missing = label_values(caller, labels, n_rows)
    title = getattr(labels, "name", None)
    title = None if title is None else str(title)
    if _is_quantity(values):
        return Numbers(np.where(missing, np.nan, values.astype(float)), title)
    return _categories(values, missing, _declared_order(labels), title)


def _is_quantity(values: np.ndarray) -> bool:
    if values.dtype.kind == "f":
        return True
    return values.dtype.kind in "iu" and len(np.unique(values)) > MOST_INTEGER_CATEGORIES


def _declared_order(labels: Any) -> list[str] | None:
    """Return the order of the categories of a pandas Categorical or of a column of them."""
    categories = getattr(getattr(labels, "dtype", None), "categories", None)
    return None if categories is None else [str(name) for name in categories]


def _categories(values: np.ndarray, missing: np.ndarray, order: list[str] | None, title: str | None) -> Categories:
    texts = np.array([str(value) for value in values.tolist()], dtype=object)
    present = {str(value) for value in texts[~missing]}
    if order is None:
        order = _sorted_names(values[~missing])
    names = [name for name in order if name in present]
    rest = "missing"
    if len(names) > MOST_COLOURS:
        names, rest = _most_frequent(names, texts[~missing]), "other"
    numbers = {name: number for number, name in enumerate(names)}
    codes = np.array([-1 if gone else numbers.get(text, -1) for text, gone in zip(texts, missing, strict=True)])
    return Categories(codes, names, rest, title)


def _sorted_names(values: np.ndarray) -> list[str]:
    if values.dtype.kind in "biu":
        return [str(value) for value in np.unique(values).tolist()]
    return sorted({str(value) for value in values.tolist()}, key=_natural)


def _natural(name: str) -> list[str | int]:
    """Return a key that sorts "cluster 2" before "cluster 10"."""
    parts: list[str | int] = list(re.split(r"(\d+)", name))
    parts[1::2] = [int(part) for part in parts[1::2]]
    return parts


def _most_frequent(names: list[str], texts: np.ndarray) -> list[str]:
    """Return the most frequent names, as many as there are colours, in their old order."""
    counts = dict(zip(*np.unique(texts.astype(str), return_counts=True), strict=True))
    kept = set(sorted(names, key=lambda name: -counts[name])[:MOST_COLOURS])
    return [name for name in names if name in kept]
