"""What an answer is made of. Text, tables, pictures and the page are renderings of these values.

A value of a feature is a number, the text of a level, or None where the table has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..checks.arguments import pandas_for
from . import html, report, sentences
from .matching import matches, query
from .numbers import of_100

if TYPE_CHECKING:
    from pandas import DataFrame, Series

Value: TypeAlias = float | str | None

PARTED, RESEMBLES, BETWEEN, OUTLYING, TYPICAL = "parted", "resembles", "between", "outlying", "typical"
KINDS = (PARTED, RESEMBLES, BETWEEN, OUTLYING, TYPICAL)  # in the order in which they are decided
OWN, AROUND = "own", "around"


@dataclass(frozen=True)
class Place:
    """Where a row lies on the map, and whether its neighbours in the data lie there too.

    Parameters
    ----------
    n : int
        How many nearest rows were looked at.
    kept : int
        How many of its ``n`` nearest rows in the data are among the nearest on the map.
    rank : int
        Its place among all rows by how unusual it is; 1 is the most unusual.
    n_rows : int
        The number of rows of the map.
    region : str
        The name of the region in which it lies.
    elsewhere : tuple of (str, int)
        The regions in which its nearest rows in the data lie, with their counts, the largest first.
    label : str or None
        Its label, if it has one.
    on_map, in_data : int or None
        How many of its ``n`` nearest rows on the map, and in the data, share its label.
    around : str or None
        The commonest other label among its nearest rows on the map.
    n_around : int
        How many of these rows have that label.
    is_followed : bool
        Whether the map keeps the rows of its label together. If not, the label says nothing about its place.

    Examples
    --------
    >>> from featmap.answers.values import Place
    >>> place = Place(14, 9, 31, 342, "Adelie", (("Adelie", 14),), "Adelie", 13, 14, "Chinstrap", 1, True)
    >>> print(place)
    13 of its 14 nearest on the map are Adelie, and 14 in the data.
    """

    n: int
    kept: int
    rank: int
    n_rows: int
    region: str
    elsewhere: tuple[tuple[str, int], ...]
    label: str | None = None
    on_map: int | None = None
    in_data: int | None = None
    around: str | None = None
    n_around: int = 0
    is_followed: bool = False

    def __str__(self) -> str:
        return sentences.of_place(self)


@dataclass(frozen=True)
class Condition:
    """What a row must meet: a number above ``low`` and at most ``high``, or one of some levels of a category.

    Parameters
    ----------
    feature : str
        The name of the feature.
    low, high : float or None
        The bounds. A value meets them if it is above ``low`` and at most ``high``.
    levels : tuple of str
        The levels that meet the condition, if the feature is a category.
    alike : tuple of str
        Features that go with it.
    columns : tuple of int
        The columns of the table that it is about. Those of a patch of an image are its pixels, and their mean counts.

    Examples
    --------
    >>> from featmap.answers.values import Condition
    >>> print(Condition("bill length", low=42.3))
    bill length > 42.3
    """

    feature: str
    low: float | None = None
    high: float | None = None
    levels: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    columns: tuple[int, ...] = ()

    def __str__(self) -> str:
        return sentences.of_condition(self)


@dataclass(frozen=True)
class Rule:
    """Conditions that tell some rows from all others, and how often they do so for rows that did not choose them.

    Parameters
    ----------
    conditions : tuple of Condition
        A row meets the rule if it meets all of them.
    precision : float
        Which part of the rows that meet the rule belong to those it is about.
    recall : float
        Which part of the rows that it is about meet the rule.

    Examples
    --------
    >>> from featmap.answers.values import Condition, Rule
    >>> rule = Rule((Condition("bill length", low=42.3, columns=(0,)),), 0.97, 0.94)
    >>> print(rule)
    bill length > 42.3 (right for 97 of 100, finds 94 of 100)
    >>> rule.matches([[50.1], [38.0]]).tolist()
    [True, False]
    >>> rule.query
    '`bill length` > 42.3'
    """

    conditions: tuple[Condition, ...]
    precision: float
    recall: float

    def matches(self, table: Any) -> NDArray[np.bool_]:
        """Tell which rows of a table meet the rule. A missing value meets no condition.

        Parameters
        ----------
        table : DataFrame, array-like or sparse matrix
            A table with the columns of the fit: a frame by their names, an array by their order.

        Returns
        -------
        ndarray of shape (n_rows,)
            Whether each row meets all conditions.

        Examples
        --------
        >>> from featmap.answers.values import Condition, Rule
        >>> Rule((Condition("mass", high=4000, columns=(0,)),), 1.0, 1.0).matches([[3750.0], [float("nan")]]).tolist()
        [True, False]
        """
        return matches(self.conditions, table)

    @property
    def query(self) -> str:
        """The rule as ``DataFrame.query`` takes it."""
        return query(self.conditions)

    @property
    def text(self) -> str:
        """The conditions alone, in words."""
        return " and ".join(str(condition) for condition in self.conditions)

    def __str__(self) -> str:
        return f"{self.text} (right for {of_100(self.precision)}, finds {of_100(self.recall)})"


@dataclass(frozen=True)
class Difference:
    """A feature in which a row differs, with typical values of the groups that it is compared with.

    Parameters
    ----------
    feature : str
        The name of the feature.
    value : float, str or None
        The value of the row; of a region the mean, or the commonest level.
    around : float, str or None
        What is typical of the rows around it, or of all rows that are not of its group.
    own_group : float, str or None
        What is typical of its own group; None without labels.
    side : str
        "own" if the value is like that of its own group, "around" if it is like that of the rows around; without
        labels "around".
    evidence : float
        How strongly it speaks for that side: the logarithm of a likelihood ratio. Without labels it is the distance
        from the rows around, in their standard deviations.
    spread : float
        Its standard deviation over all rows, by which numbers are rounded.
    alike, against : tuple of str
        Features that go with it, and those that go the other way.
    n_below, n_compared : int
        Without labels: of so many rows around, how many have a smaller value.
    overall : float, str or None
        Without labels: what is typical of all rows.

    Examples
    --------
    >>> from featmap.answers.values import Difference
    >>> print(Difference("bill length", 40.9, 49.6, 38.8, "own", 3.2, 5.5))
    bill length 40.9
    """

    feature: str
    value: Value
    around: Value
    own_group: Value
    side: str
    evidence: float
    spread: float = 0.0
    alike: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    n_below: int = 0
    n_compared: int = 0
    overall: Value = None

    def __str__(self) -> str:
        return sentences.named_value(self)


@dataclass(frozen=True)
class Change:
    """One change of a move: a feature, with those that go with it, from the value of the row to another one.

    Parameters
    ----------
    feature : str
        The name of the feature.
    value, to : float, str or None
        The value of the row, and the value that it is given.
    spread : float
        Its standard deviation over all rows, by which numbers are rounded.
    alike : tuple of str
        Features that are changed with it.

    Examples
    --------
    >>> from featmap.answers.values import Change
    >>> print(Change("bill length", 40.9, 48.8, 5.5))
    bill length 40.9 → 48.8
    """

    feature: str
    value: Value
    to: Value
    spread: float = 0.0
    alike: tuple[str, ...] = ()

    def __str__(self) -> str:
        return sentences.of_change(self)


@dataclass(frozen=True, eq=False)
class Move:
    """The least change of a row, of at most three groups of features, that puts it among other rows.

    Parameters
    ----------
    changes : tuple of Change
        What is changed, the most important first.
    target : str
        The label or the region among whose rows it would lie.
    on_map, in_data : int
        How many of the ``n`` nearest rows are of the target then, on the map and in the data.
    n : int
        How many nearest rows were looked at.
    row : Series or ndarray
        The whole changed row, in the columns of the table.
    place : tuple of float
        Where it would lie on the map.
    others : int
        How many other ways of at most three groups there are.
    shared : tuple of str
        Features that all ways change.
    refits : tuple of (int, int)
        For each new map that was made of the changed table: its seed, and how many of the ``n`` nearest rows on it
        are of the target. Empty if none was asked for.

    Examples
    --------
    >>> from featmap.answers.values import Change, Move
    >>> move = Move((Change("bill length", 40.9, 48.8, 5.5),), "Chinstrap", 14, 13, 14, None, (0.0, 0.0), 0, ())
    >>> print(move)
    One way to lie among Chinstrap: bill length 40.9 → 48.8 (14 of 14).
    """

    changes: tuple[Change, ...]
    target: str
    on_map: int
    in_data: int
    n: int
    row: Series | np.ndarray | None
    place: tuple[float, ...]
    others: int
    shared: tuple[str, ...]
    refits: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        return sentences.of_move(self)


@dataclass(frozen=True, repr=False)
class Why:
    """Why a row lies where it lies. Printed, it has at most 60 words; `sentence` has at most 30.

    Parameters
    ----------
    row : int
        The number of the row.
    name : str
        What the row is called.
    unit : str
        What a row is, "cell" for example.
    kind : str
        "parted" from its kin by the map, "resembles" another group, "between" two groups, "outlying", or "typical".
    place : Place
        Where it lies, and whether that can be believed.
    rule : Rule or None
        The rule of the region that it lies in, if there is one that holds.
    meets_rule : bool
        Whether the row itself meets that rule.
    differences : tuple of Difference
        How the row itself differs, in the order in which it is said.
    move : Move or None
        What would put it among other rows, if that was looked for and found.
    no_move : str
        Why there is no move.
    measures_like_around : bool
        Whether all features together speak for the rows around it, rather than for its own label.
    details : tuple of Difference
        Every feature that tells something about the row, the strongest first.

    Examples
    --------
    >>> from featmap.answers.values import Place, Why
    >>> place = Place(14, 9, 31, 342, "Adelie", (("Adelie", 14),), "Adelie", 13, 14, "Chinstrap", 1, True)
    >>> Why(0, "0", "penguin", "typical", place)
    Adelie among Adelie (13 of 14); no single feature sets it apart.
    """

    row: int
    name: str
    unit: str
    kind: str
    place: Place
    rule: Rule | None = None
    meets_rule: bool = True
    differences: tuple[Difference, ...] = ()
    move: Move | None = None
    no_move: str = ""
    measures_like_around: bool = False
    details: tuple[Difference, ...] = ()

    @property
    def sentence(self) -> str:
        """The answer in one sentence of at most 30 words, or in a few words more if names are long."""
        return sentences.of_row(self)

    def __str__(self) -> str:
        return sentences.whole_answer(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return html.of_why(self)

    def to_frame(self) -> DataFrame:
        """Give the differences as a pandas DataFrame.

        Returns
        -------
        DataFrame
            One line for each feature that tells something about the row, those that are said first. ``is_said`` marks
            them.

        Examples
        --------
        >>> from featmap.answers.values import Difference, Place, Why
        >>> place = Place(14, 9, 31, 342, "upper left", (("upper left", 14),))
        >>> mass = Difference("mass", 4.0, 3.0, None, "around", 5.0)
        >>> Why(0, "0", "row", "typical", place, differences=(mass,)).to_frame().shape
        (1, 8)
        """
        said = {difference.feature for difference in self.differences}
        rest = [difference for difference in self.details if difference.feature not in said]
        return _differences_frame([*self.differences, *rest], said)


@dataclass(frozen=True, repr=False)
class Region:
    """Some rows of the map: an island, a part, or rows that were asked about.

    Parameters
    ----------
    name : str
        What it is called: its commonest label, else its rule, else its place on the map.
    rows : ndarray
        The numbers of its rows.
    unit : str
        What a row is.
    labels : tuple of (str, int)
        The labels of its rows with their counts, the commonest first.
    rule : Rule or None
        What tells its rows from all others, if such a rule holds.
    differences : tuple of Difference
        In what its rows differ from all others on average, the largest first.
    nearest : tuple of str
        The regions next to it on the map.
    center : tuple of float
        Its densest place on the map.

    Examples
    --------
    >>> import numpy as np
    >>> from featmap.answers.values import Region
    >>> Region("upper left", np.arange(40), "row")
    upper left (40 rows): nothing sets these rows apart
    """

    name: str
    rows: np.ndarray
    unit: str
    labels: tuple[tuple[str, int], ...] = ()
    rule: Rule | None = None
    differences: tuple[Difference, ...] = ()
    nearest: tuple[str, ...] = ()
    center: tuple[float, ...] = ()

    @property
    def size(self) -> int:
        """The number of its rows."""
        return len(self.rows)

    @property
    def sentence(self) -> str:
        """The region in one sentence."""
        return report.of_region(self)

    def __str__(self) -> str:
        return report.of_region(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return html.of_region(self)

    def to_frame(self) -> DataFrame:
        """Give the differences as a pandas DataFrame.

        Returns
        -------
        DataFrame
            One line for each feature in which the rows differ from all others.

        Examples
        --------
        >>> import numpy as np
        >>> from featmap.answers.values import Region
        >>> Region("upper left", np.arange(40), "row").to_frame().shape
        (0, 8)
        """
        return _differences_frame(list(self.differences), {difference.feature for difference in self.differences})


@dataclass(frozen=True)
class ColumnNote:
    """Something to know about a column of the table, or about the label.

    Parameters
    ----------
    column : str
        Its name.
    note : str
        "leak" if it alone tells a label, "empty" if more than half of its values are missing, "unused" if it had no
        part in the map, "followed" and "not followed" by the map.
    figure : float
        How far: the precision of the leak, the part that is missing, the part of the variance that the map tells.
    about : str
        The label that a leak tells.

    Examples
    --------
    >>> from featmap.answers.values import ColumnNote
    >>> ColumnNote("mass", "followed", 0.81).note
    'followed'
    """

    column: str
    note: str
    figure: float
    about: str = ""


@dataclass(frozen=True, repr=False)
class Findings:
    """What the map shows: its regions, rows whose label is doubtful, and what to know about columns.

    Parameters
    ----------
    unit : str
        What a row is.
    n_rows, n : int
        The number of rows, and of nearest rows that were looked at.
    kept : int
        How many of its ``n`` nearest rows in the data a typical row has near it on the map.
    are_islands : bool
        Whether the regions are apart from each other, or parts of one.
    regions : tuple of Region
        All of them, the largest first.
    rows : tuple of Why
        Rows whose label is doubtful, the most doubtful first.
    n_doubtful : int
        How many rows have a doubtful label; ``rows`` has the first of them.
    not_followed : tuple of str
        Labels that the map does not keep together.
    columns : tuple of ColumnNote
        What to know about columns.
    notes : tuple of str
        What was done with the labels.

    Examples
    --------
    >>> from featmap.answers.values import Findings
    >>> Findings("row", 150, 14, 9, True, (), ())
    150 rows in 0 islands. Around a typical row the map keeps 9 of its 14 nearest.
    """

    unit: str
    n_rows: int
    n: int
    kept: int
    are_islands: bool
    regions: tuple[Region, ...]
    rows: tuple[Why, ...]
    n_doubtful: int = 0
    not_followed: tuple[str, ...] = ()
    columns: tuple[ColumnNote, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def text(self) -> str:
        """All findings in at most 400 words."""
        return report.of_map(self)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return html.of_findings(self)

    def __iter__(self) -> Iterator[Region]:
        return iter(self.regions)

    def to_frame(self) -> DataFrame:
        """Give the regions as a pandas DataFrame.

        Returns
        -------
        DataFrame
            One line for each region: its name, size, commonest label, rule and what is promised of it.

        Examples
        --------
        >>> from featmap.answers.values import Findings
        >>> Findings("row", 150, 14, 9, True, (), ()).to_frame().shape
        (0, 7)
        """
        names = ("region", "size", "label", "rule", "precision", "recall", "difference")
        lines = [report.line_of_region(region) for region in self.regions]
        return pandas_for("to_frame").DataFrame(lines, columns=list(names))


def _differences_frame(differences: list[Difference], said: set[str]) -> DataFrame:
    names = ("feature", "value", "around", "own_group", "side", "evidence", "alike", "is_said")
    lines = [(*(getattr(one, name) for name in names[:-1]), one.feature in said) for one in differences]
    return pandas_for("to_frame").DataFrame(lines, columns=list(names))
